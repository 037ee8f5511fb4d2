/** The light server's health contract. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createHealth } from "../../src/agent/health.ts";
import { serveHealth } from "../../src/agent/health-server.ts";
import type { ConsoleStatus } from "../../src/controller/controller.ts";
import { agentUnderTest } from "./agent-under-test.ts";
import { notesConsole } from "./notes-console.ts";

function healthOf(status: () => Promise<ConsoleStatus>, monotonicNow = () => 0) {
  const place = { network: { ...notesConsole(), status }, defaultSite: "default", address: "192.0.2.1:443" };
  return createHealth({ consoles: new Map([["main", place]]), writesAllowed: false, monotonicNow });
}

test("connected: 200 with controller, site and whether writes are on", async (t) => {
  const { agent } = agentUnderTest(t);

  assert.deepEqual(await agent.health(), {
    status: 200,
    body: { status: "ok", controller: "192.0.2.1:443", site: "default", write_enabled: true },
  });
});

for (const [state, words] of [
  ["not_connected", "not connected: why"],
  ["unreachable", "controller unreachable: why"],
  ["bad_credentials", "bad credentials: why"],
  ["backing_off", "sign-in is backing off: why"],
] as const) {
  test(`${state}: 503 that says so`, async () => {
    const health = healthOf(async () => ({ state, reason: "why" }));

    assert.deepEqual(await health(), { status: 503, body: { status: "error", error: words } });
  });
}

test("a console that throws is unreachable", async () => {
  const health = healthOf(async () => {
    throw new Error("no route");
  });

  assert.deepEqual((await health()).body, { status: "error", error: "controller unreachable: no route" });
});

test("the console is asked once in ten seconds, however many ask at once", async () => {
  let nowMs = 0;
  let asked = 0;
  const health = healthOf(
    async () => {
      asked += 1;
      return { state: "connected", version: "9.1.0" };
    },
    () => nowMs,
  );

  await Promise.all([health(), health()]);
  nowMs = 9_999;
  await health();
  const before = asked;
  nowMs = 10_000;
  await health();

  assert.deepEqual([before, asked], [1, 2]);
});

test("the agent serves GET /health on loopback, and nothing else", async (t) => {
  const server = await serveHealth(
    healthOf(async () => ({ state: "unreachable", reason: "why" })),
    0,
  );
  t.after(() => server.close());

  const health = await fetch(`http://127.0.0.1:${server.port}/health`);
  const other = await fetch(`http://127.0.0.1:${server.port}/`);

  assert.equal(health.status, 503);
  assert.deepEqual(await health.json(), { status: "error", error: "controller unreachable: why" });
  assert.equal(other.status, 404);
});
