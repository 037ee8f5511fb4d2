/** Every story on every kind of console, and no tool left out. */
import { test } from "node:test";
import { PERSONAS } from "../../src/simulator/world.ts";
import { STORIES } from "./stories/index.ts";
import { walk } from "./walk.ts";

/** `UNIFI_STORY=firewall node --test test/tools/walk.test.ts` walks one story alone. */
const only = process.env.UNIFI_STORY;

for (const story of STORIES.filter(({ about }) => only === undefined || about.includes(only))) {
  for (const persona of PERSONAS) test(`${story.about} on a ${persona} console`, (t) => walk(t, story, persona));
}
