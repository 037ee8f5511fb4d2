/** The shape of `tools_manifest.json`: the one source of lists, index, api-reference and documentation (design 2). */
import type { Action } from "../principal.ts";

export const APPS = ["network", "protect", "access"] as const;
export type App = (typeof APPS)[number];

/** Prefix of an app's tools and meta-tools. */
export const PREFIX_OF_APP: Readonly<Record<App, string>> = { network: "unifi", protect: "protect", access: "access" };

export type JsonSchema = { readonly [keyword: string]: unknown };

/** The named properties of an object's schema; none for any other. */
export function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
}

export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** How a write wants to be confirmed by default (design 5); reads are `none`. */
export type Confirmation = "none" | "flag" | "token";

export interface ManifestTool {
  readonly name: string;
  readonly title: string;
  /** One line for the compact index: 50 bytes on average, at most 100. */
  readonly summary: string;
  /** For a model that must choose among 280: what it does and when to use it rather than its neighbour. */
  readonly description: string;
  /** Ways in which people ask for it, in other words than its own; searched, never sent to a client. */
  readonly asks?: readonly string[];
  readonly app: App;
  /** Module name of the reference catalogue; the index filters by it. */
  readonly category: string;
  /** Gate key, lower case (e.g. `port_forwards`); the agent's UNIFI_POLICY_* variables are named after it. */
  readonly permission_category: string;
  readonly permission_action: Action;
  /** Set where the action depends on an argument: `read` when the argument's upper-case value is listed. */
  readonly classed_by?: { readonly argument: string; readonly read: readonly string[] };
  readonly annotations: ToolAnnotations;
  readonly confirm: Confirmation;
  /** Spellings that models try, mapped to the declared argument name. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Arguments that hold a MAC address: any case or punctuation is brought to `aa:bb:cc:dd:ee:ff`. */
  readonly macs?: readonly string[];
  readonly schema: { readonly input: JsonSchema; readonly output: JsonSchema };
}

/** One endpoint of the api-reference resource (design 3.3). */
export interface ReferenceEndpoint {
  readonly method: string;
  readonly path: string;
  readonly purpose: string;
  /** Query options, and examples of request and answer, in one line each. */
  readonly query?: string;
  readonly body?: string;
  readonly answer?: string;
  readonly tools: readonly string[];
}

export interface Manifest {
  readonly format: 1;
  readonly generated_by: string;
  readonly count: number;
  readonly reference: { readonly network: readonly ReferenceEndpoint[] };
  readonly tools: readonly ManifestTool[];
}
