/** The parts of `unifi-edge local`: who is let in, what is listed, and how the agent's port is asked. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createCatalog } from "../../src/catalog/catalog.ts";
import { type AdmissionOptions, assertGuarded, createAdmission, isLoopback } from "../../src/cli/local/admission.ts";
import { createLocalExecution } from "../../src/cli/local/execution.ts";
import { createLoadedTools } from "../../src/cli/local/loaded-tools.ts";
import { LOCAL_PRINCIPAL } from "../../src/cli/local/server.ts";
import { EdgeError } from "../../src/errors.ts";
import type { Outcome } from "../../src/mcp/execution.ts";
import { createBatchRecords } from "../../src/store/batches.ts";
import { createEmbeddedStore } from "../../src/store/embedded.ts";
import { LOADED_TOOLS_TTL_MS } from "../../src/store/keys.ts";
import { fakeTimers } from "../support/fake-timers.ts";
import { MANIFEST_FIXTURE } from "../support/manifest-fixture.ts";
import { fakePort, json } from "../tunnel/fake-port.ts";

const LOOPBACK: AdmissionOptions = { address: { host: "127.0.0.1", port: 3000 }, token: undefined, hosts: [] };
const TOKEN = "a-token-of-the-person-2718";
const EVERYWHERE: AdmissionOptions = { address: { host: "0.0.0.0", port: 3000 }, token: TOKEN, hosts: ["NAS.example"] };

test("loopback is 127.0.0.0/8, ::1 and localhost, and no name that looks like them", () => {
  const hosts = ["127.0.0.1", "127.9.9.9", "::1", "localhost", "0.0.0.0", "::", "127.0.0.1.example", "10.0.0.1"];

  assert.deepEqual(hosts.filter(isLoopback), hosts.slice(0, 4));
});

test("only loopback may do without a token", () => {
  assertGuarded(LOOPBACK);
  assertGuarded(EVERYWHERE);
  assert.throws(() => assertGuarded({ ...EVERYWHERE, token: undefined }), { code: "CONFIG_INVALID" });
});

/** The refusal's code, or `in`. */
function verdict(options: AdmissionOptions, headers: Readonly<Record<string, string>>): string {
  try {
    createAdmission(options)(headers);
    return "in";
  } catch (error) {
    assert.ok(error instanceof EdgeError);
    return error.code;
  }
}

const authorization = `Bearer ${TOKEN}`;

for (const [options, headers, expected] of [
  [LOOPBACK, { host: "localhost:3000" }, "in"],
  [LOOPBACK, { host: "LOCALHOST" }, "in"],
  [LOOPBACK, { host: "[::1]:3000" }, "in"],
  [LOOPBACK, {}, "PERMISSION_DENIED"],
  [LOOPBACK, { host: "evil.example:3000" }, "PERMISSION_DENIED"],
  [LOOPBACK, { host: "localhost.evil.example" }, "PERMISSION_DENIED"],
  [LOOPBACK, { host: "localhost:3000@evil.example" }, "PERMISSION_DENIED"],
  [LOOPBACK, { host: "192.0.2.7:3000" }, "PERMISSION_DENIED"],
  [LOOPBACK, { host: "localhost:3000", origin: "http://localhost:3000" }, "in"],
  [LOOPBACK, { host: "localhost:3000", origin: "http://127.0.0.1:3000" }, "PERMISSION_DENIED"],
  [LOOPBACK, { host: "localhost:3000", origin: "http://evil.example" }, "PERMISSION_DENIED"],
  [LOOPBACK, { host: "localhost:3000", origin: "null" }, "PERMISSION_DENIED"],
  [EVERYWHERE, { host: "192.0.2.7:3000", authorization }, "in"],
  [EVERYWHERE, { host: "nas.example:3000", authorization }, "in"],
  [EVERYWHERE, { host: "[2001:db8::7]:3000", authorization: `bearer  ${TOKEN}` }, "in"],
  [EVERYWHERE, { host: "evil.example", authorization }, "PERMISSION_DENIED"],
  [EVERYWHERE, { host: "192.0.2.7" }, "UNAUTHENTICATED"],
  [EVERYWHERE, { host: "192.0.2.7", authorization: `Basic ${TOKEN}` }, "UNAUTHENTICATED"],
  [EVERYWHERE, { host: "192.0.2.7", authorization: `${authorization}x` }, "UNAUTHENTICATED"],
  [EVERYWHERE, { host: "127.0.0.1:3000" }, "UNAUTHENTICATED"],
] satisfies [AdmissionOptions, Record<string, string>, string][]) {
  test(`${JSON.stringify(headers)} at ${options.address.host}: ${expected}`, () => {
    assert.equal(verdict(options, headers), expected);
  });
}

test("loaded tools are told of, stay a day after the last load, and their end is told of", async () => {
  const timers = fakeTimers();
  const loaded = createLoadedTools(LOCAL_PRINCIPAL, timers);
  let told = 0;
  loaded.changed((org, grant) => {
    assert.deepEqual([org, grant], ["local", "local"]);
    told += 1;
  });

  await loaded.add(LOCAL_PRINCIPAL, ["a", "b"]);
  timers.advance(LOADED_TOOLS_TTL_MS - 1);
  await loaded.add(LOCAL_PRINCIPAL, ["b"]);
  timers.advance(LOADED_TOOLS_TTL_MS - 1);
  const kept = loaded.of(LOCAL_PRINCIPAL);
  timers.advance(1);

  assert.deepEqual(kept, ["a", "b"]);
  assert.deepEqual([loaded.of(LOCAL_PRINCIPAL), told], [[], 2]);
});

function joined(t: TestContext) {
  const port = fakePort("local");
  const store = createEmbeddedStore({ path: ":memory:", now: Date.now });
  t.after(() => store.close());
  let ids = 0;
  const logged: string[] = [];
  const log = (_facts: object, message: string) => void logged.push(message);
  const local = createLocalExecution({
    port,
    catalog: createCatalog(MANIFEST_FIXTURE),
    batches: createBatchRecords(store),
    callTimeoutMs: 1000,
    newId: () => `id-${++ids}`,
    now: Date.now,
    log: { warn: log, error: log },
  });
  t.after(() => local.close());
  const asking = { principal: LOCAL_PRINCIPAL, signal: new AbortController().signal };
  return { port, logged, asking, execution: local.execution };
}

const bodyOf = ({ body }: Outcome) => JSON.parse(body.toString("utf8"));

test("a write goes by its confirm_token, and is acknowledged when its answer was taken", async (t) => {
  const { port, asking, execution } = joined(t);
  const args = { mac: "02:00:00:00:00:01", confirm_token: "ct_1" };

  const read = await execution.execute({ tool: "unifi_list_clients", arguments: {}, site: "lab" }, asking);
  const write = await execution.execute({ tool: "unifi_block_client", arguments: args }, asking);
  const before = [...port.acknowledged];
  write.delivered?.();

  assert.deepEqual(
    port.calls.map(({ id, kind, site, owner }) => [id, kind, site, owner.grant]),
    [
      ["id-1", "read", "lab", "local"],
      ["ct_1", "write", undefined, "local"],
    ],
  );
  assert.deepEqual([bodyOf(read).success, read.delivered], [true, undefined]);
  assert.deepEqual([before, port.acknowledged], [[], [{ id: "ct_1", delivered: true }]]);
});

test("no outcome is an answer that says what was executed, and a defect tells only the log", async (t) => {
  const { port, asking, execution, logged } = joined(t);
  const request = { tool: "unifi_list_clients", arguments: {} };

  port.onCall = async () => Promise.reject(new EdgeError("TIMEOUT", "It took too long."));
  const late = await execution.execute(request, asking);
  port.onCall = async () => Promise.reject(new Error("a secret of ours"));
  const defect = await execution.execute(request, asking);

  assert.deepEqual([late.isError, bodyOf(late).code, bodyOf(late).executed], [true, "TIMEOUT", "no"]);
  assert.equal(bodyOf(defect).code, "INTERNAL");
  assert.doesNotMatch(defect.body.toString("utf8"), /secret/);
  assert.equal(logged.length, 1);
});

test("a batch that names a location is refused, since there is one place", async (t) => {
  const { port, asking, execution } = joined(t);
  port.onCall = async () => json({});
  const operations = [{ tool: "unifi_list_clients", arguments: {}, location: "hq" }];

  const outcome = await execution.batch({ app: "network", operations }, asking);

  assert.equal(outcome.isError, true);
  assert.equal(bodyOf(outcome).errors[0].code, "ARGUMENTS_INVALID");
  assert.deepEqual(port.batches, []);
});
