/** A manifest is checked once, where it enters. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadManifest, parseManifest } from "../../src/catalog/load.ts";
import { EdgeError } from "../../src/errors.ts";
import { MANIFEST_FIXTURE } from "../support/manifest-fixture.ts";

test("a manifest's text becomes the manifest", () => {
  assert.deepEqual(parseManifest(JSON.stringify(MANIFEST_FIXTURE)), MANIFEST_FIXTURE);
});

for (const [told, text] of [
  ["text that is no JSON", "{"],
  ["another format", JSON.stringify({ ...MANIFEST_FIXTURE, format: 2 })],
  [
    "a tool without annotations",
    JSON.stringify({ ...MANIFEST_FIXTURE, tools: [{ ...MANIFEST_FIXTURE.tools[0], annotations: undefined }] }),
  ],
  [
    "an unknown action",
    JSON.stringify({ ...MANIFEST_FIXTURE, tools: [{ ...MANIFEST_FIXTURE.tools[0], permission_action: "peek" }] }),
  ],
]) {
  test(`${told} is a protocol error`, () => {
    assert.throws(
      () => parseManifest(text ?? ""),
      (error) => error instanceof EdgeError && error.code === "PROTOCOL_ERROR",
    );
  });
}

test("a missing file is a configuration error that names it", () => {
  assert.throws(
    () => loadManifest("/nowhere/tools_manifest.json"),
    (error) =>
      error instanceof EdgeError &&
      error.code === "CONFIG_INVALID" &&
      error.message.includes("/nowhere/tools_manifest.json"),
  );
});
