/** The api-reference text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { apiReference } from "../../src/catalog/api-reference.ts";
import { loadManifest } from "../../src/catalog/load.ts";

const manifest = loadManifest(new URL("../../tools_manifest.json", import.meta.url));

test("it names every endpoint of the manifest with its tools", () => {
  const text = apiReference(manifest);

  assert.ok(manifest.reference.network.length > 0);
  for (const { method, path } of manifest.reference.network) assert.ok(text.includes(`| ${method} | \`${path}\` |`));
});

test("it has requests, answers, query options and write rules, and its JSON examples parse", () => {
  const text = apiReference(manifest);

  for (const heading of ["## Requests", "## Answers", "## Query options", "## Rules for writes"])
    assert.ok(text.includes(heading));
  const examples = [...text.matchAll(/```json\n([\s\S]*?)\n```/g)].map((match) => JSON.parse(match[1] ?? ""));
  assert.equal(examples.length, 3);
});
