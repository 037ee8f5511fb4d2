/** The contributor's guide points at real files: a path that it names in backticks exists. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../", import.meta.url);
const guide = readFileSync(new URL("CONTRIBUTING.md", ROOT), "utf8");

test("every file and room that the guide names is there", () => {
  const named = [...guide.matchAll(/`((?:src|test)\/[\w./-]+)`/g)].map((match) => match[1] ?? "");

  assert.ok(named.length > 40);
  assert.deepEqual(
    named.filter((path) => !existsSync(fileURLToPath(new URL(path, ROOT)))),
    [],
  );
});
