import assert from "node:assert/strict";
import { test } from "node:test";
import { EdgeError } from "../../src/errors.ts";
import { type FakeConnection, fakeConnection, jsonResult, place, principal } from "../support/fake-agents.ts";
import { ID, setUp, update } from "./rig.ts";

test("operations go to their places in one part each, and every job has an id", async () => {
  const home = fakeConnection({ location: "home" });
  const office = fakeConnection({ location: "office" });
  const { start } = await setUp([home, office]);

  const answer = await start([{ location: "home" }, { location: "office" }, { location: "home" }]);

  assert.deepEqual(
    answer.jobs.map((job: { index: number; jobId: string }) => [job.index, job.jobId]),
    [0, 1, 2].map((index) => [index, `${ID}-${index}`]),
  );
  assert.deepEqual(
    home.batches[0]?.operations.map((operation) => operation.index),
    [0, 2],
  );
  assert.deepEqual(office.batches[0]?.id, `${ID}@office`);
  assert.equal(answer.errors, null);
});

test("one operation's fault stands in errors and the others run", async () => {
  const { start } = await setUp([fakeConnection({ location: "home" })], [place("home"), place("office")]);

  const answer = await start([{ tool: "unknown" }, { location: "office" }, {}]);

  assert.deepEqual(
    answer.errors.map((error: { index: number; code: string; executed: string }) => [
      error.index,
      error.code,
      error.executed,
    ]),
    [
      [0, "TOOL_NOT_FOUND", "no"],
      [1, "AGENT_OFFLINE", "no"],
    ],
  );
  assert.deepEqual(answer.jobs, [{ index: 2, tool: "unifi_list_clients", jobId: `${ID}-2` }]);
});

test("0 and 501 operations are refused before anything is stored", async () => {
  const { start, records } = await setUp([fakeConnection({ location: "home" })]);

  for (const count of [0, 501]) {
    await assert.rejects(
      start(Array.from({ length: count }, () => ({}))),
      (error) => error instanceof EdgeError && error.code === "ARGUMENTS_INVALID" && error.message.includes("500"),
    );
  }
  assert.equal(records.headers.size, 0);
});

test("after may only name operations that run at the same place", async () => {
  const { start } = await setUp([fakeConnection({ location: "home" }), fakeConnection({ location: "office" })]);

  const answer = await start([
    { location: "home" },
    { location: "office", after: [0] },
    { location: "office", after: [1] },
    { location: "home", after: [0] },
  ]);

  assert.deepEqual(
    answer.errors.map((error: { index: number }) => error.index),
    [1, 2],
  );
  assert.deepEqual(
    answer.jobs.map((job: { index: number }) => job.index),
    [0, 3],
  );
});

test("status shows what the agent reported, location first, results as they are", async () => {
  const home = fakeConnection({ location: "home" });
  const { batches, start, status } = await setUp([home]);
  await start([{}, {}]);

  await batches.report(home, update("home", 0));
  await batches.report(
    home,
    update("home", 1, { state: "error", result: jsonResult({ success: false, code: "OUTCOME_UNKNOWN" }, true) }),
  );

  assert.deepEqual(await status({ batchId: ID }), {
    jobs: [
      {
        location: "home",
        jobId: `${ID}-0`,
        tool: "unifi_list_clients",
        status: "done",
        started: 1,
        completed: 2.5,
        result: { success: true, clients: [1] },
        error: null,
      },
      {
        location: "home",
        jobId: `${ID}-1`,
        tool: "unifi_list_clients",
        status: "error",
        started: 1,
        completed: 2.5,
        result: null,
        error: { success: false, code: "OUTCOME_UNKNOWN" },
      },
    ],
  });
  assert.deepEqual(home.acknowledgedOperations, [`${ID}@home:0`, `${ID}@home:1`]);
});

test("a job that nobody reported on is queued, and an operation that runs is not acknowledged", async () => {
  const home = fakeConnection({ location: "home" });
  const { batches, start, status } = await setUp([home]);
  await start([{}, {}]);

  await batches.report(home, update("home", 1, { state: "running" }));

  assert.equal((await status({ jobId: `${ID}-0` })).status, "queued");
  assert.equal((await status({ jobId: `${ID}-1` })).status, "running");
  assert.deepEqual(home.acknowledgedOperations, []);
});

test("only the owner can read or cancel a batch", async () => {
  const { batches, start, status, asking } = await setUp([fakeConnection({ location: "home" })]);
  await start([{}]);
  const eve = principal({ subject: "eve" });

  assert.equal((await status({ jobId: `${ID}-0` }, eve)).status, "unknown");
  await assert.rejects(
    status({ batchId: ID }, eve),
    (error) => error instanceof EdgeError && error.code === "NOT_FOUND",
  );
  await assert.rejects(
    batches.cancel(ID, asking(eve)),
    (error) => error instanceof EdgeError && error.code === "NOT_FOUND",
  );
  assert.equal((await status({ jobId: `${ID}-0` }, principal({ org: "other" }))).status, "unknown");
  assert.equal((await status({ jobId: "no such id" })).status, "unknown");
});

test("an agent cannot report on another place's operations or another owner's batch", async () => {
  const home = fakeConnection({ location: "home" });
  const office = fakeConnection({ location: "office" });
  const { batches, start, status } = await setUp([home, office]);
  await start([{ location: "home" }, { location: "office" }]);

  await batches.report(office, update("home", 0));
  await batches.report(office, update("office", 0));
  await batches.report(home, update("home", 0, { owner: { org: "home", subject: "eve", grant: "g" } }));
  await batches.report(home, update("home", 0, { owner: { org: "other", subject: "ada", grant: "g" } }));

  assert.equal((await status({ jobId: `${ID}-0` })).status, "queued");
});

test("an emptied index is rebuilt from what the agent reports", async () => {
  const home = fakeConnection({ location: "home" });
  const { batches, status } = await setUp([home]);

  await batches.report(home, update("home", 3));

  assert.equal((await status({ jobId: `${ID}-3` })).status, "done");
  assert.equal((await status({ jobId: `${ID}-3` }, principal({ subject: "eve" }))).status, "unknown");
});

test("wait_seconds answers as soon as the last job ends", async () => {
  const home = fakeConnection({ location: "home" });
  const { batches, start, status } = await setUp([home]);
  await start([{}]);

  const waiting = status({ jobId: `${ID}-0` }, principal(), 25_000);
  await batches.report(home, update("home", 0));

  assert.equal((await waiting).status, "done");
});

test("writes that need a question get one for all places, and its token runs the same batch", async () => {
  const tokenOf = (location: string) => `ct_${location}`;
  const asks = (location: string) =>
    fakeConnection({
      location,
      batch: async (request) =>
        request.confirmToken === tokenOf(location)
          ? { accepted: true }
          : {
              accepted: false,
              preview: Buffer.from(
                JSON.stringify({
                  confirm_token: tokenOf(location),
                  preview: { writes: [{ tool: "unifi_block_client" }] },
                }),
              ),
            },
    });
  const home = asks("home");
  const office = asks("office");
  const { start } = await setUp([home, office]);
  const operations = [
    { tool: "unifi_block_client", location: "home" },
    { tool: "unifi_block_client", location: "office" },
  ];

  const question = await start(operations);
  const answer = await start(operations, question.confirm_token);

  assert.equal(question.requires_confirmation, true);
  assert.deepEqual(
    question.preview.places.map((entry: { location: string }) => entry.location),
    ["home", "office"],
  );
  assert.equal(question.jobs, undefined);
  assert.equal(JSON.stringify(question.preview).includes("ct_"), false);
  assert.deepEqual([answer.batchId, answer.jobs.length], [ID, 2]);
  assert.equal(home.batches[0]?.id, home.batches[1]?.id);
});

test("a confirm token that is not ours, or another's, is refused", async () => {
  const { start } = await setUp([fakeConnection({ location: "home" })]);
  await start([{}]);
  const stolen = `bt_${Buffer.from(JSON.stringify([ID, { home: "ct" }])).toString("base64url")}`;

  for (const token of ["nonsense", "bt_!!!", `bt_${Buffer.from("[1]").toString("base64url")}`]) {
    await assert.rejects(
      start([{}], token),
      (error) => error instanceof EdgeError && error.code === "CONFIRM_TOKEN_INVALID",
    );
  }
  await assert.rejects(
    start([{}], stolen, principal({ subject: "eve" })),
    (error) => error instanceof EdgeError && error.code === "CONFIRM_TOKEN_INVALID",
  );
});

test("a part whose link broke before it was accepted is handed over again under the same id", async () => {
  const home: FakeConnection = fakeConnection({
    location: "home",
    batch: async () => {
      home.disconnect();
      throw new EdgeError("OUTCOME_UNKNOWN", "the link broke");
    },
  });
  const { directory, start } = await setUp([home]);
  const back = fakeConnection({ location: "home" });
  const answering = start([{}]);

  await new Promise((resolve) => setImmediate(resolve));
  await directory.attach(back);

  assert.equal((await answering).jobs.length, 1);
  assert.equal(back.batches[0]?.id, home.batches[0]?.id);
});

test("a part that may have been accepted keeps its jobs readable and says so", async () => {
  const home: FakeConnection = fakeConnection({
    location: "home",
    batch: async () => {
      home.disconnect();
      throw new EdgeError("OUTCOME_UNKNOWN", "the link broke");
    },
  });
  const { start, status } = await setUp([home]);

  const answer = await start([{}]);

  assert.deepEqual([answer.jobs.length, answer.errors[0].executed], [1, "maybe"]);
  assert.equal((await status({ jobId: `${ID}-0` })).status, "queued");
});

test("a grant that was narrowed to one place reads only what ran there", async () => {
  const { start, status } = await setUp([fakeConnection({ location: "home" }), fakeConnection({ location: "office" })]);
  await start([{ location: "home" }, { location: "office" }]);

  const { jobs } = await status({ batchId: ID }, principal({ grant: "pat:narrow", locations: ["office"] }));

  assert.deepEqual(
    jobs.map((job: { jobId: string }) => job.jobId),
    [`${ID}-1`],
  );
});

test("a question that is no JSON object is the agent's fault", async () => {
  const preview = Buffer.from('{"confirm_token":"ct"},{');
  const { start } = await setUp([
    fakeConnection({ location: "home", batch: async () => ({ accepted: false, preview }) }),
  ]);

  await assert.rejects(start([{}]), (error) => error instanceof EdgeError && error.code === "PROTOCOL_ERROR");
});
