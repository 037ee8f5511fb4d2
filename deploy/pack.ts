/**
 * Runs around `npm pack`: before, it builds and leaves in package.json only what the published package needs (no
 * development tools, and not the Node binary that serves checkouts on old machines); after, it puts the file back.
 * Publish the packed file (`npm publish <file>.tgz`): of a folder the registry would be told the full package.json.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "./build.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PACKAGE = join(ROOT, "package.json");
/** The full file while the short one stands in its place; only ever there whole. */
const KEPT = join(ROOT, "package.json.kept");

const LOOK_EVERY_MS = 250;
const SHELL = /(^|\/)-?(sh|ash|bash|dash|zsh)$/;

const STEPS: Readonly<Record<string, (argument: string | undefined) => void | Promise<void>>> = {
  before,
  after,
  guard,
};

function before(): void {
  after(); // where the machine went down in mid-pack
  build();
  const text = readFileSync(PACKAGE, "utf8");
  const { devDependencies: _dev, optionalDependencies: _binaries, scripts: _scripts, ...published } = JSON.parse(text);
  replace(KEPT, text);
  try {
    replace(PACKAGE, `${JSON.stringify(published, null, 2)}\n`);
  } catch (error) {
    after();
    throw error;
  }
  const npm = npmProcess();
  if (npm === undefined) return;
  spawn(process.execPath, [import.meta.filename, "guard", String(npm)], { detached: true, stdio: "ignore" }).unref();
}

/** npm runs no `postpack` after Ctrl-C or where packing fails, and the short file has no scripts that could heal it. */
async function guard(npm: string | undefined): Promise<void> {
  while (existsSync(KEPT) && isRunning(Number(npm))) await wait(LOOK_EVERY_MS);
  after();
}

function after(): void {
  if (existsSync(KEPT)) renameSync(KEPT, PACKAGE);
}

/** Whoever runs this script, beyond the shell that npm puts between; undefined where the machine has no `ps`. */
function npmProcess(): number | undefined {
  let pid = process.ppid;
  try {
    for (;;) {
      const row = execFileSync("ps", ["-o", "ppid=,comm=", "-p", String(pid)], { encoding: "utf8" }).trim();
      const [parent = "", command = ""] = row.split(/\s+/, 2);
      if (!SHELL.test(command)) return pid;
      pid = Number(parent);
    }
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** In one step, so that no half-written file is ever found. */
function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

const step = STEPS[process.argv[2] ?? ""];
if (!step) throw new Error("usage: pack.ts before|after");
await step(process.argv[3]);
