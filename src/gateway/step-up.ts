/**
 * Whether a 403 that asks for more scope can still help. Clients of the older SDK answer it by refreshing their token and
 * give up without showing our words when that brings no more; they get the refusal as the tool's answer instead.
 */
import { hash } from "node:crypto";
import type { Principal } from "../principal.ts";

/** A client that refreshes does so at once; after this a challenge starts anew. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

interface Challenged {
  /** Hash of the token that was challenged. */
  readonly token: string;
  readonly atMs: number;
}

/** Call it before each challenge, with the request's bearer token. */
export type MayChallenge = (principal: Pick<Principal, "grant" | "client">, bearer: string) => boolean;

export function createStepUp(now: () => number): MayChallenge {
  const challenged = new Map<string, Challenged>();

  return ({ grant, client }, bearer) => {
    // nobody can be asked: its owner has to issue another one
    if (client === "pat") return false;
    const token = hash("sha256", bearer, "base64url");
    const known = challenged.get(grant);
    if (known !== undefined && known.token !== token && now() - known.atMs < REMEMBERED_MS) return false;
    challenged.delete(grant);
    challenged.set(grant, { token, atMs: now() });
    const [oldest] = challenged.keys();
    if (challenged.size > MAX_REMEMBERED && oldest !== undefined) challenged.delete(oldest);
    return true;
  };
}
