/** Walks a story's steps as a client would: reads judged by their schemas, writes previewed, confirmed and read back. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Row } from "../../src/controller/controller.ts";
import { type LoggedRequest, startSimulator } from "../../src/simulator/simulator.ts";
import type { Persona } from "../../src/simulator/world.ts";
import { isRow } from "../../src/tools/rows.ts";
import type { Payload, Tool } from "../../src/tools/tool.ts";
import type { Scene, Sent, Step, Story } from "./stories/story.ts";
import { planOf, read, toolNamed } from "./support.ts";
import { type Answer, type WalkedAgent, walkedAgent } from "./walked-agent.ts";

/** Questions that the console takes as POST. */
const READING_POSTS =
  /\/(stat\/|system-log|traffic-flow|traffic-flows|speedtest-status|auth\/login|login$|logout$)|\/cmd\/stat$/;

const API_KEY = "walked-key-1";

const READING_COMMANDS: ReadonlySet<unknown> = new Set(["list-backups", "speedtest-status"]);

export async function walk(t: TestContext, story: Story, persona: Persona): Promise<void> {
  // The key opens the integration API alone, so that everything else is walked in a session
  const simulator = await startSimulator({ persona, apiKey: API_KEY, apiKeyScope: "integration" });
  t.after(() => simulator.close());
  const agent = await walkedAgent(t, simulator, persona === "unifi-os" ? API_KEY : undefined);
  const scene: Scene = {
    simulator,
    persona,
    kept: {},
    read: (tool, args) => read(agent.context, tool, args),
    first: async (tool, list, args) => firstOf(await read(agent.context, tool, args), list),
  };
  for (const step of story.steps) await t.test(step.tool, () => take(step, scene, agent));
}

async function take(step: Step, scene: Scene, agent: WalkedAgent): Promise<void> {
  await step.before?.(scene);
  const args = typeof step.args === "function" ? await step.args(scene) : (step.args ?? {});
  const tool = toolNamed(step.tool);
  const refused = step.refused?.[scene.persona];
  if (refused !== undefined) {
    const { code } = await agent.call(step.tool, tool.run ? "read" : "write", args);
    assert.equal(code, refused);
    return;
  }
  const answer = tool.plan === undefined ? await reads(tool, args, agent) : await writes(step, args, scene, agent);
  await step.holds?.(answer, scene);
}

async function reads(tool: Tool, args: Row, agent: WalkedAgent): Promise<Payload> {
  const answer = await agent.call(tool.name, "read", args);
  assert.equal(answer.success, true, JSON.stringify(answer));
  const schema = Compile(Type.Object(tool.output));
  assert.deepEqual([...schema.Errors(answer)], [], "the answer is what the output schema says");
  const judged = Object.keys(tool.output).filter(
    (field) => field in answer && [...schema.Errors({ ...answer, [field]: otherThan(answer[field]) })].length > 0,
  );
  assert.ok(judged.length > 0, "an answer of another shape fails it");
  return answer;
}

/** A value of another JSON type. */
function otherThan(value: unknown): unknown {
  return typeof value === "string" ? { other: 1 } : "other";
}

async function writes(step: Step, args: Row, scene: Scene, agent: WalkedAgent): Promise<Payload> {
  const changesSoFar = () => scene.simulator.requests.filter(changes);
  const before = changesSoFar().length;
  const plan = await planOf(agent.context, step.tool, args);
  assert.notEqual(plan.unchanged, true, "the step changes something");
  const confirmed = async () => confirm(step.tool, args, agent);

  if (plan.readBack !== undefined) {
    const run = await confirmed();
    assert.equal(changesSoFar().length, before, "planning and previews send no write");
    scene.simulator.faults.notSaved = {};
    const lost = await run();
    delete scene.simulator.faults.notSaved;
    assert.equal(lost.success, false, `what was accepted and not saved is seen: ${JSON.stringify(lost)}`);
    assert.match(String(lost.code), /^(NOT_PERSISTED|OUTCOME_UNKNOWN|CONTROLLER_\w+)$/);
  }

  const run = await confirmed();
  const sending = changesSoFar().length;
  const answer = await run();
  assert.equal(answer.success, true, JSON.stringify(answer));
  const expected = typeof step.sent === "function" ? step.sent(scene) : step.sent;
  assert.ok(expected, "a write says what it sends");
  assertSent(changesSoFar().slice(sending), expected);
  if (plan.readBack !== undefined && plan.action !== "delete") {
    const unverifiable = Object.keys(plan.proposed ?? {}).every((key) => plan.unverifiable?.includes(key));
    assert.ok(unverifiable || (Array.isArray(answer.persisted) && answer.persisted.length > 0), JSON.stringify(answer));
    assert.deepEqual(answer.coerced, {}, "the console kept what was proposed");
  }
  return answer;
}

/** Previews; the returned function runs what the preview showed. */
async function confirm(tool: string, args: Row, agent: WalkedAgent): Promise<() => Promise<Answer>> {
  const preview = await agent.call(tool, "write", args);
  assert.equal(preview.requires_confirmation, true, JSON.stringify(preview));
  const token = preview.confirm_token;
  return typeof token === "string"
    ? () => agent.call(tool, "write", args, token)
    : () => agent.call(tool, "write", { ...args, confirm: true });
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

function changes({ method, path, body }: LoggedRequest): boolean {
  return method !== "GET" && !READING_POSTS.test(path) && !READING_COMMANDS.has(body?.cmd);
}

function firstOf(payload: Payload, list: string): Row {
  const found = payload[list];
  const row = Array.isArray(found) ? found.find(isRow) : undefined;
  assert.ok(row, `${list} has rows`);
  return row;
}
