/** The gateway's own secret: made once, and never made anew over one that is damaged. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { loadSecret } from "../../src/gateway/secret.ts";

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "unifi-edge-secret-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test("the secret of the first start is the secret of all later ones", (t) => {
  const path = folder(t);

  const first = loadSecret(path, randomBytes);
  const second = loadSecret(path, randomBytes);

  assert.equal(first.length, 43);
  assert.equal(second, first);
});

for (const [what, text] of [
  ["empty", ""],
  ["cut short", "abc"],
] as const) {
  test(`a secret file that is ${what} is refused by its name, and left as it is`, (t) => {
    const path = folder(t);
    writeFileSync(join(path, "secret.key"), text);

    assert.throws(() => loadSecret(path, randomBytes), {
      code: "CONFIG_INVALID",
      message: /secret\.key is damaged/,
      hint: /from a backup/,
    });
    assert.equal(readFileSync(join(path, "secret.key"), "utf8"), text);
  });
}
