/** The manifest: complete, the same for the same tools, and checked against the file that is packaged. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { manifestOf } from "../../src/tools/describe.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { currentManifestText, manifestText } from "../../src/tools/manifest.ts";

const packaged = readFileSync(new URL("../../tools_manifest.json", import.meta.url), "utf8");

test("the packaged file is what the tools say; `npm run manifest` brings it up to date", () => {
  assert.equal(packaged, currentManifestText());
});

test("the text is JSON of the manifest, a tool a line, and does not change from run to run", () => {
  const manifest = manifestOf(TOOLS, "a test");
  const text = manifestText(manifest);

  assert.deepEqual(JSON.parse(text), manifest);
  assert.equal(text, manifestText(manifestOf(TOOLS, "a test")));
  assert.equal(text.split("\n").filter((line) => line.startsWith('{"name":')).length, TOOLS.length);
});

test("every tool has its whole entry", () => {
  const { tools, count, format } = manifestOf(TOOLS, "a test");

  assert.deepEqual([format, count, tools.length], [1, TOOLS.length, TOOLS.length]);
  for (const tool of tools) {
    assert.equal(tool.schema.input.type, "object");
    assert.equal(tool.schema.input.additionalProperties, false);
    // A failure, a preview or a fan-out has none of the payload's fields, so nothing may be required
    assert.equal(tool.schema.output.required, undefined, tool.name);
  }
});

test("the reference names every endpoint with its purpose and the tools behind it", () => {
  const { reference } = manifestOf(TOOLS, "a test");
  const sta = reference.network.find(({ method, path }) => method === "GET" && path === "/api/s/{site}/stat/sta");
  const order = reference.network.map(({ path, method }) => `${path} ${method}`);

  assert.ok(sta?.tools.includes("unifi_list_clients"));
  assert.deepEqual(
    reference.network.filter(({ purpose }) => purpose === ""),
    [],
  );
  assert.deepEqual(order, order.toSorted());
  assert.equal(new Set(order).size, order.length);
});
