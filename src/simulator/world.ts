/** The console's one state, which the v1, v2 and integration views and the event sockets all show. */
import { createHash } from "node:crypto";
import type { Row } from "./exchange.ts";
import type { Site } from "./site.ts";

export type { Site } from "./site.ts";

export const PERSONAS = ["unifi-os", "standalone"] as const;
export type Persona = (typeof PERSONAS)[number];

export interface World {
  /** Name of the console, seen in stat/sysinfo. */
  readonly name: string;
  readonly persona: Persona;
  /** Version of the Network application, `10.0.162`. */
  readonly networkVersion: string;
  readonly uuid: string;
  /** Paths below the persona's prefix that this console does not know. */
  readonly lacks: readonly RegExp[];
  /** By short name, in the order they were made. */
  readonly sites: Map<string, Site>;
  /** Unix milliseconds at which the application started. */
  readonly startedAtMs: number;
  readonly now: () => number;
  /** A fresh 24-hex object id. */
  readonly newId: () => string;
}

export function nowSeconds(world: World): number {
  return Math.floor(world.now() / 1000);
}

/** 24 hex digits that are the same for the same words: ids stay put between runs. */
export function idOf(...words: readonly (string | number)[]): string {
  return createHash("sha256").update(words.join(":")).digest("hex").slice(0, 24);
}

/** The UUID under which the integration API shows a v1 object. */
export function uuidOf(...words: readonly (string | number)[]): string {
  const hex = createHash("sha256")
    .update(`uuid:${words.join(":")}`)
    .digest("hex");
  const variant = "89ab"[Number.parseInt(hex[16] ?? "0", 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Rows of a body field that should be a list of texts. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
