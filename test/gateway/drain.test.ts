import assert from "node:assert/strict";
import { test } from "node:test";
import { createDrain } from "../../src/gateway/drain.ts";

test("a stopping gateway waits for what it is answering, failed answers included", async () => {
  const drain = createDrain();
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const handle = drain.track((answer: Promise<void>) => answer);
  const answers = [handle(first.promise), handle(second.promise).catch(() => "failed")];
  let done = false;

  const drained = drain.drained(60_000).then(() => {
    done = true;
  });
  first.resolve();
  await answers[0];
  const early = done;
  second.reject(new Error("the client is gone"));
  await drained;

  assert.equal(early, false);
  assert.equal(done, true);
});

test("it does not wait when nothing is being answered, nor longer than it may", async () => {
  const drain = createDrain();

  await drain.drained(60_000);
  void drain.track(() => new Promise<void>(() => undefined))(undefined); // never answered
  await drain.drained(1);
});
