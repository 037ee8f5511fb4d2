/** The store of many replicas: Redis 7.0 or later, or Valkey; single, behind Sentinel, or a cluster. */
import type { EdgeError } from "../errors.ts";
import { COMMIT_SCRIPT, COMMIT_SHA1, encodeCommit } from "./redis-commit.ts";
import {
  COMMAND_TIMEOUT_MS,
  connectForCommands,
  type RedisAddress,
  type RedisClient,
  type StoreLog,
  storeUnavailable,
} from "./redis-connection.ts";
import { createRedisSubscriptions } from "./redis-subscriptions.ts";
import type { Store } from "./store.ts";

export interface RedisStoreOptions extends RedisAddress {
  readonly log: StoreLog;
}

/**
 * Connects in the background: the first commands wait for it, at most COMMAND_TIMEOUT_MS; once it was connected, a
 * lost connection fails them at once. A command that timed out may still have run: commits are absolute, so running
 * one again is harmless (see Commit).
 */
export function createRedisStore({ log, ...address }: RedisStoreOptions): Store {
  const client = connectForCommands(address);
  const watch = watchConnection(client, log);
  const subscriptions = createRedisSubscriptions(address, log);

  async function run<Reply>(command: () => Promise<Reply>): Promise<Reply> {
    await watch.connectedOnce;
    try {
      return await command();
    } catch (error) {
      throw watch.unavailable(error);
    }
  }

  return {
    kind: "redis",
    get: async (key) => (await run(() => client.get(key))) ?? undefined,
    getMany: async (keys) => {
      if (keys.length === 0) return [];
      return (await run(() => client.mget([...keys]))).map((value) => value ?? undefined);
    },
    getField: async (key, field) => (await run(() => client.hget(key, field))) ?? undefined,
    getMap: async (key) => new Map(Object.entries(await run(() => client.hgetall(key)))),
    commit: async (commit) => {
      const { keys, words } = encodeCommit(commit);
      if (keys.length === 0) return true;
      return (await run(() => runScript(client, keys, words))) === 1;
    },
    publish: async (channel, message) => {
      await run(() => client.publish(channel, message));
    },
    subscribe: (channel, listener, missed) => subscriptions.subscribe(channel, listener, missed),
    ping: async () => {
      await run(() => client.ping());
    },
    close: async () => {
      watch.end();
      await subscriptions.close();
      client.disconnect();
    },
  };
}

/** By digest; a Redis that restarted or failed over has forgotten the script and gets its text once more. */
async function runScript(client: RedisClient, keys: readonly string[], words: readonly string[]): Promise<unknown> {
  try {
    return await client.evalsha(COMMIT_SHA1, keys.length, ...keys, ...words);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
    return client.eval(COMMIT_SCRIPT, keys.length, ...keys, ...words);
  }
}

interface ConnectionWatch {
  /** Resolves at the first `ready`, or after COMMAND_TIMEOUT_MS without one; never rejects. */
  readonly connectedOnce: Promise<void>;
  unavailable(thrown: unknown): EdgeError;
  end(): void;
}

/** Follows a client's state: told to the log when it changes, not at every attempt. */
function watchConnection(client: RedisClient, log: StoreLog): ConnectionWatch {
  let lastError: Error | undefined;
  let told = false;
  let ended = false;
  const first = Promise.withResolvers<void>();
  const patience = setTimeout(first.resolve, COMMAND_TIMEOUT_MS);

  client.on("ready", () => {
    clearTimeout(patience);
    first.resolve();
    if (told) log.info("The store is back: connected to Redis.");
    told = false;
    lastError = undefined;
  });
  client.on("error", (error: Error) => {
    lastError = error;
  });
  client.on("close", () => {
    if (told || ended) return;
    told = true;
    log.warn(storeUnavailable(lastError ?? new Error("Connection is closed.")).message);
  });

  return {
    connectedOnce: first.promise,
    unavailable: (thrown) => storeUnavailable(thrown, client.status === "ready" ? undefined : lastError),
    end: () => {
      ended = true;
      clearTimeout(patience);
      first.resolve();
    },
  };
}
