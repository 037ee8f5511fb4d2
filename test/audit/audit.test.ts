/** Audit: buffered, in order, bounded, and never in the way of a request. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Decision, Ending } from "../../src/audit/audit.ts";
import { createAuditFile } from "../../src/audit/file-sink.ts";
import { createAuditLog } from "../../src/audit/log-sink.ts";
import { AUDIT_BUFFER_ENTRIES, type AuditEntry, type AuditSink, createAudit } from "../../src/audit/recorder.ts";

const DECISION: Decision = {
  atMs: 1,
  principal: { subject: "acc_1", org: "acme", grant: "g1", client: "c1" },
  tool: "unifi_list_clients",
  action: "read",
  location: "north",
  site: undefined,
  verdict: "allowed",
  reason: "policy",
  callId: "call-1",
  argumentsHash: undefined,
};
const ENDING: Ending = { atMs: 2, callId: "call-1", outcome: "ok", durationMs: 12 };

function recorder(sinks: readonly AuditSink[]) {
  const told: { facts: object; message: string }[] = [];
  let tick = () => {};
  let stopped = false;
  const audit = createAudit({
    sinks,
    now: () => 99,
    flushEveryMs: 1000,
    timers: {
      every: (_ms, run) => {
        tick = run;
        return () => {
          stopped = true;
        };
      },
    },
    log: { warn: (facts, message) => told.push({ facts, message }) },
  });
  return { audit, told, tick: () => tick(), stopped: () => stopped };
}

function memorySink() {
  const writes: (readonly AuditEntry[])[] = [];
  const sink: AuditSink = { name: "memory", write: async (entries) => void writes.push(entries) };
  return { writes, sink };
}

test("entries reach every sink in one write, in order, when the timer says so", async () => {
  const one = memorySink();
  const two = memorySink();
  const { audit, tick } = recorder([one.sink, two.sink]);

  audit.record(DECISION);
  audit.ended(ENDING);
  const before = one.writes.length;
  tick();
  await audit.flush();

  const expected = [
    [
      { kind: "decision", ...DECISION },
      { kind: "ending", ...ENDING },
    ],
  ];
  assert.equal(before, 0);
  assert.deepEqual(one.writes, expected);
  assert.deepEqual(two.writes, expected);
});

test("closing writes what is left, stops the timer and closes the sinks", async () => {
  const { writes, sink } = memorySink();
  let closed = false;
  const close = async () => {
    closed = true;
  };
  const { audit, stopped } = recorder([{ ...sink, close }]);
  audit.record(DECISION);

  await audit.close();

  assert.equal(writes.length, 1);
  assert.deepEqual([stopped(), closed], [true, true]);
});

test("a stuck sink bounds its buffer, and what it lost is counted and told; the others lose nothing", async () => {
  const free = Promise.withResolvers<void>();
  const slow = memorySink();
  const quick = memorySink();
  const stuck: AuditSink = {
    name: "stuck",
    write: async (entries) => free.promise.then(() => slow.sink.write(entries)),
  };
  const { audit, told, tick } = recorder([stuck, quick.sink]);
  audit.record(DECISION);
  tick();
  await Promise.resolve();

  for (let index = 0; index < AUDIT_BUFFER_ENTRIES + 5; index += 1) audit.ended(ENDING);
  free.resolve();
  await audit.flush();

  const last = slow.writes.at(-1) ?? [];
  assert.equal(last.length, AUDIT_BUFFER_ENTRIES + 1);
  assert.deepEqual(last.at(-1), { kind: "dropped", atMs: 99, count: 5 });
  assert.ok(told.some(({ facts }) => JSON.stringify(facts) === JSON.stringify({ sink: "stuck", count: 5 })));
});

test("entries of a failed write are told as lost once the sink works again", async () => {
  const { writes, sink } = memorySink();
  let fails = true;
  const { audit, told } = recorder([
    { ...sink, write: async (entries) => (fails ? Promise.reject(new Error("disk full")) : sink.write(entries)) },
  ]);
  audit.record(DECISION);
  audit.ended(ENDING);
  await audit.flush();

  fails = false;
  await audit.flush();

  assert.deepEqual(writes, [[{ kind: "dropped", atMs: 99, count: 2 }]]);
  assert.match(told[0]?.message ?? "", /the sink failed/);
});

test("the log sink writes one line an entry", async () => {
  const lines: { facts: object; message: string }[] = [];
  const sink = createAuditLog({ info: (facts, message) => lines.push({ facts, message }) });

  await sink.write([{ kind: "ending", ...ENDING }]);

  assert.deepEqual(lines, [{ facts: { audit: { kind: "ending", ...ENDING } }, message: "audit ending" }]);
});

function auditPath(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "unifi-edge-audit-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "deeper", "audit.jsonl");
}

test("the file holds one JSON object a line, appended, readable by its owner only", async (t) => {
  const path = auditPath(t);

  await createAuditFile({ path }).write([{ kind: "ending", ...ENDING }]);
  await createAuditFile({ path }).write([{ kind: "ending", ...ENDING, callId: "call-2" }]);

  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).callId),
    ["call-1", "call-2"],
  );
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("a full file is put aside, and only so many are kept", async (t) => {
  const path = auditPath(t);
  const sink = createAuditFile({ path, maxBytes: 100, keep: 2 });

  for (const callId of ["one", "two", "three", "four"]) await sink.write([{ kind: "ending", ...ENDING, callId }]);

  const idIn = (file: string) => JSON.parse(readFileSync(file, "utf8")).callId;
  assert.deepEqual([path, `${path}.1`, `${path}.2`].map(idIn), ["four", "three", "two"]);
  assert.throws(() => statSync(`${path}.3`), { code: "ENOENT" });
});
