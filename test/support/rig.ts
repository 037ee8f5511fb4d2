/** A deployed world of one house whose console can hold requests, and what the kill tests ask of it. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { createHold, type Hold } from "./hold.ts";
import { type Answer, callTool, type Program, startWorld, type World, type WorldOptions } from "./world.ts";

/** The number: from the kill, or from a re-issue, until the caller knows what is known. */
const TOLD_WITHIN_MS = 2000;
const ASK_EVERY_MS = 25;
const PATIENCE_MS = 60_000;

export interface Rig {
  readonly world: World;
  readonly token: string;
  readonly agent: Program;
  readonly house: Simulator;
  readonly hold: Hold;
  execute(tool: string, args: object, more?: object, signal?: AbortSignal): Promise<Answer>;
  batch(args: object): Promise<Answer>;
  batchStatus(args: object): Promise<Answer>;
  /** The answer, which must come within two seconds of this call. */
  told(answer: Promise<Answer>): Promise<Answer>;
  /** How often the console carried out each write that it carried out since `forgetEffects()`. */
  effects(): readonly number[];
  forgetEffects(): void;
  until(what: string, holds: () => boolean | Promise<boolean>): Promise<void>;
  /** As the gateway itself sees its link, which the store may tell late. */
  untilHouse(status: "online" | "offline"): Promise<void>;
}

export async function startRig(
  t: TestContext,
  store: NonNullable<WorldOptions["store"]>,
  agentSettings: Readonly<Record<string, string>> = {},
): Promise<Rig> {
  const hold = createHold();
  const world = await startWorld(t, {
    store,
    places: [{ name: "House", console: { wait: hold.wait }, agent: agentSettings }],
  });
  const token = await world.token();
  const agent = world.agents.get("house");
  const house = world.consoles.get("house");
  assert.ok(agent && house);
  let before: ReadonlyMap<string, number> = new Map();
  const ask = (name: string, args: object, signal?: AbortSignal) =>
    callTool(world.mcpUrl, token, name, { ...args }, signal);

  return {
    world,
    token,
    agent,
    house,
    hold,
    execute: (tool, args, more = {}, signal) => ask("unifi_execute", { tool, arguments: args, ...more }, signal),
    batch: (args) => ask("unifi_batch", args),
    batchStatus: (args) => ask("unifi_batch_status", args),
    async told(answer) {
      const askedAt = performance.now();
      const value = await answer;
      const ms = Math.round(performance.now() - askedAt);
      t.diagnostic(`${value.code ?? "success"}, told after ${ms} ms`);
      assert.ok(ms < TOLD_WITHIN_MS, `told after ${ms} ms: ${JSON.stringify(value).slice(0, 300)}`);
      return value;
    },
    effects() {
      const keys = [...house.effects.keys()];
      // a command counts under its path, and under path and command: the latter tells more
      const narrowest = keys.filter((key) => !keys.some((other) => other.startsWith(`${key} `)));
      const counts = narrowest.map((key) => (house.effects.get(key) ?? 0) - (before.get(key) ?? 0));
      return counts.filter((count) => count > 0);
    },
    forgetEffects() {
      before = new Map(house.effects);
    },
    until,
    untilHouse: (status) =>
      until(`the house is ${status}`, async () => {
        const { locations } = await ask("unifi_list_locations", {});
        return locations.some((place: { status: string }) => place.status === status);
      }),
  };
}

/** Asks until it holds; throws after a minute. */
async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + PATIENCE_MS;
  while (Date.now() < endsAt) {
    if (await holds()) return;
    await delay(ASK_EVERY_MS);
  }
  throw new Error(`After ${PATIENCE_MS / 1000} s still not so: ${what}`);
}
