/** `npm run manifest`: writes tools_manifest.json from the declared tools; `--check` fails when the file is stale. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Manifest } from "../catalog/manifest.ts";
import { manifestOf } from "./describe.ts";
import { TOOLS } from "./index.ts";

const FILE = new URL("../../tools_manifest.json", import.meta.url);

/** The file's text: one line a tool and an endpoint, so that a change reads well in a diff and the file stays small. */
export function manifestText(manifest: Manifest): string {
  const { tools, reference, ...head } = manifest;
  const lines = (items: readonly unknown[]) => items.map((item) => JSON.stringify(item)).join(",\n");
  return `${JSON.stringify(head).slice(0, -1)},
"reference":{"network":[
${lines(reference.network)}
]},
"tools":[
${lines(tools)}
]}
`;
}

/** What the packaged file should hold. */
export function currentManifestText(): string {
  return manifestText(manifestOf(TOOLS, "npm run manifest"));
}

/** Returns the process's exit status. */
function main(check: boolean): number {
  const wanted = currentManifestText();
  if (!check) {
    writeFileSync(FILE, wanted);
    process.stdout.write(`tools_manifest.json: ${TOOLS.length} tools\n`);
    return 0;
  }
  if (readExisting() === wanted) return 0;
  process.stderr.write("tools_manifest.json does not match src/tools. Run `npm run manifest` and commit the result.\n");
  return 1;
}

function readExisting(): string | undefined {
  try {
    return readFileSync(FILE, "utf8");
  } catch {
    return undefined; // absent counts as stale
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.includes("--check"));
