/** Runs one catalogue tool, by `*_execute` or by its own name: checked and permitted here, before anything leaves. */
import { EdgeError } from "../../errors.ts";
import type { Call } from "../caller.ts";
import type { ExecuteRequest, Execution, Outcome } from "../execution.ts";

export interface Wanted {
  readonly tool: string;
  readonly arguments: unknown;
  readonly location: unknown;
  readonly site: unknown;
  readonly repeat?: boolean;
}

/** Throws EdgeError for whatever is refused here; otherwise the tool's outcome. */
export function execute(execution: Execution, call: Call, wanted: Wanted): Promise<Outcome> {
  const { args } = call.caller.listing.admit(wanted.tool, wanted.arguments);
  const location = locationOf(wanted.location);
  const request: ExecuteRequest = {
    tool: wanted.tool,
    arguments: args,
    ...(location === undefined ? {} : { location }),
    ...siteOf(wanted.site),
    ...(wanted.repeat === true ? { repeat: true } : {}),
  };
  return execution.execute(request, askingOf(call));
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
