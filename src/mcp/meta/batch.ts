/** `*_batch`: reads and checks every operation first; one wrong operation and none of them starts. */
import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import type { App } from "../../catalog/manifest.ts";
import { printable } from "../../catalog/printable.ts";
import { problemsOf } from "../../catalog/problems.ts";
import { asEdgeError, EdgeError, type ErrorCode } from "../../errors.ts";
import type { Call } from "../caller.ts";
import type { BatchStart, Execution, Outcome } from "../execution.ts";
import { MAX_OPERATIONS } from "../meta-tools.ts";
import { admitted, askingOf, siteOf } from "./execute.ts";

const MAX_ERRORS_TOLD = 50;
const MAX_DEADLINE_SECONDS = 3600;

const OperationSchema = Type.Object(
  {
    tool: Type.Optional(Type.String()),
    tool_name: Type.Optional(Type.String()),
    arguments: Type.Optional(Type.Unknown()),
    location: Type.Optional(Type.String()),
    __location: Type.Optional(Type.String()),
    site: Type.Optional(Type.String()),
    after: Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { maxItems: MAX_OPERATIONS })),
    deadline_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DEADLINE_SECONDS })),
    repeat: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
const Operation = Compile(OperationSchema);

type Ready = BatchStart["operations"][number];

interface Wrong {
  readonly index: number;
  readonly tool?: string;
  readonly error: string;
  readonly code: ErrorCode;
}

export interface BatchArguments {
  readonly operations?: readonly unknown[];
  readonly confirm_token?: string;
  readonly cancel?: string;
}

/** Throws ARGUMENTS_INVALID whose details list what is wrong, by index. */
export function batch(execution: Execution, app: App, call: Call, args: BatchArguments): Promise<Outcome> {
  if (args.cancel !== undefined) return execution.cancelBatch(args.cancel, askingOf(call));
  const operations = args.operations ?? [];
  if (operations.length === 0 || operations.length > MAX_OPERATIONS) {
    throw new EdgeError(
      "ARGUMENTS_INVALID",
      `"operations" holds ${operations.length}; a batch takes 1 to ${MAX_OPERATIONS}.`,
    );
  }

  const read = operations.map((operation, index) =>
    readOperation(execution, call, operation, index, operations.length),
  );
  const wrong = read.filter((entry): entry is Wrong => "error" in entry);
  if (wrong.length > 0) throw notStarted(wrong, operations.length);
  const ready = read.filter((entry): entry is Ready => !("error" in entry));
  return execution.batch(
    { app, operations: ready, ...(args.confirm_token === undefined ? {} : { confirmToken: args.confirm_token }) },
    askingOf(call),
  );
}

function readOperation(execution: Execution, call: Call, given: unknown, index: number, count: number): Ready | Wrong {
  if (!Operation.Check(given)) {
    return { index, error: problemsOf(Operation.Errors(given)).join("; "), code: "ARGUMENTS_INVALID" };
  }
  const tool = given.tool ?? given.tool_name;
  if (tool === undefined) return { index, error: '"tool" is missing', code: "ARGUMENTS_INVALID" };
  try {
    checkOrder(given.after ?? [], index, count);
    return readyOperation(execution, call, tool, given);
  } catch (thrown) {
    const { message, code } = asEdgeError(thrown);
    return { index, tool: printable(tool, 100), error: message, code };
  }
}

function readyOperation(execution: Execution, call: Call, tool: string, given: Static<typeof OperationSchema>): Ready {
  const { args } = admitted(execution, call, tool, given.arguments);
  const location = given.location ?? given.__location;
  return {
    tool,
    arguments: args,
    ...(location === undefined ? {} : { location }),
    ...siteOf(given.site),
    ...(given.after === undefined ? {} : { after: given.after }),
    ...(given.deadline_seconds === undefined ? {} : { deadlineSeconds: given.deadline_seconds }),
    ...(given.repeat === undefined ? {} : { repeat: given.repeat }),
  };
}

/** An operation waits for earlier ones only, so no circle can be written. */
function checkOrder(after: readonly number[], index: number, count: number): void {
  const bad = after.find((other) => other >= index);
  if (bad === undefined) return;
  const why = bad >= count ? "there is no such operation" : "an operation waits for earlier ones only";
  throw new EdgeError("ARGUMENTS_INVALID", `"after" names ${bad}: ${why}.`);
}

function notStarted(wrong: readonly Wrong[], count: number): EdgeError {
  return new EdgeError("ARGUMENTS_INVALID", `${wrong.length} of ${count} operations cannot run, so none was started.`, {
    hint: "Correct them and send the whole batch again.",
    details: { jobs: [], errors: wrong.slice(0, MAX_ERRORS_TOLD) },
  });
}
