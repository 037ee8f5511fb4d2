/** The link's own rules, on a socket whose buffer a test fills and empties. */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import type { WebSocket } from "ws";
import { decodeChunk } from "../../src/tunnel/codec.ts";
import { LINK_TIMINGS } from "../../src/tunnel/limits.ts";
import { Link, type LinkEnd } from "../../src/tunnel/link.ts";
import { fakeTiming } from "./fake-timing.ts";

/** As much of `ws` as a link uses. Nothing leaves until `flush`. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  readonly sent: (string | Buffer)[] = [];
  closedWith: number | undefined;
  terminated = false;
  #waiting: { bytes: number; done: () => void }[] = [];

  send(message: string | Buffer, done: () => void): void {
    this.sent.push(message);
    this.bufferedAmount += message.length;
    this.#waiting.push({ bytes: message.length, done });
  }

  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { bytes, done } of waiting) {
      this.bufferedAmount -= bytes;
      done();
    }
  }

  close(code: number): void {
    this.closedWith = code;
    this.readyState = 2;
  }

  terminate(): void {
    this.terminated = true;
    this.readyState = 3;
    this.emit("close", 1006, Buffer.alloc(0));
  }
}

function openLink() {
  const socket = new FakeSocket();
  const timing = fakeTiming();
  const ends: LinkEnd[] = [];
  const link = new Link({
    socket: socket as unknown as WebSocket, // as much of it as a link uses
    peer: "agent",
    timing,
    timings: LINK_TIMINGS,
    random: () => 0.5,
    frame: () => undefined,
    chunk: () => undefined,
    ended: (end) => ends.push(end),
  });
  return { socket, timing, ends, link };
}

const body = (size: number) => ({ type: "json", isError: false, body: Buffer.alloc(size) }) as const;

/** Streams of the chunks that were sent, in order. */
function streams(socket: FakeSocket): number[] {
  return socket.sent.flatMap((message) => (typeof message === "string" ? [] : (decodeChunk(message)?.stream ?? [])));
}

test("bodies take turns on a narrow way, and a frame overtakes them all", () => {
  const { socket, link } = openLink();

  link.sendBody(1, body(1_000_000));
  link.sendBody(2, body(100_000), "header of 2");
  link.send("control");
  const beforeAnyFlush = socket.sent.length;
  for (let round = 0; round < 20; round += 1) socket.flush();

  assert.deepEqual(socket.sent[beforeAnyFlush - 1], "control");
  assert.ok(beforeAnyFlush < 8, "the whole body went into the socket's buffer");
  const order = streams(socket);
  assert.equal(order.filter((stream) => stream === 1).length, 16);
  assert.equal(order.filter((stream) => stream === 2).length, 2);
  assert.ok(order.lastIndexOf(2) < order.lastIndexOf(1) - 5, "the small body waited for the large one");
  assert.ok(socket.sent.indexOf("header of 2") > 1);
});

test("a frame that would overfill the socket's buffer is refused and surely not sent", () => {
  const { socket, link, ends } = openLink();
  socket.bufferedAmount = 4 * 1024 * 1024 - 3;

  const sent = link.send("four");

  assert.equal(sent, false);
  assert.deepEqual(socket.sent, []);
  assert.deepEqual(ends, []);
  link.mustSend("four");
  assert.equal(socket.terminated, true);
  assert.equal(ends.length, 1);
});

test("a peer that takes no byte for 30 s is terminated", () => {
  const { socket, link, timing, ends } = openLink();

  link.send("waits");
  timing.advance(25_000);
  const patient = ends.length === 0;
  timing.advance(5_000);

  assert.equal(patient, true);
  assert.equal(socket.terminated, true);
  assert.deepEqual(ends, [{ code: 1006, reason: "the peer takes no bytes" }]);
  assert.deepEqual(timing.waiting(), []);
});

test("a peer that takes bytes slowly is not stuck", () => {
  const { socket, link, timing, ends } = openLink();

  for (let round = 0; round < 6; round += 1) {
    link.send("again");
    timing.advance(20_000);
    socket.flush();
    socket.emit("message", Buffer.from('{"t":"hb.ack","at":1}'), false);
  }

  assert.deepEqual(ends, []);
});

test("more than 64 MiB of waiting bodies end the link", () => {
  const { socket, link, ends } = openLink();
  const large = body(8 * 1024 * 1024);

  for (let stream = 1; stream <= 9; stream += 1) link.sendBody(stream, large);

  assert.equal(socket.terminated, true);
  assert.equal(ends.length, 1);
});

test("end() is final at once; a peer that does not answer has its socket destroyed after a second", () => {
  const { socket, link, timing, ends } = openLink();

  link.end(4403, "revoked");
  const endedAtOnce = [...ends];
  const mayStillSend = link.send("more");
  timing.advance(1_000);

  assert.deepEqual(endedAtOnce, [{ code: 4403, reason: "revoked" }]);
  assert.equal(mayStillSend, false);
  assert.equal(socket.closedWith, 4403);
  assert.equal(socket.terminated, true);
  assert.equal(ends.length, 1);
  assert.deepEqual(timing.waiting(), []);
});

test("heartbeats are spread by 10 % either way", () => {
  const gaps = [0, 0.5, 1].map((random) => {
    const socket = new FakeSocket();
    const timing = fakeTiming(0);
    const link = new Link({
      socket: socket as unknown as WebSocket, // as much of it as a link uses
      peer: "gateway",
      timing,
      timings: { heartbeatMs: 20_000, deadMs: 45_000, stuckMs: 30_000, lookMs: 100 },
      random: () => random,
      frame: () => undefined,
      chunk: () => undefined,
      ended: () => undefined,
    });
    while (socket.sent.length === 0) timing.advance(100);
    link.terminate("done");
    return timing.now();
  });

  assert.deepEqual(gaps, [18_000, 20_000, 22_000]);
});

test("messages of one turn of the event loop leave in one write", async () => {
  const steps: string[] = [];
  const socket = new FakeSocket();
  const link = new Link({
    socket: socket as unknown as WebSocket, // as much of it as a link uses
    stream: { cork: () => steps.push("cork"), uncork: () => steps.push(`uncork after ${socket.sent.length}`) },
    peer: "agent",
    timing: fakeTiming(),
    timings: LINK_TIMINGS,
    random: () => 0.5,
    frame: () => undefined,
    chunk: () => undefined,
    ended: () => undefined,
  });

  link.send("one");
  link.sendBody(1, body(10));
  await new Promise(setImmediate);
  link.send("of the next turn");
  await new Promise(setImmediate);

  assert.deepEqual(steps, ["cork", "uncork after 2", "cork", "uncork after 3"]);
});
