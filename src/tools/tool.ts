/** The shape of a tool: one object. Parsing, gates, preview, journal, read-back, redaction and errors happen around it. */
import { type Static, type TObject, type TProperties, Type } from "typebox";
import type { App, Confirmation, ToolAnnotations } from "../catalog/manifest.ts";
import type { HttpMethod, NetworkConsole, NetworkSite, Row } from "../controller/controller.ts";
import type { Action } from "../principal.ts";

/** What a tool may use during one call. */
export interface ToolContext {
  readonly network: NetworkSite;
  /** The console behind the site, for tools that speak of all sites. */
  readonly networkConsole: NetworkConsole;
  readonly signal: AbortSignal;
  /** Unix milliseconds. */
  now(): number;
  progress(done: number, total?: number, note?: string): void;
}

/** What a read answers: named lists and fields at top level; `success` and `location` are added around it. */
export type Payload = { readonly [field: string]: unknown };

/**
 * What a write would do, after asking the console: shown as the preview, and run as it stands once confirmed.
 * `current` and `proposed` hold only the keys that change (update) or the whole object (create: proposed only;
 * delete: current only).
 */
export interface Plan {
  readonly action: "create" | "update" | "delete" | "toggle" | "command";
  readonly resourceType: string;
  readonly resourceId?: string;
  readonly resourceName?: string;
  readonly current?: Row;
  readonly proposed?: Row;
  /** Our own sentences; never text or secrets of the console. */
  readonly warnings?: readonly string[];
  /** Nothing would change: the write is not sent and the answer says so. */
  readonly unchanged?: boolean;
  /** Keys of `proposed` that the console never shows again, so the read-back cannot judge them. */
  readonly unverifiable?: readonly string[];
  /** Sends the write, one attempt. Returns fields for the answer (e.g. the created object's id). */
  apply(): Promise<Payload>;
  /**
   * The object as the console now has it; undefined = it is gone. Compared with `proposed` field by field
   * (persisted, dropped, coerced). `applied` is what apply() returned. Absent where nothing can be read back.
   */
  readBack?(applied: Payload): Promise<Row | undefined>;
}

/** `METHOD /path` as the api-reference writes it, with `{site}` and `{id}` for what varies. */
export type Endpoint = `${HttpMethod} /${string}`;

/** What all tools say of themselves, whether declared by hand or by resource.ts. */
export interface ToolWords {
  readonly name: string;
  readonly title: string;
  /** One line for the compact index: 50 bytes on average, at most 100. */
  readonly summary: string;
  /** For a model that must choose among 280: what it does and when to use it rather than its neighbour. */
  readonly description: string;
  /** A few short ways in which a person asks for it, in other words than its own; searched, never sent. */
  readonly asks?: readonly string[];
}

interface ToolFacts extends ToolWords {
  readonly app: App;
  /** Module name of the reference catalogue. */
  readonly category: string;
  readonly permission: { readonly category: string; readonly action: Action };
  /** The payload's named fields and rows; `success` etc. are added. */
  readonly output: TProperties;
  /** Endpoints that it only reads, and those through which it changes something (src/tools/writes.ts). */
  readonly reads: readonly Endpoint[];
  readonly writes?: readonly Endpoint[];
  readonly aliases?: Readonly<Record<string, string>>;
  /** Arguments that hold a MAC address, normalised before `run`. */
  readonly macs?: readonly string[];
  /** Where the action depends on an argument's value (`unifi_api_call`). */
  readonly classedBy?: { readonly argument: string; readonly read: readonly string[] };
}

/** What an author writes: reads have `run`, writes have `plan`, and a tool classed by an argument has both. */
export interface ToolDeclaration<Input extends TProperties> extends ToolFacts {
  /** Overrides of what the action implies; see ANNOTATIONS_OF_ACTION. */
  readonly annotations?: Partial<ToolAnnotations>;
  /** Default: `none` for read, `token` for delete and destructive, `flag` for the rest (design 5). */
  readonly confirm?: Confirmation;
  readonly input: Input;
  run?(context: ToolContext, args: Static<TObject<Input>>): Promise<Payload>;
  plan?(context: ToolContext, args: Static<TObject<Input>>): Promise<Plan>;
}

/** A declared tool; `run` answers reads, `plan` prepares writes (an api_call has both, chosen by its class). */
export interface Tool extends ToolFacts {
  readonly annotations: ToolAnnotations;
  readonly confirm: Confirmation;
  readonly input: TObject;
  readonly run?: (context: ToolContext, args: Row) => Promise<Payload>;
  readonly plan?: (context: ToolContext, args: Row) => Promise<Plan>;
}

/** The four hints that an action implies; a tool overrides where one differs, so they cannot disagree by accident. */
const ANNOTATIONS_OF_ACTION: Readonly<Record<Action, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  update: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  delete: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
};

/** Asked of every tool that can write; the agent reads them and the tool never sees them. */
const CONFIRMATION_ARGUMENTS = {
  confirm: Type.Optional(Type.Boolean({ description: "true runs it; otherwise a preview is shown", default: false })),
  confirm_token: Type.Optional(
    Type.String({ description: "confirm_token of the preview, where it gave one", maxLength: 200 }),
  ),
} satisfies TProperties;

/**
 * Declares a tool. Generic over the properties and not over the schema: the compiler's work stays linear.
 * Writes get optional `confirm` and `confirm_token` arguments, and `additionalProperties: false` is added to all.
 */
export function defineTool<Input extends TProperties>(declaration: ToolDeclaration<Input>): Tool {
  const { input, annotations: overrides, confirm, ...facts } = declaration;
  const annotations = { ...ANNOTATIONS_OF_ACTION[facts.permission.action], ...overrides };
  return {
    ...facts,
    annotations,
    confirm: confirm ?? confirmationOf(annotations),
    input: Type.Object(facts.plan === undefined ? input : { ...input, ...CONFIRMATION_ARGUMENTS }, {
      additionalProperties: false,
    }),
    // run and plan receive arguments that the schema above has checked, which no type can say here
  } as unknown as Tool;
}

function confirmationOf(annotations: ToolAnnotations): Confirmation {
  if (annotations.readOnlyHint) return "none";
  return annotations.destructiveHint ? "token" : "flag";
}
