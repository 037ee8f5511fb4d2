/** Starts a batch: splits it by place, stores the header, hands each agent its part, and says which jobs run. */
import { asEdgeError, EdgeError, type Executed, failureResult } from "../errors.ts";
import type { Asking, BatchStart, Outcome } from "../mcp/execution.ts";
import type { Action, Principal } from "../principal.ts";
import { faultOf } from "../tunnel/answer-body.ts";
import type { BatchAnswer } from "../tunnel/calls.ts";
import { type Admitted, type HandParts, hand } from "./hand.ts";
import { jobIdOf, openBatchToken, sealBatchToken } from "./ids.ts";
import type { BatchEntry, BatchHeader, BatchRecords } from "./records.ts";

export const MAX_OPERATIONS = 500;

export interface StartParts extends HandParts {
  readonly records: BatchRecords;
  /** Decides and records (the only way to execute): the location's id, or throws why not. */
  readonly admit: (
    principal: Principal,
    operation: BatchStart["operations"][number],
  ) => { readonly location: string; readonly action: Action };
  readonly newId: () => string;
  readonly now: () => number;
  /** False where there is one place that nobody names (`local`): answers leave `location` out. */
  readonly located?: boolean;
}

interface Refusal {
  readonly index: number;
  readonly tool: string;
  readonly error: string;
  readonly code: string;
  readonly executed: Executed;
}

/** Never throws for one operation's fault: that stands in `errors`, and the others run. */
export async function startBatch(parts: StartParts, request: BatchStart, asking: Asking): Promise<Outcome> {
  const { principal } = asking;
  if (request.operations.length === 0 || request.operations.length > MAX_OPERATIONS) {
    throw new EdgeError(
      "ARGUMENTS_INVALID",
      `operations holds ${request.operations.length}; 1 to ${MAX_OPERATIONS} may run in one batch.`,
    );
  }
  const token = request.confirmToken === undefined ? undefined : openBatchToken(request.confirmToken);
  const refused: Refusal[] = [];
  const admitted = admitAll(parts, request, principal, refused);
  const id = token?.batchId ?? parts.newId();
  // only a batch that was asked about can have been handed over before
  const known = token && (await ownHeader(parts, principal, id));
  const header = headerOf(parts, request, principal, id, admitted, known);
  await parts.records.saveHeader(header);

  const places = [...new Set(admitted.map((entry) => entry.location))];
  const answers = await Promise.all(
    places.map(async (location) => {
      const own = admitted.filter((entry) => entry.location === location);
      return {
        location,
        own,
        answer: await hand(parts, {
          header,
          location,
          own,
          confirmToken: token?.tokens[location],
          isAgain: known?.operations.some((entry) => entry.location === location) === true,
          signal: asking.signal,
        }).catch(asEdgeError),
      };
    }),
  );
  return report(parts, header, known, answers, refused);
}

type PlaceOutcome = {
  readonly location: string;
  readonly own: readonly Admitted[];
  readonly answer: BatchAnswer | EdgeError;
};

async function report(
  parts: StartParts,
  header: BatchHeader,
  known: BatchHeader | undefined,
  places: readonly PlaceOutcome[],
  refused: readonly Refusal[],
): Promise<Outcome> {
  const errors = [...refused];
  const running: Admitted[] = [];
  const questions: { location: string; preview: Buffer }[] = [];
  for (const { location, own, answer } of places) {
    if (answer instanceof EdgeError) {
      errors.push(...own.map((entry) => refusalOf(entry.index, entry.tool, answer)));
      // It may have been accepted: its jobs stay readable, and the agent reports them when it is back
      if (answer.executed === "maybe") running.push(...own);
    } else if (answer.accepted) running.push(...own);
    else questions.push({ location, preview: answer.preview });
  }
  const operations = entriesOf(known, running);
  if (operations.length < header.operations.length) await parts.records.saveHeader({ ...header, operations });
  if (questions.length > 0) return ask(parts, header, questions, running, errors);
  const jobs = running
    .map(({ index, tool }) => ({ index, tool, jobId: jobIdOf(header.id, index) }))
    .sort((a, b) => a.index - b.index);
  const body = {
    batchId: header.id,
    jobs,
    errors: errors.length === 0 ? null : errors.sort((a, b) => a.index - b.index),
    message: words(jobs.length, errors),
  };
  return { isError: jobs.length === 0, type: "json", body: Buffer.from(JSON.stringify(body)) };
}

/** Those that may have started are among the jobs and among the errors. */
function words(jobs: number, errors: readonly Refusal[]): string {
  const doubtful = errors.filter(({ executed }) => executed === "maybe").length;
  const counts = [
    [jobs - doubtful, "started."],
    [doubtful, "may have started, see errors."],
    [errors.length - doubtful, "not started, see errors."],
  ] as const;
  const told = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return [...(jobs === 0 ? ["Nothing was started."] : []), ...told, ...(jobs === 0 ? [] : [ASK_STATUS])].join(" ");
}

const ASK_STATUS = "Ask batch_status with batchId or a jobId.";

/** One question that lists every write and its place (design 5). */
function ask(
  parts: Pick<StartParts, "located">,
  header: BatchHeader,
  questions: readonly { location: string; preview: Buffer }[],
  running: readonly Admitted[],
  errors: readonly Refusal[],
): Outcome {
  const previews = questions.map(({ location, preview }) => ({ location, ...parsePreview(preview) }));
  const body = {
    success: true,
    requires_confirmation: true,
    action: "batch",
    resource_type: "batch",
    preview: {
      places: previews.map(({ confirm_token: _token, location, ...rest }) =>
        parts.located === false ? rest : { location, ...rest },
      ),
    },
    confirm_token: sealBatchToken({
      batchId: header.id,
      tokens: Object.fromEntries(previews.map(({ location, confirm_token }) => [location, confirm_token])),
    }),
    ...(running.length === 0
      ? {}
      : { already_started: running.map(({ index, tool }) => ({ index, tool, jobId: jobIdOf(header.id, index) })) }),
    errors: errors.length === 0 ? null : errors,
    message: "No write of this batch has run. Send the same operations again with confirm_token to run them.",
  };
  return { isError: false, type: "json", body: Buffer.from(JSON.stringify(body)) };
}

/** The agent's preview is small and rare, so it is parsed: `{confirm_token, preview, …}`. Throws PROTOCOL_ERROR. */
function parsePreview(preview: Buffer): { confirm_token: string; preview?: unknown } {
  const fault = faultOf({ isError: false, type: "json", body: preview }, "no");
  if (fault !== undefined) throw fault;
  const parsed: unknown = JSON.parse(preview.toString("utf8"));
  if (
    typeof parsed !== "object" ||
    parsed === null ||
    !("confirm_token" in parsed) ||
    typeof parsed.confirm_token !== "string"
  ) {
    throw new EdgeError("PROTOCOL_ERROR", "The agent asked for a confirmation without giving its token.");
  }
  return { confirm_token: parsed.confirm_token, ...("preview" in parsed ? { preview: parsed.preview } : {}) };
}

function admitAll(parts: StartParts, request: BatchStart, principal: Principal, refused: Refusal[]): Admitted[] {
  const admitted: Admitted[] = [];
  request.operations.forEach((operation, index) => {
    try {
      admitted.push({ index, tool: operation.tool, operation, ...parts.admit(principal, operation) });
    } catch (error) {
      refused.push(refusalOf(index, operation.tool, asEdgeError(error)));
    }
  });
  return dropBrokenChains(admitted, refused);
}

/** `after` may only name operations of the same place that run: the agent keeps the order, and knows its own place. */
function dropBrokenChains(admitted: readonly Admitted[], refused: Refusal[]): Admitted[] {
  let kept = [...admitted];
  for (;;) {
    const broken = kept.find(({ operation, location, index }) =>
      (operation.after ?? []).some(
        (before) => before === index || !kept.some((entry) => entry.index === before && entry.location === location),
      ),
    );
    if (!broken) return kept;
    kept = kept.filter((entry) => entry !== broken);
    refused.push(
      refusalOf(
        broken.index,
        broken.tool,
        new EdgeError("ARGUMENTS_INVALID", "after names an operation that does not run, or runs at another location."),
      ),
    );
  }
}

function refusalOf(index: number, tool: string, error: EdgeError): Refusal {
  const { success: _success, ...failure } = failureResult(error);
  return { index, tool, ...failure };
}

function entryOf({ index, tool, location }: Admitted): BatchEntry {
  return { index, tool, location };
}

function headerOf(
  parts: StartParts,
  request: BatchStart,
  principal: Principal,
  id: string,
  admitted: readonly Admitted[],
  known: BatchHeader | undefined,
): BatchHeader {
  return {
    id,
    org: principal.org,
    subject: principal.subject,
    grant: principal.grant,
    app: request.app,
    createdAtMs: known?.createdAtMs ?? parts.now(),
    writes: known?.writes === true || admitted.some((entry) => entry.action !== "read"),
    operations: entriesOf(known, admitted),
  };
}

/** What was handed over before stays in the index, whatever becomes of sending the batch again. */
function entriesOf(known: BatchHeader | undefined, admitted: readonly Admitted[]): readonly BatchEntry[] {
  const before = known?.operations ?? [];
  const further = admitted.filter(({ index }) => !before.some((entry) => entry.index === index));
  return [...before, ...further.map(entryOf)].sort((a, b) => a.index - b.index);
}

/** A batch id comes back inside a confirm token, so it is the caller's word: another's batch must not be taken over. */
async function ownHeader(parts: StartParts, { org, subject }: Principal, id: string): Promise<BatchHeader | undefined> {
  const known = await parts.records.header(org, id);
  if (known && known.subject !== subject)
    throw new EdgeError("CONFIRM_TOKEN_INVALID", "This confirm_token belongs to somebody else.");
  return known;
}
