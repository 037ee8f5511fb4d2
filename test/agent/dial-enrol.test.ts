/** From a one-time token to an identity on disk. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type EnrolFetch, enrol, fetchTrusting } from "../../src/agent/enrol.ts";
import { readIdentity } from "../../src/agent/identity.ts";
import { type EnrolBody, verifyEnrolmentProof } from "../../src/tunnel/enrolment.ts";
import { startTlsServer } from "../tunnel/tls-server.ts";

const TOKEN = "uee_0123456789abcdef0123456789abcdef";

async function stateDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "unifi-edge-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A gateway's enrolment route that verifies as the real one does. */
function gateway(origin: string, answer: () => Response) {
  const bodies: EnrolBody[] = [];
  const urls: string[] = [];
  const fetch: EnrolFetch = async (url, init) => {
    const body: EnrolBody = JSON.parse(init.body);
    await verifyEnrolmentProof(body, origin);
    urls.push(url.href);
    bodies.push(body);
    return answer();
  };
  return { fetch, bodies, urls };
}

const accepted = () => Response.json({ agent_id: "agent-7", org: "acme", location: "hq", state: "active" });

test("the key is made here, kept in a 0600 file, and only its public half is sent", async (t) => {
  const stateDir = join(await stateDirectory(t), "state");
  const { fetch, bodies, urls } = gateway("https://edge.example", accepted);

  const identity = await enrol({ gatewayUrl: "https://edge.example/edge", token: TOKEN, stateDir, fetch });

  assert.deepEqual(await readIdentity(stateDir), identity);
  assert.deepEqual([identity.agent_id, identity.org, identity.location], ["agent-7", "acme", "hq"]);
  assert.deepEqual(urls, ["https://edge.example/edge/agent/v1/enrol"]);
  assert.equal(JSON.stringify(bodies).includes(identity.jwk.d), false);
  assert.equal((await stat(join(stateDir, "identity.json"))).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(stateDir), ["identity.json"]);
});

test("after a lost answer the same token is tried with the same key", async (t) => {
  const stateDir = await stateDirectory(t);
  let lost = true;
  const { fetch, bodies } = gateway("https://edge.example", () => {
    if (!lost) return accepted();
    lost = false;
    throw new TypeError("fetch failed");
  });
  const options = { gatewayUrl: "https://edge.example", token: TOKEN, stateDir, fetch };

  await assert.rejects(enrol(options), { code: "AGENT_OFFLINE" });
  await enrol(options);

  assert.equal(bodies.length, 2);
  assert.deepEqual(bodies[0]?.jwk, bodies[1]?.jwk);
});

test("a refusal is told in the gateway's words and leaves no identity", async (t) => {
  const stateDir = await stateDirectory(t);
  const { fetch } = gateway("https://edge.example", () =>
    Response.json({ error: "This token is spent." }, { status: 401 }),
  );

  await assert.rejects(enrol({ gatewayUrl: "https://edge.example", token: TOKEN, stateDir, fetch }), {
    code: "UNAUTHENTICATED",
    message: /HTTP 401.*This token is spent\./,
  });

  assert.equal(await readIdentity(stateDir), undefined);
});

test("an address that is no gateway is said to be none", async (t) => {
  const stateDir = await stateDirectory(t);
  const { fetch } = gateway("https://edge.example", () => new Response("<html>hello</html>"));

  await assert.rejects(enrol({ gatewayUrl: "https://edge.example", token: TOKEN, stateDir, fetch }), {
    code: "PROTOCOL_ERROR",
  });
});

test("a damaged identity file is named, not replaced", async (t) => {
  const stateDir = await stateDirectory(t);
  for (const text of ["", "{", '{"agent_id":"a"}']) {
    await writeFile(join(stateDir, "identity.json"), text);

    await assert.rejects(readIdentity(stateDir), { code: "CONFIG_INVALID", message: /identity\.json/ });
  }
});

test("a gateway behind a private authority is enrolled at when that authority is given, and not otherwise", async (t) => {
  const stateDir = await stateDirectory(t);
  const { https, gatewayUrl, caFile } = await startTlsServer(t);
  https.on("request", (_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ agent_id: "agent-7", org: "acme", location: "hq", state: "active" }));
  });
  const options = { gatewayUrl, token: TOKEN, stateDir };

  await assert.rejects(enrol({ ...options, fetch: await fetchTrusting(undefined) }), { code: "AGENT_OFFLINE" });
  const identity = await enrol({ ...options, fetch: await fetchTrusting(caFile) });

  assert.equal(identity.agent_id, "agent-7");
  await assert.rejects(fetchTrusting("/nowhere/ca.pem"), { code: "CONFIG_INVALID", message: /nowhere/ });
});
