/** Emits `dist/`: the published package's JavaScript (Node strips no types under node_modules), and the data beside it. */
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

export function build(): void {
  rmSync(join(ROOT, "dist"), { recursive: true, force: true });
  execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
    cwd: ROOT,
    stdio: "inherit",
  });
  for (const path of readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })) {
    if (/\.(json|css|md)$/.test(path)) cpSync(join(ROOT, "src", path), join(ROOT, "dist", path));
  }
}

if (import.meta.main) build();
