/** The administrative commands as an operator types them, against an API on a socket. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import Fastify from "fastify";
import { buildAdminApi } from "../../src/admin/api.ts";
import { listenOnSocket } from "../../src/admin/socket.ts";
import { createEmbeddedStore } from "../../src/store/embedded.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/unifi-edge.js", import.meta.url));

function socketPath(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "unifi-edge-cli-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "admin.sock");
}

async function startAdmin(t: TestContext) {
  const path = socketPath(t);
  const store = createEmbeddedStore({ path: ":memory:", now: Date.now });
  const revoked: string[] = [];
  const app = buildAdminApi({
    store,
    publicUrl: "https://edge.example.com",
    version: "1.2.3",
    random: randomBytes,
    now: Date.now,
    audit: { record: () => undefined },
    log: Fastify().log,
    revokeGrant: async (grant) => void revoked.push(grant),
    agentsConnected: () => 0,
  });
  await listenOnSocket(app, path);
  t.after(async () => {
    await app.close();
    await store.close();
  });
  return { path, revoked, run: (line: string, input = "") => run(path, line, input) };
}

/** Runs one command; words are split at spaces. */
async function run(socket: string, line: string, input = "") {
  const child = spawn(process.execPath, [PROGRAM, ...line.split(" ")], {
    env: { ...process.env, UNIFI_EDGE_ADMIN_SOCKET: socket },
  });
  child.stdin.end(input);
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { out, err, status };
}

test("an operator adds a customer, a location, a person and a token, and takes them away", async (t) => {
  const { run, revoked } = await startAdmin(t);

  const org = await run("org add Acme");
  const location = await run("location add Office --ttl 1h");
  const person = await run("user add ann --role operator", "correct horse battery\n");
  const token = await run("token issue ann --label n8n --scope unifi:read unifi:write --ttl 7d --json");
  const lists = [await run("org list"), await run("location list"), await run("user list"), await run("token list")];
  const { id } = JSON.parse(token.out) as { id: string };
  const ends = [await run(`token revoke ${id}`), await run("user remove ann"), await run("location remove office")];

  assert.equal(org.out, "Added organisation acme (Acme).\n");
  assert.match(
    location.out,
    /UNIFI_EDGE_GATEWAY=https:\/\/edge\.example\.com UNIFI_EDGE_TOKEN=uee_[\w-]+ unifi-edge agent/,
  );
  assert.equal(person.out, "Added ann as operator of acme.\n");
  assert.deepEqual(
    lists.map(({ out }) => out.split("\n")[1]?.split(/ {2,}/).slice(0, 3)),
    [
      ["acme", "Acme", lists[0]?.out.split("\n")[1]?.split(/ {2,}/)[2]],
      ["office", "Office", "never seen"],
      ["ann", "operator of acme", lists[2]?.out.split("\n")[1]?.split(/ {2,}/)[2]],
      [id, "ann", "n8n"],
    ],
  );
  assert.deepEqual(
    ends.map(({ out, status }) => [out, status]),
    [
      [`Revoked token ${id}.\n`, 0],
      ["Removed ann.\n", 0],
      ["Removed location office and revoked its agents.\n", 0],
    ],
  );
  assert.deepEqual(revoked, [`pat:${id}`]);
});

test("what the gateway refuses is told in words, with what to do", async (t) => {
  const { run } = await startAdmin(t);
  await run("org add Acme");
  await run("org add Other");

  const ambiguous = await run("location add Office");
  const unknown = await run("location add Office --org nope");
  const weak = await run("user add bob --org acme", "short\n");

  assert.deepEqual([ambiguous.status, unknown.status, weak.status], [1, 1, 1]);
  assert.match(ambiguous.err, /several organisations; say which with --org\.\nOne of: acme, other/);
  assert.match(unknown.err, /There is no organisation nope/);
  assert.match(weak.err, /at least 10 characters/);
});

test("without a gateway every command says so and how to start one", async (t) => {
  const path = socketPath(t);

  const { err, out, status } = await run(path, "org list");

  assert.deepEqual([out, status], ["", 1]);
  assert.equal(err.includes(`The gateway is not running: nothing answers at ${path}.`), true);
  assert.match(err, /unifi-edge gateway/);
});

test("wrong usage ends with status 2 and names the mistake", async (t) => {
  const path = socketPath(t);

  const duration = await run(path, "location add Office --ttl soon");
  const missing = await run(path, "org add");

  assert.deepEqual([duration.status, missing.status], [2, 2]);
  assert.match(duration.err, /such as 15m or 30d/);
  assert.match(missing.err, /missing required argument 'name'/);
});

for (const command of ["org", "location", "user", "token"]) {
  test(`${command} --help fits a screen`, async (t) => {
    const { out, status } = await run(socketPath(t), `${command} --help`);

    assert.equal(status, 0);
    assert.ok(out.split("\n").length < 20, out);
  });
}
