/** Runs one suite against every kind of store: embedded, a Redis server, and a Redis Cluster of one node. */
import { after, before, describe, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createEmbeddedStore } from "../../src/store/embedded.ts";
import { createRedisStore } from "../../src/store/redis.ts";
import type { Store } from "../../src/store/store.ts";
import { askRedis, type RedisServer, startRedis } from "./redis-server.ts";

export const silentLog = { info: () => undefined, warn: () => undefined };

/** Makes an empty store, closed after the test. */
export type OpenStore = (t: TestContext) => Promise<Store>;

/** `suite` declares its tests twice: for the embedded store and for Redis. */
export function describeOnEveryStore(subject: string, suite: (open: OpenStore) => void): void {
  describe(`${subject}, embedded store`, () => {
    suite(async (t) => {
      const store = createEmbeddedStore({ path: ":memory:", now: Date.now });
      t.after(() => store.close());
      return onOneShard(store);
    });
  });
  describe(`${subject}, Redis`, () => suite(opener(() => startRedis(), false)));
}

/** Slower to start; the store's own suite runs on it, so the records need not. */
export function describeOnCluster(subject: string, suite: (open: OpenStore) => void): void {
  describe(`${subject}, Redis Cluster`, () => suite(opener(startCluster, true)));
}

/** Refuses what a cluster would: a commit or read whose keys carry different hash tags. */
function onOneShard(store: Store): Store {
  const check = (keys: readonly string[]) => {
    const tags = new Set(keys.map((key) => /^ue:\{([^}]+)\}:/.exec(key)?.[1]));
    if (tags.has(undefined) || tags.size > 1) throw new Error(`not one hash tag: ${keys.join(" ")}`);
  };
  return {
    ...store,
    getMany: (keys) => {
      if (keys.length > 0) check(keys);
      return store.getMany(keys);
    },
    commit: (commit) => {
      const named = [...(commit.if ?? []), ...(commit.set ?? []), ...(commit.putFields ?? [])];
      const all = [...named, ...(commit.removeFields ?? [])].map(({ key }) => key).concat(commit.delete ?? []);
      if (all.length > 0) check(all);
      return store.commit(commit);
    },
  };
}

function opener(start: () => Promise<RedisServer>, cluster: boolean): OpenStore {
  let server: RedisServer | undefined;
  before(async () => {
    server = await start();
  });
  after(() => server?.stop());
  return async (t) => {
    if (server === undefined) throw new Error("redis-server was not started");
    await askRedis(server.port, "FLUSHALL");
    const store = createRedisStore({ url: server.url, cluster, log: silentLog });
    t.after(() => store.close());
    return store;
  };
}

/** One node that serves all slots: enough for a commit across two hash tags to be refused. */
async function startCluster(): Promise<RedisServer> {
  const server = await startRedis(["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1"]);
  await askRedis(server.port, "CLUSTER ADDSLOTSRANGE 0 16383");
  while (!(await askRedis(server.port, "CLUSTER INFO")).includes("cluster_state:ok")) {
    await delay(20); // a lone node waits about 2 s before it serves; node:test's timeout bounds this
  }
  return server;
}
