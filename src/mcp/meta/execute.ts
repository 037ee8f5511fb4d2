/** Runs one catalogue tool, by `*_execute` or by its own name: checked and permitted here, before anything leaves. */
import { actionOfCall } from "../../catalog/classify.ts";
import { EdgeError, type ErrorCode } from "../../errors.ts";
import type { Call } from "../caller.ts";
import type { ExecuteRequest, Execution, Outcome } from "../execution.ts";
import { isRecord } from "../json-rpc.ts";

export interface Wanted {
  readonly tool: string;
  readonly arguments: unknown;
  readonly location: unknown;
  readonly site: unknown;
  readonly repeat?: boolean;
  /** See Asking. */
  readonly whole?: boolean;
}

/** Throws EdgeError for whatever is refused here; otherwise the tool's outcome. */
export function execute(execution: Execution, call: Call, wanted: Wanted): Promise<Outcome> {
  const { args } = admitted(execution, call, wanted.tool, wanted.arguments);
  const location = locationOf(wanted.location);
  const request: ExecuteRequest = {
    tool: wanted.tool,
    arguments: args,
    ...(location === undefined ? {} : { location }),
    ...siteOf(wanted.site),
    ...(wanted.repeat === true ? { repeat: true } : {}),
  };
  const asking = askingOf(call);
  return execution.execute(request, wanted.whole === true ? { ...asking, whole: true } : asking);
}

const DENIALS: readonly ErrorCode[] = ["INSUFFICIENT_SCOPE", "PERMISSION_DENIED"];

/** As the listing judges it; a denial is told for the record. Throws what the listing throws. */
export function admitted(execution: Execution, { caller }: Pick<Call, "caller">, name: string, given: unknown) {
  const { listing, principal } = caller;
  try {
    return listing.admit(name, given);
  } catch (error) {
    const tool = listing.tool(name);
    if (error instanceof EdgeError && tool !== undefined && DENIALS.includes(error.code)) {
      const action = actionOfCall(tool, isRecord(given) ? given : {});
      execution.refused?.(principal, { tool: name, action, error });
    }
    throw error;
  }
}

export function askingOf({ caller, signal, progress }: Call) {
  return { principal: caller.principal, signal, ...(progress === undefined ? {} : { progress }) };
}

/** As the client wrote it: a name, `"*"`, or a list of names. */
export function locationOf(location: unknown): string | readonly string[] | undefined {
  if (location === undefined || location === null || location === "") return undefined;
  if (typeof location === "string") return location;
  if (Array.isArray(location) && location.length > 0 && location.every((name) => typeof name === "string"))
    return location;
  throw new EdgeError("ARGUMENTS_INVALID", '"location" must be an id or name, or a list of them.');
}

export function siteOf(site: unknown): { site?: string } {
  if (site === undefined || site === null || site === "") return {};
  if (typeof site === "string") return { site };
  throw new EdgeError("ARGUMENTS_INVALID", '"site" must be text.');
}
