/** The console forgets its session in mid-batch: one new sign-in, every operation done, no write twice. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startRig } from "../support/rig.ts";

/** How often the session is lost while the batch runs. */
const LOSSES = 3;

for (const store of ["embedded", "redis"] as const) {
  test(`a console session that expires in mid-batch (${store} store)`, async (t) => {
    const { house, execute, batch, batchStatus, effects, until } = await startRig(t, store);
    const { clients } = await execute("unifi_list_clients", {});
    const signIns = () => house.requests.filter(({ path }) => path.endsWith("/api/auth/login")).length;
    const before = signIns();
    const operations = clients
      .slice(0, 9)
      .flatMap(({ mac }: { mac: string }, index: number) => [
        { tool: "unifi_rename_client", arguments: { mac_address: mac, name: `Renamed ${index}`, confirm: true } },
        { tool: "unifi_list_networks" },
      ]);

    for (let lost = 1; lost <= LOSSES; lost += 1) {
      house.faults.sessionExpired = { hits: 1, method: lost % 2 === 0 ? "GET" : "PUT" };
      const part = operations.slice((lost - 1) * 6, lost * 6);
      const { batchId } = await batch({ operations: part });
      const { jobs } = await batchStatus({ batchId, wait_seconds: 25 });

      await until("the fault struck", () => house.faults.sessionExpired === undefined);
      assert.deepEqual(
        jobs.map(({ status }: { status: string }) => status),
        part.map(() => "done"),
      );
      assert.equal(signIns(), before + lost);
    }
    assert.deepEqual(
      effects(),
      clients.slice(0, 9).map(() => 1),
    );
  });
}
