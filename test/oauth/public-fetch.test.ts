/** Strangers' addresses: metadata documents and keys are fetched from the public internet only. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { publicFetch } from "../../src/oauth/public-fetch.ts";
import { authorizePath, createBrowser, createFixture } from "../support/oauth-fixture.ts";

const INNER = [
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f.1",
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "169.254.169.254",
  "172.31.0.1",
  "192.168.1.1",
  "224.0.0.1",
  "255.255.255.255",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[64:ff9b::a00:1]",
  "[fd00::1]",
  "[fe80::1]",
];

/** Answers for every host with these addresses, and counts what is fetched. */
function create(addresses: readonly string[]) {
  const fetched: (readonly [url: string, redirect: string | undefined])[] = [];
  const fetch = publicFetch(
    async (input, init) => {
      fetched.push([String(input), init?.redirect]);
      return new Response("{}");
    },
    async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
  );
  return { fetch, fetched };
}

for (const host of INNER) {
  test(`as-cimd: nothing is fetched from ${host}`, async () => {
    const { fetch, fetched } = create([]);

    await assert.rejects(fetch(`https://${host}/client.json`), { code: "PERMISSION_DENIED" });
    assert.deepEqual(fetched, []);
  });
}

test("as-cimd: a name with an inner address among its addresses is not fetched from", async () => {
  const { fetch, fetched } = create(["93.184.215.14", "192.168.1.1"]);

  await assert.rejects(fetch("https://app.example/client.json"), { code: "PERMISSION_DENIED" });
  assert.deepEqual(fetched, []);
});

test("as-cimd: a name with public addresses is fetched from, and no redirect leads elsewhere", async () => {
  const { fetch, fetched } = create(["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"]);

  const response = await fetch("https://app.example/client.json");

  assert.equal(response.status, 200);
  assert.deepEqual(fetched, [["https://app.example/client.json", "error"]]);
});

test("as-cimd: a name that nobody resolves in time ends with the request", async () => {
  const ending = new AbortController();
  const fetch = publicFetch(globalThis.fetch, () => new Promise(() => {}));

  const pending = fetch("https://app.example/client.json", { signal: ending.signal });
  ending.abort(new Error("too slow"));

  await assert.rejects(pending, { message: "too slow" });
});

async function openPort(t: TestContext) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const bound = server.address();
  return { port: typeof bound === "object" ? bound?.port : undefined, connections: () => connections };
}

test("as-cimd: a client_id at an inner address opens no connection there", async (t) => {
  const { port, connections } = await openPort(t);
  const { app } = await createFixture(t, { ownFetch: true });

  const answer = await createBrowser(app).get(authorizePath(`https://127.0.0.1:${port}/client.json`));

  assert.equal(answer.status, 400);
  assert.equal(connections(), 0);
});
