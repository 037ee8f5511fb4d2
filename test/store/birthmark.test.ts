/** A store that was lost is told, never begun anew in silence. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkBirthmark } from "../../src/store/birthmark.ts";
import { createEmbeddedStore } from "../../src/store/embedded.ts";
import { openRegister, type Register } from "../../src/store/register.ts";

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "unifi-edge-mark-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** One start of a gateway, as far as its register goes. */
async function start(path: string): Promise<Register> {
  const store = createEmbeddedStore({ path: join(path, "store.sqlite"), now: Date.now });
  try {
    const register = await openRegister(store, { random: randomBytes, now: Date.now });
    checkBirthmark(join(path, "store.id"), register);
    return register;
  } finally {
    await store.close();
  }
}

test("a store that is still there starts again and again", async (t) => {
  const path = folder(t);

  const first = await start(path);
  const second = await start(path);

  assert.deepEqual(second, first);
});

for (const [what, lose] of [
  ["removed", (file: string) => rmSync(file)],
  ["emptied", (file: string) => writeFileSync(file, "")],
] as const) {
  test(`a store whose file was ${what} is told in words, at each start`, async (t) => {
    const path = folder(t);
    await start(path);
    lose(join(path, "store.sqlite"));

    const refusal = { code: "STORE_UNAVAILABLE", message: /lost or emptied/, hint: /from a backup/ };

    await assert.rejects(start(path), refusal);
    await assert.rejects(start(path), refusal);
  });
}

test("who removes the mark as well begins anew", async (t) => {
  const path = folder(t);
  const first = await start(path);
  rmSync(join(path, "store.sqlite"));
  rmSync(join(path, "store.id"));

  const anew = await start(path);

  assert.notEqual(anew.id, first.id);
});
