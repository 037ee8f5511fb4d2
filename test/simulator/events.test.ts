/** The event sockets: who may open one, what is sent, and how it ends. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { at, clientOf, rowsOf, simulator } from "./client.ts";

function openSocket(t: TestContext, console_: Simulator, path: string, cookie: string): WebSocket {
  const socket = new WebSocket(`${console_.url.replace("https", "wss")}${path}`, {
    ca: console_.certificatePem,
    headers: { cookie },
  });
  t.after(() => socket.terminate());
  return socket;
}

async function listening(t: TestContext) {
  const console_ = await simulator(t, { persona: "unifi-os", sites: [{ name: "default" }, { name: "branch" }] });
  const client = clientOf(t, console_);
  await client.login();
  const socket = openSocket(t, console_, "/proxy/network/wss/s/default/events?clients=v2", client.cookieHeader);
  const frames: unknown[] = [];
  const pong = Promise.withResolvers<void>();
  socket.on("message", (data) => {
    const text = String(data);
    if (text === "pong") pong.resolve();
    else if (text !== "") frames.push(JSON.parse(text));
  });
  await once(socket, "open");
  return { console_, client, socket, frames, pong: pong.promise };
}

test("each write is told once, under its key, to the sockets of its site only", async (t) => {
  const { client, socket, frames, pong } = await listening(t);
  const v1 = "/proxy/network/api/s/default";
  const [wlan] = rowsOf(await client.send("GET", `${v1}/rest/wlanconf`));
  const [forward] = rowsOf(await client.send("GET", `${v1}/rest/portforward`));

  await client.send("POST", "/proxy/network/api/s/branch/rest/usergroup", { name: "Elsewhere" });
  await client.send("PUT", `${v1}/rest/wlanconf/${String(wlan?._id)}`, { enabled: false });
  await client.send("DELETE", `${v1}/rest/portforward/${String(forward?._id)}`);
  await client.send("PUT", `${v1}/set/setting/mgmt`, { led_enabled: false });
  await client.send("PUT", `${v1}/rest/wlanconf/unknown`, { enabled: false });
  socket.send("ping");
  await pong;

  assert.deepEqual(
    frames.map((frame) => at(frame, "meta", "message")),
    ["wlanconf:sync", "portforward:delete", "setting:sync"],
  );
  assert.equal(at(frames[0], "data", 0, "enabled"), false);
});

test("a stranger gets 401, an unknown site too, an unknown path 404", async (t) => {
  const console_ = await simulator(t, { persona: "standalone" });
  const client = clientOf(t, console_);
  await client.login();

  const statuses: number[] = [];
  for (const [path, cookie] of [
    ["/wss/s/default/events", ""],
    ["/wss/s/nowhere/events", client.cookieHeader],
    ["/wss/other", client.cookieHeader],
  ] as const) {
    const socket = openSocket(t, console_, path, cookie);
    socket.on("error", () => {});
    const [, response] = await once(socket, "unexpected-response");
    statuses.push(response.statusCode);
  }

  assert.deepEqual(statuses, [401, 401, 404]);
});

test("eventsRefused answers the upgrade with the status it is told", async (t) => {
  const console_ = await simulator(t, { persona: "standalone" });
  const client = clientOf(t, console_);
  await client.login();
  console_.faults.eventsRefused = { hits: 1, status: 503 };

  const socket = openSocket(t, console_, "/wss/s/default/events", client.cookieHeader);
  socket.on("error", () => {});
  const [, response] = await once(socket, "unexpected-response");

  assert.equal(response.statusCode, 503);
});

test("eventsEmptyFrame and eventsDropped strike a socket that was opened: an empty frame, then no goodbye", async (t) => {
  const console_ = await simulator(t, { persona: "unifi-os" });
  const client = clientOf(t, console_);
  await client.login();
  console_.faults.eventsEmptyFrame = { hits: 1 };
  console_.faults.eventsDropped = { hits: 1 };

  const socket = openSocket(t, console_, "/proxy/network/wss/s/default/events", client.cookieHeader);
  const frames: string[] = [];
  socket.on("message", (data) => frames.push(String(data)));
  const [code] = await once(socket, "close");

  assert.deepEqual(frames, [""]);
  assert.equal(code, 1006);
  assert.deepEqual(console_.faults, {});
});

test("a socket ends with its session", async (t) => {
  const { console_, client, socket } = await listening(t);

  const closed = once(socket, "close");
  await client.send("POST", "/api/auth/logout");
  const [code] = await closed;

  assert.equal(code, 1001);
  assert.equal(console_.sockets.size, 0);
});

test("a test can send raw frames and drop every socket", async (t) => {
  const { console_, socket } = await listening(t);

  const empty = once(socket, "message");
  console_.sockets.sendRaw("");
  const [data] = await empty;
  const closed = once(socket, "close");
  console_.sockets.dropAll();
  const [code] = await closed;

  assert.equal(String(data), "");
  assert.equal(code, 1006);
});
