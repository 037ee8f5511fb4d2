/** The one question of a batch: every write in it that needs confirming, where it goes, and what it would change. */
import { asEdgeError, EdgeError } from "../errors.ts";
import type { BatchRequest } from "../tunnel/calls.ts";
import { type AnswerLimits, changesOf, redacted, subjectOf } from "./answers.ts";
import type { Seen, Tokens } from "./confirm.ts";
import type { Journal } from "./journal.ts";
import type { Prepared } from "./prepared.ts";
import { planOf, stateSeen } from "./write.ts";

/** Plans ask the console: so many at once. */
const PLANS_AT_ONCE = 8;

export interface Questioned {
  readonly index: number;
  /** Earlier operations change what this one will find, so the state seen now cannot be held against it. */
  readonly afterOthers: boolean;
  readonly call: Prepared;
}

export interface QuestionDeps {
  readonly journal: Journal;
  readonly tokens: Tokens;
  readonly answers: AnswerLimits;
  readonly now: () => number;
}

interface Line {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly seen: string | undefined;
}

/** The preview as JSON bytes; `bound` is what its token will allow. Throws the signal's reason when it aborts: what was not asked must not be confirmed. */
export async function askBatch(
  deps: QuestionDeps,
  request: BatchRequest,
  writes: readonly Questioned[],
  bound: Buffer,
  signal: AbortSignal,
): Promise<Buffer> {
  const lines = await abortable(
    inTurns(writes, (write) => lineOf(deps, write, signal), signal),
    signal,
  );
  const seen: Record<string, string> = {};
  lines.forEach((line, at) => {
    const write = writes[at];
    if (write !== undefined && line.seen !== undefined && !write.afterOthers) seen[write.index] = line.seen;
  });
  const token = deps.tokens.mint(bound, seen satisfies Seen);
  const shown = (detailed: boolean) => ({
    success: true,
    requires_confirmation: true,
    action: "batch",
    resource_type: "batch",
    preview: {
      operations: request.operations.length,
      writes: lines.map(({ fields }) => (detailed ? fields : withoutChanges(fields))),
    },
    confirm_token: token,
    message:
      "Nothing has been changed yet. Send the same operations again with this confirm_token to run them all; it holds for 10 minutes.",
  });
  return bounded(deps, shown(true)) ?? bounded(deps, shown(false)) ?? tooLong();
}

async function lineOf(deps: QuestionDeps, { index, call }: Questioned, signal: AbortSignal): Promise<Line> {
  const place = { index, tool: call.tool.name, console: call.consoleName };
  try {
    const site = await call.console.network.site(call.siteName, signal);
    const plan = await planOf(deps, call, site, { signal, progress: () => undefined });
    return {
      fields: { ...place, site: site.site, ...subjectOf(plan), preview: changesOf(plan), ...warned(plan.warnings) },
      seen: stateSeen(deps.journal, plan),
    };
  } catch (thrown) {
    // an operation that cannot be previewed is listed with its reason, and will most likely fail with it
    const error = asEdgeError(thrown);
    return { fields: { ...place, site: call.siteName, error: error.message, code: error.code }, seen: undefined };
  }
}

function warned(warnings: readonly string[] | undefined) {
  return warnings === undefined || warnings.length === 0 ? {} : { warnings };
}

function withoutChanges(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { preview: _changes, ...rest } = fields;
  return rest;
}

/** A question is never cut: what is not shown must not be confirmed. */
function bounded(deps: QuestionDeps, preview: Readonly<Record<string, unknown>>): Buffer | undefined {
  const bytes = Buffer.from(JSON.stringify(redacted(preview)));
  return bytes.length <= deps.answers.maxBytes ? bytes : undefined;
}

function tooLong(): never {
  throw new EdgeError("TOO_LARGE", "This batch has more writes than one question can list.", {
    hint: "Split it into smaller batches.",
  });
}

/** Ends with the signal, also where a console does not heed it. */
export async function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Results in the order of `items`, a bounded number at a time. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result[]> {
  const results: Result[] = [];
  const pending = items.entries();
  const worker = async () => {
    for (const [at, item] of pending) {
      signal.throwIfAborted();
      results[at] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: PLANS_AT_ONCE }, worker));
  return results;
}
