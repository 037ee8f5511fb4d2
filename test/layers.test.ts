/** Holds the table of who may import whom (design section 2). Widening it to make a change fit is the wrong fix. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SRC = fileURLToPath(new URL("../src", import.meta.url));

/** Importable by every room; they import the ground only. */
const FREE = ["errors", "principal", "audit", "redaction", "telemetry"];

const MAY_IMPORT: Readonly<Record<string, readonly string[] | "everything">> = {
  cli: "everything",
  gateway: ["mcp", "oauth", "routing", "batch", "admin", "tunnel", "store", "catalog", "config"],
  agent: ["tunnel", "tools", "controller", "catalog", "config"],
  mcp: ["catalog"],
  oauth: ["store"],
  admin: ["store"],
  routing: ["tunnel", "store", "catalog"],
  batch: ["tunnel", "store", "catalog"],
  tools: ["controller", "catalog"],
  controller: [],
  tunnel: [],
  store: [],
  catalog: [],
  config: [],
  simulator: [],
  audit: [],
  redaction: [],
  telemetry: [],
  errors: [],
  principal: [],
};

/** Ports: files that hold only types, implemented by rooms that may not import the rest of the port's room. */
const PORTS: Readonly<Record<string, readonly string[]>> = { "mcp/execution.ts": ["routing", "batch"] };

/** Files where a room's real parts are made, so the only ones there that may read config. */
const MAINS = ["gateway/main.ts", "agent/main.ts"];

function roomOf(path: string): string {
  return (path.split("/")[0] ?? "").replace(/\.ts$/, "");
}

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));

function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g)].map((match) =>
    relative(SRC, resolve(dirname(join(SRC, file)), match[1] ?? "")),
  );
}

function allowed(from: string, target: string): boolean {
  const room = roomOf(from);
  const other = roomOf(target);
  if (room === other || target.startsWith("..")) return true;
  if (other === "config" && room !== "cli") return MAINS.includes(from);
  const table = MAY_IMPORT[room];
  if (table === "everything") return true;
  if (other === "errors" || other === "principal") return true;
  if (FREE.includes(other)) return !FREE.includes(room);
  return (table?.includes(other) ?? false) || (PORTS[target]?.includes(room) ?? false);
}

test("imports between rooms follow the table", () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((target) => !allowed(file, target))
      .map((target) => `${file} imports ${target}`),
  );

  assert.deepEqual(wrong, []);
});

test("every room stands in the table", () => {
  assert.deepEqual([...new Set(files.map(roomOf))].filter((room) => !(room in MAY_IMPORT)).sort(), []);
});

test("every file opens with a sentence that says what it is", () => {
  const silent = files.filter((file) => !readFileSync(join(SRC, file), "utf8").startsWith("/**"));

  assert.deepEqual(silent, []);
});

test("no source file is longer than 400 lines", () => {
  const long = files.filter((file) => readFileSync(join(SRC, file), "utf8").split("\n").length > 401);

  assert.deepEqual(long, []);
});

test("process.env is read in config and cli only", () => {
  const readers = files.filter(
    (file) =>
      !["config", "cli"].includes(roomOf(file)) && readFileSync(join(SRC, file), "utf8").includes("process.env"),
  );

  assert.deepEqual(readers, []);
});
