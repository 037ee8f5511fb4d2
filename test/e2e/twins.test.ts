/** Identical writes, as an unlock is repeated: answered ones run again, one whose answer was lost runs once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startRig } from "../support/rig.ts";

const TOOL = "unifi_force_reconnect_client";

for (const store of ["embedded", "redis"] as const) {
  test(`identical writes (${store} store)`, async (t) => {
    const { house, hold, execute, told, effects, forgetEffects, until } = await startRig(t, store);
    const { clients } = await execute("unifi_list_clients", {});
    const asked = { mac_address: clients[0].mac };
    const preview = async () => ({ ...asked, confirm_token: (await execute(TOOL, asked)).confirm_token });

    /** Confirms, and leaves while the console holds the write. */
    async function loseAnswer(after: boolean) {
      const confirmed = await preview();
      const leaving = new AbortController();
      house.faults.slow = { method: "POST", path: "stamgr", hits: 1, ...(after ? { after: true } : {}) };
      const left = assert.rejects(execute(TOOL, confirmed, {}, leaving.signal), { name: "AbortError" });
      await hold.held();
      leaving.abort();
      await left;
      return confirmed;
    }

    await t.test("an answered write that is repeated runs twice", async () => {
      const first = await told(execute(TOOL, await preview()));
      const second = await told(execute(TOOL, await preview()));

      assert.deepEqual([first.success, second.success, second.repeated_of], [true, true, undefined]);
      assert.deepEqual(effects(), [2]);
    });

    await t.test("its used token runs nothing more: it answers with the first outcome", async () => {
      forgetEffects();
      const confirmed = await preview();

      const first = await told(execute(TOOL, confirmed));
      const again = await told(execute(TOOL, confirmed));

      assert.deepEqual(again, first);
      assert.deepEqual(effects(), [1]);
    });

    await t.test("a client lost in mid-write: a fresh preview's token meets the one write", async () => {
      forgetEffects();
      const confirmed = await loseAnswer(false);

      const pending = told(execute(TOOL, await preview()));
      hold.release();
      const twin = await pending;
      const same = await told(execute(TOOL, confirmed));

      assert.deepEqual([twin.success, twin.repeated_of], [true, confirmed.confirm_token]);
      assert.deepEqual([same.success, same.repeated_of], [true, undefined]);
      assert.deepEqual(effects(), [1]);
    });

    await t.test("a client lost in mid-write: the very same call attaches to it", async () => {
      forgetEffects();
      const confirmed = await loseAnswer(false);

      const pending = told(execute(TOOL, confirmed));
      hold.release();

      assert.equal((await pending).success, true);
      assert.deepEqual(effects(), [1]);
    });

    await t.test("an answer that nobody took: the next identical write gets it, the one after that runs", async () => {
      forgetEffects();
      const confirmed = await loseAnswer(true);
      hold.release();
      await until("it took effect", () => effects().length === 1);

      const twin = await told(execute(TOOL, await preview()));
      const next = await told(execute(TOOL, await preview()));

      assert.equal(twin.repeated_of, confirmed.confirm_token);
      assert.deepEqual([next.success, next.repeated_of], [true, undefined]);
      assert.deepEqual(effects(), [2]);
    });

    await t.test("repeat=true runs although the answer was lost, and settles it: the next one runs too", async () => {
      forgetEffects();
      await loseAnswer(true);
      hold.release();
      await until("it took effect", () => effects().length === 1);

      const forced = await told(execute(TOOL, await preview(), { repeat: true }));
      const next = await told(execute(TOOL, await preview()));

      assert.deepEqual([forced.success, forced.repeated_of], [true, undefined]);
      assert.deepEqual([next.success, next.repeated_of], [true, undefined]);
      assert.deepEqual(effects(), [3]);
    });

    await t.test(
      "a write that a flag confirms: lost, it is met by the same call; answered, it runs again",
      async () => {
        forgetEffects();
        const guest = { mac_address: clients[0].mac, minutes: 30, confirm: true };
        const leaving = new AbortController();
        house.faults.slow = { method: "POST", path: "stamgr", hits: 1 };
        const left = assert.rejects(execute("unifi_authorize_guest", guest, {}, leaving.signal), {
          name: "AbortError",
        });
        await hold.held();
        leaving.abort();
        await left;

        const pending = told(execute("unifi_authorize_guest", guest));
        hold.release();
        const met = await pending;
        const next = await told(execute("unifi_authorize_guest", guest));

        assert.deepEqual([met.success, typeof met.repeated_of], [true, "string"]);
        assert.deepEqual([next.success, next.repeated_of], [true, undefined]);
        assert.deepEqual(effects(), [2]);
      },
    );
  });
}
