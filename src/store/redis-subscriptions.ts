/** Subscriptions on a connection of their own, renewed after every reconnection. */
import {
  COMMAND_TIMEOUT_MS,
  connectForSubscriptions,
  type RedisAddress,
  type RedisClient,
  type StoreLog,
  storeUnavailable,
} from "./redis-connection.ts";
import type { Store } from "./store.ts";

/** A subscriber hears nothing when its peer vanished without a word (redis/ioredis#1451), so it asks. */
const LIVENESS_EVERY_MS = 15_000;

interface Listener {
  readonly heard: (message: string) => void;
  readonly missed: (() => void) | undefined;
}

export interface RedisSubscriptions {
  readonly subscribe: Store["subscribe"];
  close(): Promise<void>;
}

export function createRedisSubscriptions(address: RedisAddress, log: StoreLog): RedisSubscriptions {
  const listeners = new Map<string, Set<Listener>>();
  let client: RedisClient | undefined;
  let liveness: NodeJS.Timeout | undefined;

  /** The connection is made for the first subscriber; most short-lived users of a store have none. */
  function connected(): RedisClient {
    if (client !== undefined) return client;
    const fresh = connectForSubscriptions(address);
    client = fresh;
    fresh.on("error", () => undefined); // the command connection tells the same outage to the log
    fresh.on("message", (channel: string, message: string) => {
      for (const { heard } of listeners.get(channel) ?? []) heard(message);
    });
    fresh.on("ready", () => void resubscribe(fresh)); // it handles its own failures
    liveness = setInterval(() => void checkLiveness(fresh), LIVENESS_EVERY_MS).unref(); // likewise
    return fresh;
  }

  async function resubscribe(from: RedisClient): Promise<void> {
    if (listeners.size === 0) return;
    try {
      await from.subscribe(...listeners.keys());
    } catch (error) {
      log.warn(storeUnavailable(error).message);
      from.disconnect(true);
      return;
    }
    for (const each of listeners.values()) for (const { missed } of each) missed?.();
  }

  async function checkLiveness(of: RedisClient): Promise<void> {
    if (of.status !== "ready") return;
    try {
      await of.ping();
    } catch {
      of.disconnect(true);
    }
  }

  async function forget(channel: string, listener: Listener): Promise<void> {
    const left = listeners.get(channel);
    if (left === undefined || !left.delete(listener) || left.size > 0) return;
    listeners.delete(channel);
    // a failure means the connection is gone, and with it the subscription
    await client?.unsubscribe(channel).catch(() => undefined);
  }

  return {
    subscribe: async (channel, heard, missed) => {
      const listener: Listener = { heard, missed };
      const from = connected();
      await untilReady(from);
      const others = listeners.get(channel) ?? new Set();
      listeners.set(channel, others.add(listener));
      try {
        await from.subscribe(channel);
      } catch (error) {
        await forget(channel, listener);
        throw storeUnavailable(error);
      }
      return () => forget(channel, listener);
    },
    close: async () => {
      clearInterval(liveness);
      listeners.clear();
      client?.disconnect();
    },
  };
}

/** Resolves when ready, or after COMMAND_TIMEOUT_MS: the command that follows then says what is wrong. */
function untilReady(client: RedisClient): Promise<void> {
  if (client.status === "ready") return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, COMMAND_TIMEOUT_MS);
  client.once("ready", resolve);
  return promise.finally(() => {
    clearTimeout(timer);
    client.off("ready", resolve);
  });
}
