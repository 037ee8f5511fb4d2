/** The image's tree without a container engine: read-only, as nobody, with production dependencies only. */
import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "../agent/agent-under-test.ts";
import { copyOfCheckout, ROOT } from "../support/checkout.ts";
import { until } from "../support/until.ts";
import { freePort } from "../support/world.ts";

const run = promisify(execFile);
const PATH_WITH_NODE = `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`;
const NOBODY = "65534";

/** A root of the system's libraries, Node and the tree, all read-only, but for the state at `/data`. */
function sandbox(tree: string, state: string, env: Readonly<Record<string, string>>): string[] {
  const system = ["/usr", "/lib", "/lib64", "/bin", "/etc/ssl"].filter((path) => existsSync(path));
  return [
    "--unshare-user",
    ...["--uid", NOBODY, "--gid", NOBODY, "--die-with-parent", "--clearenv", "--proc", "/proc", "--dev", "/dev"],
    ...system.flatMap((path) => ["--ro-bind", path, path]),
    ...["--ro-bind", process.execPath, "/node", "--ro-bind", tree, "/app", "--bind", state, "/data", "--tmpfs", "/tmp"],
    ...["--chdir", "/data", "--remount-ro", "/"],
    ...Object.entries({ NODE_ENV: "production", UNIFI_EDGE_STATE_DIR: "/data", ...env }).flatMap(([name, value]) => [
      "--setenv",
      name,
      value,
    ]),
    "--",
    "/node",
  ];
}

/** Why no sandbox can be made here; undefined = one can. */
function noSandbox(): string | undefined {
  const tried = spawnSync("bwrap", ["--unshare-user", "--uid", NOBODY, "--ro-bind", "/", "/", "true"]);
  if (tried.status === 0) return undefined;
  return `bwrap makes no sandbox on this machine: ${tried.error?.message ?? String(tried.stderr).trim()}`;
}

async function treeOf(t: TestContext): Promise<string> {
  const tree = join(temporaryFolder(t), "app");
  await run(process.execPath, ["deploy/image.ts", tree], {
    cwd: copyOfCheckout(t),
    env: { ...process.env, PATH: PATH_WITH_NODE, npm_config_prefer_offline: "true" },
  });
  return tree;
}

test("the image's tree serves as nobody on a read-only root", { skip: noSandbox() ?? false }, async (t) => {
  const tree = await treeOf(t);
  const modules = readdirSync(join(tree, "node_modules"));
  const { stdout: size } = await run("du", ["-sm", tree]);
  t.diagnostic(`${size.split("\t")[0]} MB`);
  const state = join(temporaryFolder(t), "state");
  mkdirSync(state);
  chmodSync(state, 0o777); // the sandbox's nobody is this test's user, or its own

  assert.deepEqual(
    modules.filter((name) => /^(typescript|node-linux|playwright|autocannon|node-unifi|@biomejs|knip)/.test(name)),
    [],
  );
  assert.deepEqual(
    readdirSync(join(tree, "dist"), { recursive: true, encoding: "utf8" }).filter((path) => /\.ts$/.test(path)),
    [],
  );

  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { UNIFI_EDGE_PUBLIC_URL: url, UNIFI_EDGE_LISTEN: `127.0.0.1:${port}` };
  const gateway = spawn("bwrap", [...sandbox(tree, state, env), "/app/bin/unifi-edge.js", "gateway"]);
  t.after(() => gateway.kill("SIGKILL"));
  const output: string[] = [];
  for (const stream of [gateway.stdout, gateway.stderr]) stream.on("data", (chunk) => output.push(String(chunk)));
  await until("the gateway is ready", async () => {
    assert.equal(gateway.exitCode, null, output.join(""));
    return fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
  });

  const check = /CMD \["node", "-e", "(.+)"\]/.exec(readFileSync(join(ROOT, "deploy/Dockerfile"), "utf8"))?.[1];
  assert.ok(check);
  const healthy = await run(process.execPath, ["-e", check.replace("127.0.0.1:8080", `127.0.0.1:${port}`)]);
  assert.equal(healthy.stderr, "");
  const metadata = await fetch(`${url}/.well-known/oauth-protected-resource/mcp`);
  assert.equal(((await metadata.json()) as { resource: string }).resource, `${url}/mcp`);
  assert.match(output.join(""), /setup|set-up/i);
  assert.ok(existsSync(join(state, "store.sqlite")));

  const write = 'try{require("fs").writeFileSync("/app/x","")}catch(e){console.log(e.code)}';
  const { stdout: refused } = await run("bwrap", [...sandbox(tree, state, {}), "-e", write]);
  assert.equal(refused.trim(), "EROFS");
  gateway.kill("SIGTERM");
  await once(gateway, "exit");
});
