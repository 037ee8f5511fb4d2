/** SIGKILL to the agent in mid-write and in mid-batch: told within two seconds, never written twice, status right. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startRig } from "../support/rig.ts";

for (const store of ["embedded", "redis"] as const) {
  test(`an agent killed in mid-write and in mid-batch (${store} store)`, async (t) => {
    const rig = await startRig(t, store);
    const { agent, house, hold, execute, batch, batchStatus, told, effects, forgetEffects, until, untilHouse } = rig;
    const { clients } = await execute("unifi_list_clients", {});
    const macs: readonly string[] = clients.map(({ mac }: { mac: string }) => mac);

    await t.test("killed before the effect, a write that a flag confirms", async () => {
      const rename = { mac_address: macs[0], name: "Renamed", confirm: true };
      house.faults.slow = { method: "PUT", path: "rest/user", hits: 1 };
      const pending = execute("unifi_rename_client", rename);
      await hold.held();

      const [lost] = await Promise.all([told(pending), agent.kill()]);
      const away = await told(execute("unifi_rename_client", rename));
      const other = await told(execute("unifi_rename_client", { ...rename, name: "Never sent" }));
      await agent.start();
      await untilHouse("online");
      const unresolved = await told(execute("unifi_rename_client", rename));
      const before = effects();
      hold.release();
      await until("the console carried it out", () => effects().length === 1);
      const settled = await told(execute("unifi_rename_client", rename));

      assert.deepEqual([lost.code, lost.executed, typeof lost.call_id], ["OUTCOME_UNKNOWN", "maybe", "string"]);
      assert.deepEqual([away.code, away.executed, away.call_id], ["OUTCOME_UNKNOWN", "maybe", lost.call_id]);
      assert.deepEqual([other.code, other.executed], ["AGENT_OFFLINE", "no"]);
      assert.deepEqual(
        [unresolved.code, unresolved.executed, unresolved.call_id],
        ["OUTCOME_UNKNOWN", "maybe", lost.call_id],
      );
      assert.deepEqual(before, []);
      assert.deepEqual([settled.success, settled.settled_by_reading, settled.repeated_of], [true, true, lost.call_id]);
      assert.deepEqual(effects(), [1]);
    });

    await t.test("killed between the effect and its answer, a write that a token confirms", async () => {
      const { records } = await execute("unifi_list_dns_records", {});
      const remove = { record_id: records[0].id };
      const { confirm_token } = await execute("unifi_delete_dns_record", remove);
      forgetEffects();
      house.faults.slow = { method: "DELETE", path: "static-dns", hits: 1, after: true };
      const pending = execute("unifi_delete_dns_record", { ...remove, confirm_token });
      await hold.held();

      const [lost] = await Promise.all([told(pending), agent.kill()]);
      await agent.start();
      await untilHouse("online");
      const again = await told(execute("unifi_delete_dns_record", { ...remove, confirm_token }));
      const third = await told(execute("unifi_delete_dns_record", { ...remove, confirm_token }));
      hold.release();

      assert.deepEqual([lost.code, lost.executed, lost.call_id], ["OUTCOME_UNKNOWN", "maybe", confirm_token]);
      assert.deepEqual([again.success, again.settled_by_reading], [true, true]);
      assert.deepEqual(third, again);
      assert.deepEqual(effects(), [1]);
    });

    await t.test(
      "killed in mid-batch: ended ones stay, those under way are told as unknown, waiting ones run",
      async () => {
        forgetEffects();
        const create = (index: number) => ({
          tool: "unifi_create_dns_record",
          arguments: {
            record_data: { key: `n${index}.example.com`, value: "192.0.2.9", record_type: "A" },
            confirm: true,
          },
        });
        const rename = (mac: string | undefined, name: string) => ({
          tool: "unifi_rename_client",
          arguments: { mac_address: mac, name, confirm: true },
        });
        // eight writes may run at once, so the last one waits behind those that the console holds
        const underWay = Array.from({ length: 8 }, (_, index) => create(index));
        house.faults.slow = { method: "POST", path: "static-dns", after: true };
        const operations = [
          { tool: "unifi_list_clients" },
          rename(macs[1], "First"),
          ...underWay.map((operation) => ({ ...operation, after: [1] })),
          { ...rename(macs[2], "Last"), after: [1] },
        ];
        const { batchId } = await batch({ operations });
        await hold.held(underWay.length);

        await agent.kill();
        const away = await told(batchStatus({ batchId }));
        delete house.faults.slow;
        await agent.start();
        await untilHouse("online");
        const after = await batchStatus({ batchId, wait_seconds: 25 });
        hold.release();

        const states = (answer: {
          jobs: readonly { status: string; error: { code?: string; executed?: string } | null }[];
        }) => answer.jobs.map(({ status, error }) => (error ? `${status} ${error.code} ${error.executed}` : status));
        assert.deepEqual(states(away), ["done", "done", ...underWay.map(() => "running"), "queued"]);
        assert.deepEqual(states(after), ["done", "done", ...underWay.map(() => "error OUTCOME_UNKNOWN maybe"), "done"]);
        assert.equal(
          effects().reduce((sum, count) => sum + count, 0),
          underWay.length + 2,
        );
        const { records } = await execute("unifi_list_dns_records", {});
        assert.equal(
          records.filter(({ key }: { key: string }) => /^n\d\.example\.com$/.test(key)).length,
          underWay.length,
        );
      },
    );
  });
}
