/** What only the store on Redis promises: outages told in words and in time, and recovery by itself. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createRedisStore } from "../../src/store/redis.ts";
import { storeUnavailable } from "../../src/store/redis-connection.ts";
import { askRedis, startRedis } from "../support/redis-server.ts";
import { silentLog } from "../support/stores.ts";

const SET = { set: [{ key: "ue:{a}:k", value: "v" }] };

async function open(t: TestContext) {
  const server = await startRedis();
  const said: string[] = [];
  const store = createRedisStore({ url: server.url, log: { info: (m) => said.push(m), warn: (m) => said.push(m) } });
  t.after(() => server.stop());
  t.after(() => store.close());
  return { server, store, said };
}

test("a killed server is STORE_UNAVAILABLE in words, and commits work again after its restart", async (t) => {
  const { server, store, said } = await open(t);
  await store.commit(SET);

  await server.signal("SIGKILL");
  await assert.rejects(store.commit(SET), { code: "STORE_UNAVAILABLE", message: /Redis (is not connected|refuses)/ });
  await server.restart();
  while (!(await store.commit(SET).catch(() => false))) await delay(20);

  assert.equal(await store.get("ue:{a}:k"), "v");
  assert.equal(said.length, 2);
  assert.match(said[0] ?? "", /The store is unavailable: Redis/);
  assert.match(said[1] ?? "", /is back/);
});

test("a frozen server is STORE_UNAVAILABLE once the command timeout is over", async (t) => {
  const { server, store } = await open(t);
  await store.ping();

  await server.signal("SIGSTOP");
  t.after(() => server.signal("SIGCONT"));

  await assert.rejects(store.commit(SET), { code: "STORE_UNAVAILABLE", message: /did not answer within 1 s/ });
});

test("a command in flight when its connection breaks ends as STORE_UNAVAILABLE", async (t) => {
  const { server, store } = await open(t);
  await store.ping();
  await server.signal("SIGSTOP");

  const inFlight = store.get("ue:{a}:k");
  const ended = assert.rejects(inFlight, { code: "STORE_UNAVAILABLE" });
  await server.signal("SIGKILL");

  await ended;
});

test("a server that was never there is told as such", async (t) => {
  const nobody = createServer().listen(0, "127.0.0.1");
  await once(nobody, "listening");
  const address = nobody.address();
  assert.ok(address !== null && typeof address === "object");
  nobody.close();
  const store = createRedisStore({ url: `redis://:secret@127.0.0.1:${address.port}`, log: silentLog });
  t.after(() => store.close());

  const refused = await store.ping().catch((error: Error) => error.message);

  assert.equal(refused, "The store is unavailable: Redis refuses connections (is it running?).");
});

test("a wrong password is told without the password", async (t) => {
  const server = await startRedis(["--requirepass", "right"]);
  t.after(() => server.stop());
  const store = createRedisStore({ url: server.url.replace("//", "//:wrong@"), log: silentLog });
  t.after(() => store.close());

  const refused = await store.ping().catch((error: Error) => error.message);

  assert.equal(refused, "The store is unavailable: Redis refused the user or password of its URL.");
});

test("a script that the server forgot is sent once more", async (t) => {
  const { server, store } = await open(t);
  await store.commit(SET);

  await askRedis(server.port, "SCRIPT FLUSH");

  assert.equal(await store.commit({ if: [{ key: "ue:{a}:k", equals: "v" }], delete: ["ue:{a}:k"] }), true);
});

test("lifetimes are given to Redis in milliseconds", async (t) => {
  const { server, store } = await open(t);

  await store.commit({
    set: [{ key: "ue:{a}:k", value: "v", ttlMs: 90_000 }],
    putFields: [{ key: "ue:{a}:m", fields: { f: "1" }, ttlMs: 90_000.5 }],
  });

  for (const key of ["ue:{a}:k", "ue:{a}:m"]) {
    const left = Number((await askRedis(server.port, `PTTL ${key}`)).slice(1));
    assert.ok(left > 60_000 && left <= 90_001, `${key}: ${left}`);
  }
});

test("after a lost subscription the subscriber is told that it may have missed something, and hears again", async (t) => {
  const { server, store } = await open(t);
  const heard = Promise.withResolvers<string>();
  const missed = Promise.withResolvers<void>();
  await store.subscribe("ue:{_}:news", heard.resolve, missed.resolve);

  await askRedis(server.port, "CLIENT KILL TYPE pubsub");
  await missed.promise;
  await store.publish("ue:{_}:news", "again");

  assert.equal(await heard.promise, "again");
});

test("behind Sentinel the present primary is found and used, with the password of the URL", async (t) => {
  const primary = await startRedis(["--requirepass", "right"]);
  t.after(() => primary.stop());
  const watching = `sentinel monitor edge 127.0.0.1 ${primary.port} 1\nsentinel auth-pass edge right\n`;
  const sentinel = await startRedis(["--sentinel"], watching);
  t.after(() => sentinel.stop());
  const nodes = [{ host: "127.0.0.1", port: sentinel.port }];
  const store = createRedisStore({ url: "redis://:right@edge", sentinels: { primary: "edge", nodes }, log: silentLog });
  t.after(() => store.close());

  await store.commit(SET);

  assert.equal(await store.get("ue:{a}:k"), "v");
});

test("a cluster that is configured as a single server is told as such", () => {
  const told = storeUnavailable(new Error("CROSSSLOT Keys in request don't hash to the same slot"));

  assert.match(told.message, /is a cluster, but is configured here as a single server/);
});
