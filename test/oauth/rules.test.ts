/** Every requirement in the table of rules is cited by a test, and no test cites one that is not there. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { RULES } from "../../src/oauth/rules.ts";

const tests = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => readFileSync(`${import.meta.dirname}/${file}`, "utf8"))
  .join("\n");
const cited = new Set(
  [...tests.matchAll(/["`](?:[a-z]+-[a-z0-9-]+ and )?((?:rs|as)-[a-z0-9-]+)(?=:| and )/g)].map(([, id]) => id ?? ""),
);

test("every rule is cited by a test, and every cited rule is in the table", () => {
  assert.deepEqual([...cited].sort(), RULES.map(({ id }) => id).sort());
});

test("every rule names a file that exists", () => {
  const missing = RULES.filter(({ where }) => !existsSync(`${import.meta.dirname}/../../src/oauth/${where}`));

  assert.deepEqual(missing, []);
});
