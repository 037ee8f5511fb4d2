/** A batch that is sent again, and ends that the store did not take: nothing is forgotten, nothing is denied. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EdgeError } from "../../src/errors.ts";
import { type FakeConnection, fakeConnection, jsonResult } from "../support/fake-agents.ts";
import { ID, setUp, update } from "./rig.ts";

const OPERATIONS = [
  { tool: "unifi_block_client" },
  { tool: "unifi_block_client", arguments: { mac: "02:00:00:00:00:02" } },
];

/** Asks first, accepts its token, and refuses other operations under it, as an agent does. */
function askingAgent(): FakeConnection {
  return fakeConnection({
    location: "home",
    batch: async ({ confirmToken, operations }) => {
      if (confirmToken === undefined) {
        return { accepted: false, preview: Buffer.from(JSON.stringify({ confirm_token: "ct_1", preview: {} })) };
      }
      if (operations.length === OPERATIONS.length) return { accepted: true };
      throw new EdgeError("PROTOCOL_ERROR", "A batch with this id was accepted before, with other operations.");
    },
  });
}

const indicesOf = (list: readonly { index: number }[]) => list.map(({ index }) => index);

test("a confirmed batch that is sent again while the site is away keeps its jobs, and is not called 'not started'", async () => {
  const home = askingAgent();
  const { start, status } = await setUp([home]);
  const { confirm_token } = await start(OPERATIONS);
  const first = await start(OPERATIONS, confirm_token);
  home.disconnect();

  const again = await start(OPERATIONS, confirm_token);

  assert.deepEqual([again.batchId, again.jobs], [first.batchId, first.jobs]);
  assert.deepEqual(
    again.errors.map((error: { code: string; executed: string }) => [error.code, error.executed]),
    [
      ["OUTCOME_UNKNOWN", "maybe"],
      ["OUTCOME_UNKNOWN", "maybe"],
    ],
  );
  assert.equal(again.message, "2 may have started, see errors. Ask batch_status with batchId or a jobId.");
  assert.equal((await status({ batchId: ID })).jobs.length, 2);
});

test("other operations under a used token are refused, and the first batch's jobs stay readable", async () => {
  const { start, status } = await setUp([askingAgent()]);
  const { confirm_token } = await start(OPERATIONS);
  await start(OPERATIONS, confirm_token);

  const other = await start(OPERATIONS.slice(0, 1), confirm_token);

  assert.deepEqual(
    other.errors.map((error: { code: string; executed: string }) => [error.code, error.executed]),
    [["PROTOCOL_ERROR", "no"]],
  );
  assert.equal((await status({ batchId: ID })).jobs.length, 2);
});

test("a batch that was only asked about has no jobs yet, and confirmed while the site is away it has none", async () => {
  const home = askingAgent();
  const { start } = await setUp([home]);
  const { confirm_token } = await start(OPERATIONS);
  home.disconnect();

  const answer = await start(OPERATIONS, confirm_token);

  assert.deepEqual(answer.jobs, []);
  assert.deepEqual(indicesOf(answer.errors), [0, 1]);
  assert.equal(answer.errors[0].executed, "no");
});

test("an end that the store did not take is stored and acknowledged once the store is back", async () => {
  const home = fakeConnection({ location: "home" });
  const { batches, records, start, status } = await setUp([home]);
  await start([{}, {}]);
  let refusals = 3;
  const { saveOperation } = records;
  records.saveOperation = async (...facts) => {
    if (refusals-- > 0) throw new EdgeError("STORE_UNAVAILABLE", "The store is unavailable.");
    return saveOperation(...facts);
  };

  await batches.report(home, update("home", 0, { result: jsonResult({ success: true }) }));

  assert.equal((await status({ jobId: `${ID}-0` })).status, "done");
  assert.deepEqual(home.acknowledgedOperations, [`${ID}@home:0`]);
});

test("an end waits for the store no longer than its link lives: the next link brings it again", async () => {
  const home = fakeConnection({ location: "home" });
  const { batches, records, start } = await setUp([home]);
  await start([{}]);
  records.saveOperation = async () => {
    home.disconnect();
    throw new EdgeError("STORE_UNAVAILABLE", "The store is unavailable.");
  };

  await batches.report(home, update("home", 0));

  assert.deepEqual(home.acknowledgedOperations, []);
});

test("an operation of which an agent that came anew says nothing was lost; what it tells later counts", async () => {
  const clock = { now: 5_000 };
  const home: FakeConnection = fakeConnection({
    location: "home",
    batch: async () => {
      home.disconnect();
      throw new EdgeError("OUTCOME_UNKNOWN", "the link broke");
    },
  });
  const { batches, directory, start, status } = await setUp([home], undefined, clock);
  await start([{}, {}]);
  const back = fakeConnection({ location: "home", connectedAtMs: 7_000 });
  await directory.attach(back);

  clock.now = 11_999;
  const soon = await status({ batchId: ID });
  clock.now = 12_000;
  const late = await status({ batchId: ID });
  await batches.report(back, update("home", 0));
  const told = await status({ batchId: ID });

  const states = ({
    jobs,
  }: {
    jobs: readonly { status: string; error: { code: string; executed: string } | null }[];
  }) => jobs.map(({ status: state, error }) => (error ? `${state} ${error.code} ${error.executed}` : state));
  assert.deepEqual(states(soon), ["queued", "queued"]);
  assert.deepEqual(states(late), ["error OUTCOME_UNKNOWN maybe", "error OUTCOME_UNKNOWN maybe"]);
  assert.deepEqual(states(told), ["done", "error OUTCOME_UNKNOWN maybe"]);
});
