/** `node deploy/image.ts FOLDER`: the tree that an image holds: emitted code, its data, and production dependencies only. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "./build.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FILES = ["bin", "dist", "tools_manifest.json", "LICENSE", "package-lock.json"];
/** Node's own binaries: an image brings Node. */
const NOT_IN_IMAGES = /^node-linux-/;

interface PackageJson {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** `folder` must be absent or empty. Needs the network or npm's cache, as `npm ci` does. */
export function buildImageTree(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty.`);
  build();
  mkdirSync(folder, { recursive: true });
  for (const file of FILES) cpSync(join(ROOT, file), join(folder, file), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as PackageJson; // our own file
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(ROOT, ".npmrc"), join(folder, ".npmrc"));
  execFileSync("npm", ["ci", "--omit=dev", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: "inherit",
  });
  const modules = join(folder, "node_modules");
  for (const name of readdirSync(modules)) {
    if (NOT_IN_IMAGES.test(name)) rmSync(join(modules, name), { recursive: true });
  }
  for (const file of [".npmrc", "package-lock.json"]) rmSync(join(folder, file));
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error("Usage: node deploy/image.ts FOLDER");
    process.exit(2);
  }
  buildImageTree(resolve(folder));
}
