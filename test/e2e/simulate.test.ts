/** `unifi-edge simulate` as a process: it says where it listens, answers there, and ends on a signal. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:https";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../../bin/unifi-edge.js", import.meta.url));

function simulate(t: TestContext, ...options: string[]) {
  const child = spawn(process.execPath, [BIN, "simulate", "--port", "0", ...options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  return child;
}

/** Status of a GET, and the fingerprint of the certificate that the server showed. */
async function get(url: string): Promise<{ status: number | undefined; fingerprint256: string }> {
  // self-signed: what is compared is the fingerprint
  const sent = request(url, { rejectUnauthorized: false, agent: false });
  let fingerprint256 = "";
  sent.on("socket", (socket) => {
    assert.ok(socket instanceof TLSSocket);
    socket.on("secureConnect", () => {
      fingerprint256 = socket.getPeerCertificate().fingerprint256.replaceAll(":", "").toLowerCase();
    });
  });
  sent.end();
  const [response] = await once(sent, "response");
  response.resume();
  return { status: response.statusCode, fingerprint256 };
}

test("it prints where it listens and with which certificate, and SIGTERM ends it with status 0", async (t) => {
  const child = simulate(t, "--json", "--site-data", "office", "--site", "branch=home");
  const [line] = await once(createInterface(child.stdout), "line");
  const facts = JSON.parse(line);

  const root = await get(facts.url);
  child.kill("SIGTERM");
  const [status] = await once(child, "exit");

  assert.deepEqual(root, { status: 200, fingerprint256: facts.fingerprint256 });
  assert.deepEqual(facts.sites, ["default", "branch"]);
  assert.equal(status, 0);
});

test("all wrong values are named at once, with status 2", async (t) => {
  const child = simulate(t, "--clients", "many", "--fault", "nonsense", "--site", "x=lab");
  let text = "";
  child.stderr.on("data", (chunk) => {
    text += chunk;
  });

  const [status] = await once(child, "close");

  assert.equal(status, 2);
  for (const wrong of ["--clients many", "--fault nonsense", "--site x=lab"]) assert.match(text, new RegExp(wrong));
});
