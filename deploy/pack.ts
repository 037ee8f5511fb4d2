/**
 * Runs around `npm pack`: before, it builds and leaves in package.json only what the published package needs (no
 * development tools, and not the Node binary that serves checkouts on old machines); after, it puts the file back.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "./build.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PACKAGE = join(ROOT, "package.json");
const KEPT = join(ROOT, "package.json.kept");

const STEPS: Readonly<Record<string, () => void>> = { before, after };

function before(): void {
  after(); // a pack that was killed half-way left the short file
  build();
  const text = readFileSync(PACKAGE, "utf8");
  const { devDependencies: _dev, optionalDependencies: _binaries, scripts: _scripts, ...published } = JSON.parse(text);
  writeFileSync(KEPT, text);
  writeFileSync(PACKAGE, `${JSON.stringify(published, null, 2)}\n`);
}

function after(): void {
  if (existsSync(KEPT)) renameSync(KEPT, PACKAGE);
}

const step = STEPS[process.argv[2] ?? ""];
if (!step) throw new Error("usage: pack.ts before|after");
step();
