/** Walks a story's steps through the real console session: reads by their schemas, writes planned, sent and read back. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Row } from "../../src/controller/controller.ts";
import { createNetworkConsole } from "../../src/controller/network/console.ts";
import { EdgeError } from "../../src/errors.ts";
import { type LoggedRequest, startSimulator } from "../../src/simulator/simulator.ts";
import type { Persona } from "../../src/simulator/world.ts";
import { sameJson } from "../../src/tools/merge.ts";
import { isRow } from "../../src/tools/rows.ts";
import type { Payload, Plan, ToolContext } from "../../src/tools/tool.ts";
import type { Scene, Sent, Step, Story } from "./stories/story.ts";
import { planOf, read, toolNamed } from "./support.ts";

const silent = { info() {}, warn() {}, error() {} };

/** Questions that the console takes as POST. */
const READING_POSTS =
  /\/(stat\/|system-log|traffic-flow|traffic-flows|speedtest-status|auth\/login|login$|logout$)|\/cmd\/stat$/;

export async function walk(t: TestContext, story: Story, persona: Persona): Promise<void> {
  const simulator = await startSimulator({ persona });
  t.after(() => simulator.close());
  const console_ = createNetworkConsole({
    host: simulator.host,
    port: simulator.port,
    username: simulator.username,
    password: simulator.password,
    pinSha256: simulator.fingerprint256,
    now: Date.now,
    wait: (ms, signal) => delay(ms, undefined, { signal }),
    random: () => 0.5,
    log: silent,
  });
  t.after(() => console_.close());
  const context: ToolContext = {
    network: await console_.site(undefined),
    networkConsole: console_,
    signal: new AbortController().signal,
    now: Date.now,
    progress() {},
  };
  const scene: Scene = {
    simulator,
    persona,
    kept: {},
    read: (tool, args) => read(context, tool, args),
    first: async (tool, list, args) => firstOf(await read(context, tool, args), list),
  };
  for (const step of story.steps) await t.test(step.tool, () => take(step, scene, context));
}

async function take(step: Step, scene: Scene, context: ToolContext): Promise<void> {
  await step.before?.(scene);
  const args = typeof step.args === "function" ? await step.args(scene) : (step.args ?? {});
  const refused = step.refused?.[scene.persona];
  if (refused !== undefined) {
    const attempt = toolNamed(step.tool).run ? read : planOf;
    await assert.rejects(
      async () => attempt(context, step.tool, args),
      (thrown) => thrown instanceof EdgeError && thrown.code === refused,
    );
    return;
  }
  const answer =
    toolNamed(step.tool).plan === undefined
      ? await read(context, step.tool, args)
      : await written(step, args, scene, context);
  await step.holds?.(answer, scene);
}

async function written(step: Step, args: Row, scene: Scene, context: ToolContext): Promise<Payload> {
  const { simulator } = scene;
  const since = () => simulator.requests.filter(changes);
  const before = since().length;
  const plan = await planOf(context, step.tool, args);
  assert.notEqual(plan.unchanged, true, "the step changes something");
  assert.equal(since().length, before, "planning sends no write");

  if (plan.readBack !== undefined) await assertNotSaved(plan, scene);
  const sending = since().length;
  const applied = await plan.apply();
  const sent = since().slice(sending);
  const expected = typeof step.sent === "function" ? step.sent(scene) : step.sent;
  assert.ok(expected, "a write says what it sends");
  assertSent(sent, expected);
  if (plan.readBack === undefined) return applied;
  const after = await plan.readBack(applied);
  if (plan.action === "delete") assert.equal(after, undefined, "what was deleted is gone");
  else assert.deepEqual(unsaved(plan, after), [], `every proposed field was saved: ${JSON.stringify(after)}`);
  return applied;
}

/** A console that says yes and keeps nothing must not pass for one that saved. */
async function assertNotSaved(plan: Plan, { simulator }: Scene): Promise<void> {
  simulator.faults.notSaved = {};
  const seen = await plan.apply().then(
    (applied) => plan.readBack?.(applied),
    (error: unknown) => {
      assert.ok(error instanceof EdgeError, String(error)); // an answer without the new object says it too
      return undefined;
    },
  );
  delete simulator.faults.notSaved;
  if (plan.action === "delete") assert.notEqual(seen, undefined, "a deletion that was not carried out is seen");
  else assert.notDeepEqual(unsaved(plan, seen), [], "what was accepted and not saved is seen");
}

/** The proposed fields that the console does not have as proposed. */
function unsaved(plan: Plan, after: Row | undefined): readonly string[] {
  const judged = Object.keys(plan.proposed ?? {}).filter((key) => !plan.unverifiable?.includes(key));
  assert.notEqual(judged.length, 0, "something is proposed that can be verified");
  return judged.filter((key) => !sameJson(after?.[key], plan.proposed?.[key]));
}

function assertSent(sent: readonly LoggedRequest[], expected: readonly Sent[]): void {
  const told = JSON.stringify(sent);
  assert.equal(sent.length, expected.length, told);
  for (const [index, { method, path, body }] of expected.entries()) {
    const request = sent[index];
    assert.equal(request?.method, method, told);
    if (typeof path === "string") assert.equal(bare(request.path), path);
    else assert.match(bare(request.path), path);
    if (body !== undefined) assert.deepEqual(request.body, body);
  }
}

function bare(path: string): string {
  return path.replace(/^\/proxy\/network/, "");
}

function changes({ method, path }: LoggedRequest): boolean {
  return method !== "GET" && !READING_POSTS.test(path);
}

function firstOf(payload: Payload, list: string): Row {
  const found = payload[list];
  const row = Array.isArray(found) ? found.find(isRow) : undefined;
  assert.ok(row, `${list} has rows`);
  return row;
}
