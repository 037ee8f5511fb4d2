/** The store: one small interface, made by redis.ts (many replicas) or embedded.ts (one process). Records build on it. */

/** Holds for a key, or for one field of a map, at the moment of the commit. */
export type Condition =
  | { readonly key: string; readonly field?: string; readonly is: "absent" | "present" }
  | { readonly key: string; readonly field?: string; readonly equals: string };

/**
 * One atomic step. Every key of a commit carries the same hash tag (`ue:{org}:…`), so it is one Lua script on Redis
 * Cluster too. Values and fields are absolute (never increments): running the same commit twice is harmless, since
 * a reply may be lost. Effects run in this order: delete, set, removeFields, putFields (so that a key that is deleted
 * and put is replaced). A key is either a value or a map, for all its life.
 */
export interface Commit {
  readonly if?: readonly Condition[];
  readonly set?: readonly { readonly key: string; readonly value: string; readonly ttlMs?: number }[];
  readonly delete?: readonly string[];
  readonly putFields?: readonly {
    readonly key: string;
    readonly fields: Readonly<Record<string, string>>;
    /** Applies to the whole map; absent leaves its present TTL. */
    readonly ttlMs?: number;
  }[];
  readonly removeFields?: readonly { readonly key: string; readonly fields: readonly string[] }[];
}

export interface Store {
  /** `redis` or `embedded`, for words only. */
  readonly kind: "redis" | "embedded";
  get(key: string): Promise<string | undefined>;
  /** In the order asked; one round trip. All keys of one hash tag. */
  getMany(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** One field of a map. */
  getField(key: string, field: string): Promise<string | undefined>;
  /** All fields of a map; empty when absent. */
  getMap(key: string): Promise<ReadonlyMap<string, string>>;
  /** Applies all or nothing; false = a condition did not hold and nothing changed. Throws STORE_UNAVAILABLE. */
  commit(commit: Commit): Promise<boolean>;
  /** A hint to other replicas: may be lost, so every reader has a poll behind it. */
  publish(channel: string, message: string): Promise<void>;
  /**
   * Returns the unsubscriber. `listener` also runs in the publishing process. `missed` runs after the connection was
   * lost and subscribed anew: messages may have been lost in between, so read what they would have told.
   */
  subscribe(channel: string, listener: (message: string) => void, missed?: () => void): Promise<() => Promise<void>>;
  /** Throws STORE_UNAVAILABLE with the reason in words. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
