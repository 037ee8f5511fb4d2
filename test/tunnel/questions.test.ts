/** The table of open questions, without a socket. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Link } from "../../src/tunnel/link.ts";
import { Questions } from "../../src/tunnel/questions.ts";
import { fakeTiming } from "./fake-timing.ts";
import { failureOf } from "./rig.ts";

function openQuestions({ sends = true } = {}) {
  const timing = fakeTiming();
  const forgotten: number[] = [];
  const late: unknown[] = [];
  const sent: string[] = [];
  const send = (text: string) => {
    if (sends) sent.push(text);
    return sends;
  };
  const questions = new Questions({
    link: { send } as unknown as Link, // as much of it as questions without a body use
    timing,
    lateResult: (id, result) => late.push([id, result]),
    forgotten: (stream) => forgotten.push(stream),
  });
  const ask = (id: string, kind: "read" | "write", signal?: AbortSignal) => {
    const stream = questions.nextStream();
    const events = signal === undefined ? {} : { signal };
    const answer = questions.ask({
      id,
      stream,
      text: id,
      what: "call",
      write: kind === "write",
      ttlMs: 1_000,
      events,
    });
    return { stream, answer };
  };
  return { questions, timing, forgotten, late, sent, ask };
}

const RESULT = { isError: false, type: "json", body: Buffer.from("{}") } as const;

test("a question that the link did not take was surely not executed, and leaves nothing behind", async () => {
  const { ask, timing } = openQuestions({ sends: false });

  const failure = await failureOf(ask("w", "write").answer);

  assert.deepEqual([failure.code, failure.executed], ["OVERLOADED", "no"]);
  assert.deepEqual(timing.waiting(), []);
});

test("an aborted signal stops a question before it is sent", async () => {
  const { ask, sent } = openQuestions();

  const failure = await failureOf(ask("w", "write", AbortSignal.abort()).answer);

  assert.deepEqual([failure.code, failure.executed], ["CANCELLED", "no"]);
  assert.deepEqual(sent, []);
});

test("callers that have gone are counted until they are forgotten a minute after their ttl", async () => {
  const { questions, ask, timing, forgotten } = openQuestions();
  const streams: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    const asked = Array.from({ length: 32 }, (_, index) => ask(`${round}-${index}`, "read"));
    streams.push(...asked.map(({ stream }) => stream));
    const failures = asked.map(({ answer }) => failureOf(answer));
    timing.advance(1_500);
    await Promise.all(failures);
  }

  assert.throws(() => questions.refuseIfBusy(), { code: "OVERLOADED" });
  timing.advance(61_000);

  assert.doesNotThrow(() => questions.refuseIfBusy());
  assert.deepEqual(forgotten, streams);
});

test("an outcome by id answers the call that was sent again, and the half body on its stream is forgotten", async () => {
  const { questions, ask, forgotten, late, timing } = openQuestions();
  const { stream, answer } = ask("w", "write");

  questions.settleById("w", RESULT);
  questions.settleById("elsewhere", RESULT);

  assert.deepEqual(await answer, RESULT);
  assert.deepEqual(forgotten, [stream]);
  assert.deepEqual(late, [["elsewhere", RESULT]]);
  assert.equal(questions.has(stream), false);
  assert.deepEqual(timing.waiting(), []);
});

test("after the link's end nothing is pending, and a further question is AGENT_OFFLINE", async () => {
  const { questions, ask, timing } = openQuestions();
  const failures = [failureOf(ask("r", "read").answer), failureOf(ask("w", "write").answer)];

  questions.ended({ code: 1006, reason: "" });

  const codes = (await Promise.all(failures)).map(({ code, executed }) => [code, executed]);
  assert.deepEqual(codes, [
    ["AGENT_OFFLINE", "no"],
    ["OUTCOME_UNKNOWN", "maybe"],
  ]);
  assert.throws(() => questions.refuseIfBusy(), { code: "AGENT_OFFLINE" });
  assert.deepEqual(timing.waiting(), []);
});
