/** SIGKILL to Redis in mid-write and in mid-batch: what runs is answered honestly, nothing new is written, reads go on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startRig } from "../support/rig.ts";

test("Redis killed in mid-write and in mid-batch", async (t) => {
  const rig = await startRig(t, "redis");
  const { house, hold, execute, batch, batchStatus, told, effects, forgetEffects, until } = rig;
  const { redis } = rig.world;
  assert.ok(redis);
  const create = (name: string) => ({
    tool: "unifi_create_dns_record",
    arguments: { record_data: { key: `${name}.example.com`, value: "192.0.2.9", record_type: "A" }, confirm: true },
  });
  const { clients } = await execute("unifi_list_clients", {});
  const kicked = { mac_address: clients[0].mac };
  const kick = async () => {
    const { confirm_token } = await execute("unifi_force_reconnect_client", kicked);
    return execute("unifi_force_reconnect_client", { ...kicked, confirm_token });
  };

  await t.test(
    "the write under way is answered; a new one is refused and reads go on until Redis is back",
    async () => {
      const writing = create("first");
      house.faults.slow = { method: "POST", path: "static-dns", hits: 1 };
      const pending = execute(writing.tool, writing.arguments);
      await hold.held();
      await redis.signal("SIGKILL");
      hold.release();
      const answered = await told(pending);
      const refused = await told(execute("unifi_create_dns_record", create("second").arguments));
      const read = await told(execute("unifi_list_networks", {}));
      const meanwhile = effects();

      await redis.restart();
      await until(
        "writes are taken again",
        async () => (await execute("unifi_create_dns_record", create("third").arguments)).success,
      );

      assert.equal(answered.success, true);
      assert.deepEqual([refused.code, refused.executed], ["STORE_UNAVAILABLE", "no"]);
      assert.equal(read.success, true);
      assert.deepEqual(meanwhile, [1]);
      const { records } = await execute("unifi_list_dns_records", {});
      const names = records
        .map(({ key }: { key: string }) => key)
        .filter((key: string) => key.endsWith(".example.com"));
      assert.deepEqual(names.toSorted(), ["first.example.com", "third.example.com"]);
    },
  );

  await t.test("an answered write may run again, though Redis died before it could note the answer", async () => {
    forgetEffects();
    house.faults.slow = { method: "POST", path: "stamgr", hits: 1 };
    const pending = kick();
    await hold.held();
    await redis.signal("SIGKILL");
    hold.release();
    const first = await pending;
    await redis.restart();
    let second: { success?: boolean; repeated_of?: string } = {};
    await until("writes are taken again", async () => {
      second = await kick();
      return second.success === true;
    });

    assert.equal(first.success, true);
    assert.equal(second.repeated_of, undefined);
    assert.deepEqual(effects(), [2]);
  });

  await t.test("a batch runs on without Redis, and its ends are stored when it is back", async () => {
    forgetEffects();
    const operations = [create("b0"), create("b1"), create("b2"), { tool: "unifi_list_networks" }];
    house.faults.slow = { method: "POST", path: "static-dns", hits: 3 };
    const { batchId } = await batch({ operations });
    await hold.held(3);
    await redis.signal("SIGKILL");
    hold.release();
    const created = () => effects().reduce((sum, count) => sum + count, 0);
    await until("the agent went on", () => created() === 3);
    const blind = await told(batchStatus({ batchId }));

    await redis.restart();
    await until("all are done", async () => {
      const { jobs = [] } = await batchStatus({ batchId, wait_seconds: 1 });
      return jobs.length === 4 && jobs.every(({ status }: { status: string }) => status === "done");
    });

    assert.equal(blind.code, "STORE_UNAVAILABLE");
    assert.equal(created(), 3);
  });
});
