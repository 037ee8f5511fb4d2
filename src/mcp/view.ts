/** What a client chose on the MCP URL (`?mode=`, `?apps=`, `?readonly=`), over what the operator set (design 3.2). */
import { APPS, type App } from "../catalog/manifest.ts";
import { printable } from "../catalog/printable.ts";
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

const NAMES = ["mode", "apps", "readonly"] as const satisfies readonly (keyof ViewQuery)[];

/**
 * Throws ARGUMENTS_INVALID naming the valid names and values: a mistyped `?readonly=` must not open what it meant to
 * close. Names that resemble none of ours belong to others (`utm_source`) and are passed over.
 */
export function parseView(query: ViewQuery, defaultMode: Mode): View {
  refuseNearNames(query);
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

/** `READONLY`, `read_only`, `readonly[]`, `apps[0]` mean ours, and would be passed over in silence. */
function refuseNearNames(query: ViewQuery): void {
  for (const given of Object.keys(query)) {
    const letters = given.toLowerCase().replace(/[^a-z]/g, "");
    const meant = NAMES.find((name) => name === letters && name !== given);
    if (meant === undefined) continue;
    throw new EdgeError(
      "ARGUMENTS_INVALID",
      `The URL's ?${printable(given, 40)}= is not known; write ?${meant}=. The valid names are ${NAMES.join(", ")}.`,
    );
  }
}

function oneOf<Value extends string>(name: string, given: unknown, values: readonly Value[]): Value {
  const value = values.find((candidate) => candidate === given);
  if (value === undefined) {
    throw new EdgeError("ARGUMENTS_INVALID", `The URL's ?${name}= takes ${values.join(", ")}.`);
  }
  return value;
}
