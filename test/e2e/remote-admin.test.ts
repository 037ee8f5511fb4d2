/** Administration from another machine: its own port, its own tokens, over TLS; and nothing of it on the public port. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { generate } from "selfsigned";
import { freePort, postMcp, startWorld } from "../support/world.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/unifi-edge.js", import.meta.url));

async function run(line: string, environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [PROGRAM, ...line.split(" ")], {
    env: { PATH: process.env.PATH, ...environment },
  });
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { out, err, status };
}

test("an operator administers from elsewhere with a token of his own", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "unifi-edge-remote-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { cert, private: key } = await generate([{ name: "commonName", value: "127.0.0.1" }], {
    keyType: "ec",
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
  });
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);
  const port = await freePort();
  const world = await startWorld(t, {
    gateway: {
      UNIFI_EDGE_ADMIN_LISTEN: `127.0.0.1:${port}`,
      UNIFI_EDGE_ADMIN_TLS_CERT: certFile,
      UNIFI_EDGE_ADMIN_TLS_KEY: keyFile,
    },
  });
  const url = `https://127.0.0.1:${port}`;
  const here = { UNIFI_EDGE_ADMIN_SOCKET: world.adminSocket };
  const token = (await run("token admin issue --label laptop", here)).out.split("\n")[0] ?? "";
  const there = { UNIFI_EDGE_ADMIN_URL: url, UNIFI_EDGE_ADMIN_TOKEN: token, UNIFI_EDGE_CA_FILE: certFile };
  const personal = await world.token();

  await t.test("the commands work over TLS, issuing further tokens does not", async () => {
    const added = await run("location add Barn", there);
    const listed = await run("location list", there);
    const minted = await run("token admin issue", there);

    assert.deepEqual([added.status, listed.status], [0, 0], added.err + listed.err);
    assert.match(listed.out, /barn/);
    assert.equal(minted.status, 1);
    assert.match(minted.err, /own socket only/);
  });

  await t.test("neither a personal token nor none opens it, and its token opens nothing at /mcp", async () => {
    const withPersonal = await run("org list", { ...there, UNIFI_EDGE_ADMIN_TOKEN: personal });
    const withNone = await run("org list", { UNIFI_EDGE_ADMIN_URL: url });
    const atMcp = await postMcp(world.mcpUrl, token, "tools/list");

    assert.match(withPersonal.err, /valid administration token/);
    assert.match(withNone.err, /administration token is needed/);
    assert.equal(atMcp.status, 401);
  });

  await t.test("words say when it is not reached, not trusted, or would go in the clear", async () => {
    const untrusted = await run("org list", { ...there, UNIFI_EDGE_CA_FILE: "" });
    const away = await run(`org list --url https://127.0.0.1:${await freePort()}`, there);
    const clear = await run("org list --url http://edge.example.com", there);

    assert.match(untrusted.err, /self-signed certificate.*\n.*UNIFI_EDGE_CA_FILE/);
    assert.match(away.err, /was not reached/);
    assert.match(clear.err, /must be an https address/);
  });

  await t.test("the public port knows nothing of it, and a revoked token ends", async () => {
    const onPublic = await fetch(`${world.publicUrl}/admin/v1/organisations`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const id = JSON.parse((await run("token admin list --json", here)).out)[0].id;
    await run(`token admin revoke ${id}`, here);
    const after = await run("org list", there);

    assert.equal(onPublic.status, 404);
    assert.match(after.err, /valid administration token/);
  });
});
