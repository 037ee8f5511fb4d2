/** Which confirmation a write needs, and the tokens of previews: minted and spent in the journal, each once. */
import { timingSafeEqual } from "node:crypto";
import { EdgeError } from "../errors.ts";
import type { Tool } from "../tools/tool.ts";
import { mintToken, type RandomBytes } from "./call-id.ts";
import type { Journal } from "./journal.ts";

/** Values of UNIFI_CONFIRM. `default`: what each tool declares (token for deletes and the like, flag for the rest). */
export const CONFIRM_MODES = ["default", "person", "token", "flag", "off"] as const;
export type ConfirmMode = (typeof CONFIRM_MODES)[number];

export type Requirement = "none" | "flag" | "token" | "person";

/** How long a preview's token may be used. */
const TOKEN_TTL_MS = 600_000;
/** How long an unused one is still told as expired rather than unknown. */
const REMEMBER_EXPIRED_MS = 3_600_000;

/** What a write of this tool must bring before it runs. */
export function requirementOf(mode: ConfirmMode, tool: Pick<Tool, "confirm">): Requirement {
  if (mode === "default") return tool.confirm;
  return mode === "off" ? "none" : mode;
}

/** Refuses what only a person may allow: no client can be asked by this version. */
export function refusePerson(tool: string): never {
  throw new EdgeError("POLICY_DENIED", `${tool} needs a person's answer here, and this client cannot be asked.`, {
    hint: "The agent's UNIFI_CONFIRM is `person`. Its operator may set `token` to confirm by a preview's token instead.",
  });
}

/** What a token was made for: a hash of the state seen, by operation index (`""` for a single call). */
export type Seen = Readonly<Record<string, string>>;

export interface TokenRecord {
  readonly seen: Seen;
  /** The call or batch that used it. */
  readonly spentBy: string | undefined;
}

export interface Tokens {
  /** `bound` is the keyed hash of everything that the token allows. */
  mint(bound: Buffer, seen: Seen): string;
  /** Throws CONFIRM_TOKEN_INVALID, saying whether it is unknown, for something else, or expired. */
  check(token: string, bound: Buffer): TokenRecord;
  /** Call within the transaction that starts the work. Throws CONFIRM_TOKEN_INVALID when it was used meanwhile. */
  spend(token: string, by: string): void;
}

export function createTokens(journal: Journal, now: () => number, random: RandomBytes): Tokens {
  const { database } = journal;
  const insert = database.prepare("INSERT INTO tokens (id, bound, seen, expires_ms) VALUES (?, ?, ?, ?)");
  const forget = database.prepare("DELETE FROM tokens WHERE spent_by IS NULL AND expires_ms < ?");
  const select = database.prepare("SELECT bound, seen, expires_ms, spent_by FROM tokens WHERE id = ?");
  const spend = database.prepare("UPDATE tokens SET spent_by = ? WHERE id = ? AND spent_by IS NULL");
  return {
    mint(bound, seen) {
      const token = mintToken(now(), random);
      journal.transaction(() => {
        forget.run(now() - REMEMBER_EXPIRED_MS);
        insert.run(token, bound, JSON.stringify(seen), now() + TOKEN_TTL_MS);
      });
      return token;
    },
    check(token, bound) {
      const row = select.get(token);
      if (row === undefined) throw invalid("is not one that this agent gave");
      // the row is ours, so its columns have the types that mint() wrote
      if (!timingSafeEqual(Buffer.from(row.bound as Uint8Array), bound)) {
        throw invalid("was given for another tool, other arguments, another place or another sign-in");
      }
      const spentBy = row.spent_by === null ? undefined : String(row.spent_by);
      if (spentBy === undefined && Number(row.expires_ms) < now()) {
        throw invalid(`has expired (it holds for ${TOKEN_TTL_MS / 60_000} minutes)`);
      }
      return { seen: JSON.parse(String(row.seen)) as Seen, spentBy };
    },
    spend(token, by) {
      if (spend.run(by, token).changes === 0) throw invalid("was already used");
    },
  };
}

/** CONFIRM_TOKEN_INVALID with what to do about it. */
export function invalid(why: string): EdgeError {
  return new EdgeError("CONFIRM_TOKEN_INVALID", `The confirm_token ${why}. Nothing was changed.`, {
    hint: "Send the call again without confirm_token to see a fresh preview, and use the token that it gives.",
  });
}
