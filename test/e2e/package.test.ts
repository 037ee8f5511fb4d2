/** The published package: packed from a copy of this checkout, installed elsewhere, and run from there. */
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { temporaryFolder } from "../agent/agent-under-test.ts";
import { copyOfCheckout, ROOT } from "../support/checkout.ts";
import { CLIENTS, runToEnd, settingsFor } from "../support/local-clients.ts";

/** Where a machine's own Node may be; this test runs on the one that the checkout brings. */
const SYSTEM_NODES = ["/usr/bin/node", "/usr/local/bin/node"];

const PATH_WITH_NODE = `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`;

const run = promisify(execFile);

/** npm on the Node that runs this test. */
function npm(cwd: string, ...args: readonly string[]) {
  return run("npm", [...args], { cwd, env: { ...process.env, PATH: PATH_WITH_NODE } });
}

function packageOf(folder: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
}

test("the package, installed elsewhere, serves an MCP client beside a console", async (t) => {
  const copy = copyOfCheckout(t);
  const original = readFileSync(join(copy, "package.json"), "utf8");
  const { stdout } = await npm(copy, "pack", "--json");
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [{ filename: string; files: { path: string }[] }];
  const paths = packed.files.map(({ path }) => path);

  assert.equal(readFileSync(join(copy, "package.json"), "utf8"), original);
  assert.equal(existsSync(join(copy, "package.json.kept")), false);
  assert.deepEqual(paths.filter((path) => /\.tsx?$/.test(path) || !/^(bin|dist|docs)\//.test(path)).sort(), [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "package.json",
    "tools_manifest.json",
  ]);
  const data = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter((path) =>
    /\.(json|css)$/.test(path),
  );
  for (const path of ["bin/unifi-edge.js", "dist/cli/main.js", ...data.map((file) => `dist/${file}`)]) {
    assert.equal(paths.includes(path), true, path);
  }

  const elsewhere = join(temporaryFolder(t), "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "package.json"), "{}");
  const quiet = ["--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--prefer-offline"];
  await npm(elsewhere, "install", ...quiet, join(copy, packed.filename));
  const installed = packageOf(join(elsewhere, "node_modules/unifi-mcp-edge"));

  for (const field of ["devDependencies", "optionalDependencies", "scripts"]) assert.equal(field in installed, false);
  assert.deepEqual(
    readdirSync(join(elsewhere, "node_modules")).filter((name) => /^(node-linux|typescript|unifi-protect)/.test(name)),
    [],
  );

  const program = join(elsewhere, "node_modules/.bin/unifi-edge");
  const simulator = await startSimulator({ persona: "unifi-os" });
  t.after(() => simulator.close());
  const env = settingsFor(simulator, temporaryFolder(t));
  for (const kind of CLIENTS) {
    const client = await kind.connect({ command: process.execPath, args: [program, "local"], env });
    t.after(() => client.close());

    const names = await client.names();
    const ran = await client.call("unifi_execute", { tool: "unifi_list_clients", arguments: { limit: 1 } });

    assert.equal(names[0], "unifi_tool_index");
    assert.deepEqual([ran.success, ran.site], [true, "default"]);
  }

  const version = await runToEnd(["--version"], {}, process.execPath, program);
  const manifest = await runToEnd(["manifest", "--check"], {}, process.execPath, program);
  const demo = await runToEnd(["demo", "--exit"], {}, process.execPath, program);

  assert.deepEqual([version.status, version.stdout.trim()], [0, installed.version]);
  assert.equal(manifest.status, 0, manifest.stderr);
  assert.deepEqual([demo.status, demo.stdout], [2, ""]);
  assert.match(demo.stderr, /needs a checkout/);
  assert.doesNotMatch(demo.stderr, /\n {4}at /);
});

test("a pack that is killed half-way leaves package.json as it was", async (t) => {
  const copy = copyOfCheckout(t);
  const original = readFileSync(join(copy, "package.json"), "utf8");
  const npmInMidPack = `
    require("node:child_process").execSync("node deploy/pack.ts before", { stdio: ["ignore", "ignore", "inherit"] });
    process.stdout.write("packing");
    setInterval(() => {}, 1000);`;
  const packing = spawn(process.execPath, ["-e", npmInMidPack], {
    cwd: copy,
    env: { ...process.env, PATH: PATH_WITH_NODE },
  });
  t.after(() => packing.kill("SIGKILL"));
  const restored = new Promise<void>((resolve) => {
    const watcher = watch(copy, (_event, name) => {
      if (name === "package.json.kept" && !existsSync(join(copy, name))) resolve();
    });
    t.after(() => watcher.close());
  });

  const ended = once(packing, "exit").then(() => assert.fail("packing ended before it was killed"));
  ended.catch(() => undefined); // it does end, once it was killed
  await Promise.race([once(packing.stdout, "data"), ended]);
  const short = packageOf(copy);
  packing.kill("SIGKILL");
  await restored;

  assert.equal("scripts" in short, false);
  assert.equal(readFileSync(join(copy, "package.json"), "utf8"), original);
});

test("a Node that is too old is told so in words", async () => {
  const pretended = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "24.11.1" } });`;
  const old = SYSTEM_NODES.filter((node) => existsSync(node)).filter((node) => {
    const [major = 0, minor = 0] = execFileSync(node, ["-p", "process.versions.node"])
      .toString()
      .split(".")
      .map(Number);
    return major < 24 || (major === 24 && minor < 12);
  });

  const program = join(ROOT, "bin/unifi-edge.js");
  const url = `data:text/javascript,${encodeURIComponent(pretended)}`;
  const results = [
    await runToEnd([program, "--version"], {}, process.execPath, `--import=${url}`),
    ...(await Promise.all(old.map((node) => runToEnd(["--version"], {}, node, program)))),
  ];

  for (const { status, stdout, stderr } of results) {
    assert.deepEqual([status, stdout], [1, ""]);
    assert.match(stderr, /^unifi-edge needs Node 24\.12 or newer; this is Node \d+\.\d+\.\d+\.\n/);
  }
});
