/** SIGKILL to the gateway in mid-write and in mid-batch: a re-issue through the next one learns the first outcome. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startRig } from "../support/rig.ts";

const KICK = "unifi_force_reconnect_client";
const CREATE = "unifi_create_dns_record";

for (const store of ["embedded", "redis"] as const) {
  test(`a gateway killed in mid-write and in mid-batch (${store} store)`, async (t) => {
    const rig = await startRig(t, store);
    const { house, hold, execute, batch, batchStatus, told, effects, until, untilHouse } = rig;
    const { gateway } = rig.world;
    const dnsRecord = (name: string) => ({ record_data: { key: name, value: "192.0.2.9", record_type: "A" } });
    const done = () => effects().reduce((sum, count) => sum + count, 0);

    const { clients } = await execute("unifi_list_clients", {});
    const kick = { mac_address: clients[0].mac };
    const { confirm_token } = await execute(KICK, kick);
    const byToken = { ...kick, confirm_token };
    const byFlag = { ...dnsRecord("flagged.example.com"), confirm: true };
    const operations = [
      { tool: "unifi_list_clients" },
      ...["b1", "b2", "b3"].map((name) => ({ tool: CREATE, arguments: dnsRecord(`${name}.example.com`) })),
      { tool: CREATE, arguments: dnsRecord("b4.example.com"), after: [1, 2, 3] },
    ];
    const question = await batch({ operations });
    const confirmed = { operations, confirm_token: question.confirm_token };

    // the console holds the three writes of the batch, the one confirmed by token, and last the one confirmed by flag
    house.faults.slow = { method: "POST", path: /stamgr|static-dns/ };
    const started = await batch(confirmed);
    await hold.held(3);
    const brokenToken = assert.rejects(execute(KICK, byToken));
    await hold.held(4);
    const brokenFlag = assert.rejects(execute(CREATE, byFlag));
    await hold.held(5);
    delete house.faults.slow;

    await gateway.kill();
    await Promise.all([brokenToken, brokenFlag]);
    hold.release(4);
    await until("the agent went on alone", () => done() === 5);
    await gateway.start();

    await t.test("the batch's token, before the agent is back: the same batch and its jobs", async () => {
      const early = await told(batch(confirmed));

      assert.deepEqual([early.batchId, early.jobs], [started.batchId, started.jobs]);
    });

    await untilHouse("online");

    await t.test("the batch's status is right, and its token starts nothing twice", async () => {
      const { jobs } = await told(batchStatus({ batchId: started.batchId, wait_seconds: 1 }));
      const late = await told(batch(confirmed));

      assert.deepEqual(
        jobs.map(({ status }: { status: string }) => status),
        operations.map(() => "done"),
      );
      assert.deepEqual([late.batchId, late.jobs, late.errors], [started.batchId, started.jobs, null]);
      assert.deepEqual(await told(batchStatus({ batchId: started.batchId })), { jobs });
    });

    await t.test("a write that a token confirms: its token tells how it ended", async () => {
      const again = await told(execute(KICK, byToken));

      assert.equal(again.success, true);
      assert.deepEqual(await told(execute(KICK, byToken)), again);
    });

    await t.test("a write that a flag confirms is met while it still runs", async () => {
      const pending = told(execute(CREATE, byFlag));
      hold.release();
      const met = await pending;

      assert.deepEqual([met.success, typeof met.repeated_of], [true, "string"]);
    });

    assert.deepEqual(house.effects.get(`POST cmd/stamgr kick-sta ${clients[0].mac}`), 1);
    assert.equal(done(), 6);
    const { records } = await execute("unifi_list_dns_records", {});
    const names = records.map(({ key }: { key: string }) => key).filter((key: string) => key.endsWith(".example.com"));
    assert.deepEqual(
      names.toSorted(),
      ["b1", "b2", "b3", "b4", "flagged"].map((name) => `${name}.example.com`),
    );
  });
}
