/** The administration socket: private, one gateway at a time, and stale ones are no obstacle. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { link, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Fastify from "fastify";
import { Client } from "undici";
import { listenOnSocket } from "../../src/admin/socket.ts";

function socketPath(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "unifi-edge-admin-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "deeper", "admin.sock");
}

function helloApp(t: TestContext) {
  const app = Fastify();
  app.get("/", async () => "hello");
  t.after(() => app.close());
  return app;
}

test("the socket answers its owner only, and is gone after closing", async (t) => {
  const path = socketPath(t);
  const app = helloApp(t);

  await listenOnSocket(app, path);
  const client = new Client("http://localhost", { socketPath: path });
  const { body } = await client.request({ path: "/", method: "GET" });
  const text = await body.text();
  const mode = statSync(path).mode & 0o777;
  await client.close();
  await app.close();

  assert.equal(text, "hello");
  assert.equal(mode, 0o600);
  assert.equal(existsSync(path), false);
});

test("a second gateway is refused while the first answers", async (t) => {
  const path = socketPath(t);
  await listenOnSocket(helloApp(t), path);

  await assert.rejects(listenOnSocket(helloApp(t), path), {
    code: "CONFIG_INVALID",
    message: /Another gateway is running/,
  });
});

test("what a killed gateway left behind is replaced", async (t) => {
  const path = socketPath(t);
  const first = helloApp(t);
  await listenOnSocket(first, path);
  // a server that is closed without removing its path, as after SIGKILL
  await first.close();
  await leaveStaleSocket(path);

  const second = helloApp(t);
  await listenOnSocket(second, path);

  assert.equal(second.server.listening, true);
});

test("a file of another kind is left alone", async (t) => {
  const path = join(mkdtempSync(join(tmpdir(), "unifi-edge-admin-")), "admin.sock");
  t.after(() => rmSync(join(path, ".."), { recursive: true, force: true }));
  writeFileSync(path, "precious");

  await assert.rejects(listenOnSocket(helloApp(t), path), { code: "CONFIG_INVALID", message: /another kind/ });

  assert.equal(existsSync(path), true);
});

test("a path that no unix socket can have is refused in words", async (t) => {
  await assert.rejects(listenOnSocket(helloApp(t), `/tmp/${"x".repeat(120)}/admin.sock`), {
    code: "CONFIG_INVALID",
    message: /longer than 103 bytes/,
  });
});

/** A socket file that nobody listens on: the listener is renamed away, so that closing it removes nothing. */
async function leaveStaleSocket(path: string): Promise<void> {
  const server = createServer();
  const ready = Promise.withResolvers<void>();
  server.listen(`${path}.live`, ready.resolve);
  await ready.promise;
  await link(`${path}.live`, path);
  const closed = Promise.withResolvers<void>();
  server.close(() => closed.resolve());
  await closed.promise;
  await rm(`${path}.live`, { force: true });
}
