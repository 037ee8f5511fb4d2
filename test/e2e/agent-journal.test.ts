/** SIGKILL in mid-write: one effect at the console, and the next process says what is known. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { v7 } from "uuid";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";

const CALL = fileURLToPath(new URL("agent-call.ts", import.meta.url));

interface Rig {
  readonly simulator: Simulator;
  /** Resolves when a request has been carried out and its answer is held back. */
  readonly held: Promise<void>;
  start(callId: string): ChildProcess;
  /** Runs a process to its end and reads its answer. */
  answer(callId: string): Promise<Readonly<Record<string, unknown>>>;
}

async function rig(t: TestContext): Promise<Rig> {
  const held = Promise.withResolvers<void>();
  const simulator = await startSimulator({
    persona: "unifi-os",
    wait: (_delayMs, signal) => {
      held.resolve();
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  });
  t.after(() => simulator.close());
  const folder = mkdtempSync(join(tmpdir(), "edge-kill-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const env = {
    ...process.env,
    UNIFI_HOST: simulator.host,
    UNIFI_PORT: String(simulator.port),
    UNIFI_USERNAME: simulator.username,
    UNIFI_PASSWORD: simulator.password,
    UNIFI_PIN_SHA256: simulator.fingerprint256,
    UNIFI_EDGE_STATE_DIR: folder,
    UNIFI_ALLOW_WRITES: "true",
  };
  const start = (callId: string): ChildProcess => {
    const child = spawn(process.execPath, [CALL, callId], { env, stdio: ["ignore", "pipe", "inherit"] });
    t.after(() => child.kill("SIGKILL"));
    return child;
  };
  return {
    simulator,
    held: held.promise,
    start,
    async answer(callId) {
      const { stdout } = start(callId);
      assert.ok(stdout);
      return JSON.parse(await text(stdout)) as Readonly<Record<string, unknown>>;
    },
  };
}

function effects({ simulator }: Rig): readonly number[] {
  return [...simulator.effects.values()];
}

test("an agent killed in mid-write: the write took effect once, and its id is answered OUTCOME_UNKNOWN", async (t) => {
  const under = await rig(t);
  const { simulator, held, start, answer } = under;
  simulator.faults.slow = { after: true, method: "POST", path: "static-dns", hits: 1 };
  const callId = v7();
  const killed = start(callId);
  await held;
  killed.kill("SIGKILL");
  await once(killed, "exit");

  const again = await answer(callId);
  const twin = await answer(v7());

  assert.deepEqual([again.code, again.executed, again.call_id], ["OUTCOME_UNKNOWN", "maybe", callId]);
  assert.deepEqual([twin.code, twin.repeated_of], ["OUTCOME_UNKNOWN", callId]);
  assert.deepEqual(effects(under), [1]);
});

test("an agent killed before the write's row: nothing happened, and the same id runs", async (t) => {
  const under = await rig(t);
  const { simulator, held, start, answer } = under;
  // the plan's own question is held back, so no row stands yet
  simulator.faults.slow = { method: "GET", path: "static-dns", hits: 1 };
  const callId = v7();
  const killed = start(callId);
  await Promise.race([held, once(killed, "exit")]);
  killed.kill("SIGKILL");
  const before = effects(under);

  const answered = await answer(callId);

  assert.deepEqual(before, []);
  assert.equal(answered.success, true);
  assert.deepEqual(effects(under), [1]);
});

test("a second agent on the same state folder refuses to start, in words", async (t) => {
  const { simulator, held, start, answer } = await rig(t);
  simulator.faults.slow = { after: true, method: "POST", path: "static-dns", hits: 1 };
  start(v7());
  await held;

  const refused = await answer(v7());

  assert.equal(refused.code, "CONFIG_INVALID");
  assert.match(String(refused.error), /held by another running agent/);
});
