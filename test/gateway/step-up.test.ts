/** When a 403 that asks for more scope is worth sending. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createStepUp } from "../../src/gateway/step-up.ts";

test("a token is challenged each time; its refreshed successor is not, until a minute has passed", () => {
  let nowMs = 0;
  const mayChallenge = createStepUp(() => nowMs);
  const grant = { grant: "g", client: "app" };

  const first = mayChallenge(grant, "Bearer one");
  const parallel = mayChallenge(grant, "Bearer one");
  const refreshed = mayChallenge(grant, "Bearer two");
  const other = mayChallenge({ grant: "h", client: "app" }, "Bearer three");
  nowMs = 60_000;
  const later = mayChallenge(grant, "Bearer two");

  assert.deepEqual([first, parallel, refreshed, other, later], [true, true, false, true, true]);
});

test("a personal access token is never challenged", () => {
  const mayChallenge = createStepUp(() => 0);

  assert.equal(mayChallenge({ grant: "pat:1", client: "pat" }, "Bearer uep_x"), false);
});
