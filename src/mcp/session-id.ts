/**
 * Session ids of the 2025 era: what was agreed at `initialize`, signed. No replica keeps a session, so any accepts it,
 * and it belongs to a person's client: a refreshed token keeps it, and so does a new grant with more rights.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import Type from "typebox";
import { Compile } from "typebox/compile";
import type { Principal } from "../principal.ts";

/** Newest first. */
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
export type LegacyVersion = (typeof LEGACY_VERSIONS)[number];

export interface Session {
  readonly id: string;
  readonly version: LegacyVersion;
  /** Those that the client declared, of CLIENT_CAPABILITIES. */
  readonly capabilities: readonly string[];
}

type Owner = Pick<Principal, "org" | "subject" | "client">;

export interface SessionIds {
  mint(owner: Owner, agreed: Omit<Session, "id">): string;
  /** Undefined for an id that is not ours, or belongs to another person, organisation or client. */
  open(id: string, owner: Owner): Session | undefined;
}

const MAX_ID_LENGTH = 1024;
/** Of the 2025 revisions. Only these are kept, so that an id is never longer than one that we accept. */
const CLIENT_CAPABILITIES = ["roots", "sampling", "elicitation", "tasks", "experimental"];
const NONCE_BYTES = 12;

/** o owner, v version, c capabilities, n makes ids of one owner differ. */
const Payload = Compile(
  Type.Object({
    o: Type.String(),
    v: Type.Enum([...LEGACY_VERSIONS]),
    c: Type.Array(Type.String(), { maxItems: CLIENT_CAPABILITIES.length }),
    n: Type.String(),
  }),
);

/** `secret`: at least 32 bytes, the same on every replica. */
export function createSessionIds(secret: Buffer, random: (bytes: number) => Buffer): SessionIds {
  const sign = (text: string) => createHmac("sha256", secret).update(`mcp-session ${text}`).digest();

  return {
    mint(owner, { version, capabilities }) {
      const payload = {
        o: hashOf(owner),
        v: version,
        c: CLIENT_CAPABILITIES.filter((name) => capabilities.includes(name)),
        n: random(NONCE_BYTES).toString("base64url"),
      };
      const text = Buffer.from(JSON.stringify(payload)).toString("base64url");
      return `${text}.${sign(text).toString("base64url")}`;
    },
    open(id, owner) {
      const [text, signature] = id.length > MAX_ID_LENGTH ? [] : id.split(".");
      if (text === undefined || signature === undefined) return undefined;
      const given = Buffer.from(signature, "base64url");
      const expected = sign(text);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const payload: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
      if (!Payload.Check(payload) || payload.o !== hashOf(owner)) return undefined;
      return { id, version: payload.v, capabilities: payload.c };
    },
  };
}

/** A client's id may be a long URL; the session's has a bound. */
function hashOf({ org, subject, client }: Owner): string {
  return createHash("sha256")
    .update(JSON.stringify([org, subject, client]))
    .digest("base64url");
}
