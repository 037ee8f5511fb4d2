/** The signed upgrade: who gets in, and with which words the others do not. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { WebSocket } from "ws";
import { keyThumbprint } from "../../src/tunnel/enrolment.ts";
import { makeNonce } from "../../src/tunnel/nonce.ts";
import { makeConnectProof } from "../../src/tunnel/proof.ts";
import { realTiming } from "../../src/tunnel/timing.ts";
import { isAgentUpgrade } from "../../src/tunnel/upgrade.ts";
import { enlist, helloOf, NONCE_SECRET, newKey, type Refusal, rawAgent, startRig } from "./rig.ts";

function refusalOf(answer: WebSocket | Refusal): Refusal {
  assert.ok(!(answer instanceof WebSocket), "the upgrade was accepted");
  return answer;
}

test("a proof with a fresh nonce is upgraded to unifi-agent.v2, without compression", async (t) => {
  const rig = await startRig(t);

  const socket = await rig.upgrade({ subprotocols: ["unifi-agent.v9", "unifi-agent.v2"] });

  assert.ok(socket instanceof WebSocket);
  assert.equal(socket.protocol, "unifi-agent.v2");
  assert.equal(socket.extensions, "");
});

test("without a nonce, or with one of three minutes ago or of another secret, the answer is 401 and a fresh nonce", async (t) => {
  const rig = await startRig(t);
  const bad = [
    undefined,
    makeNonce(NONCE_SECRET, Date.now() - 180_000),
    makeNonce("another", Date.now()),
    "x",
    "1.2.3",
  ];

  const answers = await Promise.all(bad.map((nonce) => rig.upgrade({ nonce })));

  for (const answer of answers.map(refusalOf)) {
    assert.equal(answer.status, 401);
    assert.equal(answer.body.code, "UNAUTHENTICATED");
    const nonce = String(answer.headers["dpop-nonce"]);
    assert.ok((await rig.upgrade({ nonce })) instanceof WebSocket);
  }
});

test("no proof, an unreadable one and a bearer token are 401", async (t) => {
  const rig = await startRig(t);
  const bad = [undefined, "DPoP a.b.c", "Bearer secret", `DPoP ${"a".repeat(6_000)}.b.c`];

  const answers = await Promise.all(bad.map((authorization) => rig.upgrade({ authorization })));

  assert.deepEqual(
    answers.map((answer) => refusalOf(answer).status),
    [401, 401, 401, 401],
  );
});

test("a proof is good for one connection", async (t) => {
  const rig = await startRig(t);
  const proof = await makeConnectProof(
    {
      agentId: "agent-1",
      thumbprint: await keyThumbprint(rig.identity.jwk),
      gatewayUrl: rig.url,
      nonce: makeNonce(NONCE_SECRET, Date.now()),
      nowMs: 0,
    },
    rig.identity.jwk,
  );

  const first = await rig.upgrade({ proof });
  const second = await rig.upgrade({ proof });

  assert.ok(first instanceof WebSocket);
  assert.equal(refusalOf(second).status, 401);
  assert.match(refusalOf(second).body.error, /used already/);
});

test("an unknown key, a known key under another id, and a forged key id are 401", async (t) => {
  const rig = await startRig(t);
  const stranger = await newKey();
  const forged = await makeConnectProof(
    {
      agentId: "agent-1",
      thumbprint: await keyThumbprint(rig.identity.jwk),
      gatewayUrl: rig.url,
      nonce: makeNonce(NONCE_SECRET, Date.now()),
      nowMs: Date.now(),
    },
    stranger,
  );

  const answers = await Promise.all([
    rig.upgrade({ key: stranger }),
    rig.upgrade({ agentId: "agent-2" }),
    rig.upgrade({ proof: forged }),
  ]);

  assert.deepEqual(
    answers.map((answer) => refusalOf(answer).status),
    [401, 401, 401],
  );
});

test("a proof made for another gateway, or for this one under another path, is 401", async (t) => {
  const rig = await startRig(t);

  const elsewhere = await rig.upgrade({ gatewayUrl: "https://other.example" });
  const beside = await rig.upgrade({ gatewayUrl: `${rig.url}/edge` });

  assert.deepEqual([refusalOf(elsewhere).status, refusalOf(beside).status], [401, 401]);
});

test("an agent's wrong clock does not keep it out", async (t) => {
  const rig = await startRig(t);
  const proof = await makeConnectProof(
    {
      agentId: "agent-1",
      thumbprint: await keyThumbprint(rig.identity.jwk),
      gatewayUrl: rig.url,
      nonce: makeNonce(NONCE_SECRET, Date.now()),
      nowMs: Date.now() + 86_400_000,
    },
    rig.identity.jwk,
  );

  assert.ok((await rig.upgrade({ proof })) instanceof WebSocket);
});

test("a revoked key is 403, a held one 409 and asked back in 30 s", async (t) => {
  const rig = await startRig(t);
  const [revoked, held] = [await newKey(), await newKey()];
  await enlist(rig.register, revoked, "agent-r", "revoked");
  await enlist(rig.register, held, "agent-h", "held");

  const first = refusalOf(await rig.upgrade({ key: revoked, agentId: "agent-r" }));
  const second = refusalOf(await rig.upgrade({ key: held, agentId: "agent-h" }));

  assert.deepEqual([first.status, first.body.code], [403, "PERMISSION_DENIED"]);
  assert.deepEqual([second.status, second.body.code, second.headers["retry-after"]], [409, "AGENT_CONFLICT", "30"]);
});

test("an agent that speaks no common version is told which ones there are, with 426", async (t) => {
  const rig = await startRig(t);

  const answer = refusalOf(await rig.upgrade({ subprotocols: ["unifi-agent.v7"] }));

  assert.equal(answer.status, 426);
  assert.match(answer.body.error, /unifi-agent\.v2/);
});

test("another path is not upgraded", async (t) => {
  const rig = await startRig(t);

  assert.equal(refusalOf(await rig.upgrade({ path: "/mcp" })).status, 404);
});

test("a server that asks isAgentUpgrade first serves other upgrade wishes as plain requests", async (t) => {
  const http = createServer({ shouldUpgradeCallback: isAgentUpgrade }, (_request, response) => response.end("plain"));
  http.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 418 Upgraded\r\ncontent-length: 0\r\n\r\n"));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  t.after(() => http.close());
  const { port } = http.address() as AddressInfo;
  const headers = {
    connection: "upgrade, http2-settings",
    upgrade: "h2c",
    "http2-settings": "AAMAAABkAAQAoAAAAAIAAAAA",
  };

  const statuses = await Promise.all(
    ["/mcp", "/agent/v1/connect"].map(async (path) => {
      const asked = request({ port, path, headers }).end();
      const [response] = await once(asked, "response");
      response.resume();
      return response.statusCode;
    }),
  );

  assert.deepEqual(statuses, [200, 418]);
});

test("above its rate the gateway answers 503 with Retry-After, yet hands out nonces freely", async (t) => {
  const still = { ...realTiming, now: () => 0 };
  const rig = await startRig(t, { timing: still, admissionsPerSecond: 2 });

  const answers = [];
  for (let index = 0; index < 3; index += 1) answers.push(await rig.upgrade());
  const asking = refusalOf(await rig.upgrade({ nonce: undefined }));

  assert.ok(answers[0] instanceof WebSocket && answers[1] instanceof WebSocket);
  const refusal = refusalOf(answers[2] ?? assert.fail());
  assert.deepEqual([refusal.status, refusal.body.code], [503, "OVERLOADED"]);
  assert.ok(Number(refusal.headers["retry-after"]) >= 1);
  assert.equal(asking.status, 401);
});

test("a register that cannot be read is 503 in words that tell nothing inner", async (t) => {
  const rig = await startRig(t, { findAgent: () => Promise.reject(new Error("redis://secret@host is down")) });

  const answer = refusalOf(await rig.upgrade());

  assert.equal(answer.status, 500);
  assert.doesNotMatch(JSON.stringify(answer.body), /redis/);
});

test("a peer that hangs up in the middle of the check does no harm", async (t) => {
  const asked = Promise.withResolvers<void>();
  const rig = await startRig(t, {
    findAgent: async () => {
      asked.resolve();
      await hungUp.promise;
      return undefined;
    },
  });
  const hungUp = Promise.withResolvers<void>();
  const proof = await makeConnectProof(
    {
      agentId: "agent-1",
      thumbprint: await keyThumbprint(rig.identity.jwk),
      gatewayUrl: rig.url,
      nonce: makeNonce(NONCE_SECRET, Date.now()),
      nowMs: Date.now(),
    },
    rig.identity.jwk,
  );
  const call = request(`${rig.url}/agent/v1/connect`, {
    headers: {
      connection: "upgrade",
      upgrade: "websocket",
      "sec-websocket-protocol": "unifi-agent.v2",
      authorization: `DPoP ${proof}`,
    },
  });
  call.on("error", () => undefined);
  call.end();

  await asked.promise;
  call.destroy();
  hungUp.resolve();

  assert.ok((await rig.upgrade({ nonce: undefined })) !== undefined);
});

test("hello must name the agent of the key, and come before ready; ready must name the epoch", async (t) => {
  const rig = await startRig(t);
  const wrong = [
    [{ ...helloOf("b"), agent_id: "agent-2" }],
    [{ t: "ready", epoch: 1 }],
    [helloOf("b"), { t: "ready", epoch: 99 }],
    [helloOf("b"), helloOf("b")],
    [{ ...helloOf("b"), manifest_digest: "short" }],
    [
      {
        ...helloOf("b"),
        open: Array.from({ length: 900 }, (_, n) => ({ id: `${n}${"i".repeat(100)}`, state: "done" })),
      },
    ],
  ];

  const codes = await Promise.all(
    wrong.map(async (frames) => {
      const socket = await rig.upgrade();
      assert.ok(socket instanceof WebSocket);
      const closed = Promise.withResolvers<number>();
      socket.on("close", closed.resolve);
      for (const frame of frames) socket.send(JSON.stringify(frame));
      return closed.promise;
    }),
  );

  assert.deepEqual(codes, [4400, 4400, 4400, 4400, 4400, 4400]);
  assert.deepEqual(rig.server.connections(), []);
});

test("the epoch rises above the agent's own and welcome asks for its finished writes", async (t) => {
  const rig = await startRig(t);
  const socket = await rig.upgrade();
  assert.ok(socket instanceof WebSocket);
  const answered = Promise.withResolvers<string>();
  socket.on("message", (data: Buffer) => answered.resolve(data.toString()));

  socket.send(
    JSON.stringify({
      ...helloOf("b"),
      last_epoch: 41,
      open: [
        { id: "w1", state: "done" },
        { id: "w2", state: "running" },
      ],
    }),
  );

  const welcome = JSON.parse(await answered.promise);
  assert.deepEqual([welcome.t, welcome.epoch, welcome.resend, welcome.forget], ["welcome", 42, ["w1"], []]);
  assert.equal(welcome.limits.result_bytes, 8 * 1024 * 1024);
});

test("a store that gives no epoch ends the greeting with 1013, so the agent comes back", async (t) => {
  const rig = await startRig(t, { nextEpoch: () => Promise.reject(new Error("down")) });
  const socket = await rig.upgrade();
  assert.ok(socket instanceof WebSocket);
  const closed = Promise.withResolvers<number>();
  socket.on("close", closed.resolve);

  socket.send(JSON.stringify(helloOf("b")));

  assert.equal(await closed.promise, 1013);
});

test("close() ends every link with 1012 and resolves when the sockets are gone", async (t) => {
  const rig = await startRig(t);
  const { socket } = await rawAgent(rig);
  const connection = await rig.connections.take();
  const closed = Promise.withResolvers<number>();
  socket.on("close", closed.resolve);

  await rig.server.close();

  assert.equal(connection.closed.aborted, true);
  assert.equal(await closed.promise, 1012);
  assert.deepEqual(rig.server.connections(), []);
  await assert.rejects(connection.manifest(), { code: "AGENT_OFFLINE" });
});
