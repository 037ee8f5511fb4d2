/** A copy of this checkout, for what writes into one. */
import { cpSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../agent/agent-under-test.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NOT_COPIED = new Set(["node_modules", "dist", "var", ".git"]);

/** With the dependencies of this one. */
export function copyOfCheckout(t: TestContext): string {
  const copy = temporaryFolder(t);
  for (const name of readdirSync(ROOT)) {
    if (!NOT_COPIED.has(name)) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}
