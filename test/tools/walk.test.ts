/** Every story on every kind of console, and no tool left out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PERSONAS } from "../../src/simulator/world.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { STORIES } from "./stories/index.ts";
import { walk } from "./walk.ts";

/** `UNIFI_STORY=firewall node --test test/tools/walk.test.ts` walks one story alone. */
const only = process.env.UNIFI_STORY;

for (const story of STORIES.filter(({ about }) => only === undefined || about.includes(only))) {
  for (const persona of PERSONAS) test(`${story.about} on a ${persona} console`, (t) => walk(t, story, persona));
}

/** Classed by its method at every call: test/tools/api-call.test.ts and the end-to-end tests walk it. */
const ELSEWHERE = ["unifi_api_call"];

test("every tool stands in a story", (t) => {
  const told = new Set(STORIES.flatMap(({ steps }) => steps.map(({ tool }) => tool)));
  t.diagnostic(`${told.size} of ${TOOLS.length} tools walked on ${PERSONAS.length} kinds of console`);

  assert.deepEqual(
    TOOLS.map(({ name }) => name).filter((name) => !told.has(name)),
    ELSEWHERE,
  );
});
