#!/usr/bin/env node
// Plain JavaScript on purpose: an old Node must get as far as the sentence below.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  console.error(
    `unifi-edge needs Node 24.12 or newer; this is Node ${process.versions.node}.\n` +
      "Install a current Node (https://nodejs.org), or in a checkout on Linux run it through npm\n" +
      "(for example `npm run demo`), which brings its own.",
  );
  process.exit(1);
}
const { existsSync } = await import("node:fs");
const source = new URL("../src/cli/main.ts", import.meta.url);
const built = new URL("../dist/cli/main.js", import.meta.url);
// A checkout runs its sources; the published package has no src (Node strips no types under node_modules).
const { main } = await import((existsSync(source) ? source : built).href);
process.exitCode = await main(process.argv.slice(2));
