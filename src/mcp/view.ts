/** What a client chose on the MCP URL (`?mode=`, `?apps=`, `?readonly=`), over what the operator set (design 3.2). */
import { APPS, type App } from "../catalog/manifest.ts";
import { EdgeError } from "../errors.ts";

export const MODES = ["lazy", "eager", "meta_only"] as const;
export type Mode = (typeof MODES)[number];

export interface View {
  readonly mode: Mode;
  /** Undefined = all. */
  readonly apps: readonly App[] | undefined;
  readonly readonly: boolean;
}

/** As the HTTP layer parsed the URL: a name given twice is a list, which no rule accepts. */
export interface ViewQuery {
  readonly mode?: unknown;
  /** Comma-separated. */
  readonly apps?: unknown;
  readonly readonly?: unknown;
}

/** Throws ARGUMENTS_INVALID naming the valid values: a mistyped `?readonly=` must not open what it meant to close. */
export function parseView(query: ViewQuery, defaultMode: Mode): View {
  return {
    mode: query.mode === undefined ? defaultMode : oneOf("mode", query.mode, MODES),
    apps:
      query.apps === undefined
        ? undefined
        : String(query.apps)
            .split(",")
            .map((app) => oneOf("apps", app.trim(), APPS)),
    readonly: query.readonly !== undefined && oneOf("readonly", query.readonly, ["true", "false"]) === "true",
  };
}

function oneOf<Value extends string>(name: string, given: unknown, values: readonly Value[]): Value {
  const value = values.find((candidate) => candidate === given);
  if (value === undefined) {
    throw new EdgeError("ARGUMENTS_INVALID", `The URL's ?${name}= takes ${values.join(", ")}.`);
  }
  return value;
}
