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

/** Writes the packaged file and returns how many tools it holds. */
export function writeManifest(): number {
  writeFileSync(FILE, currentManifestText());
  return TOOLS.length;
}

/** True when the packaged file is what the tools say; an absent one is not. */
export function manifestIsCurrent(): boolean {
  try {
    return readFileSync(FILE, "utf8") === currentManifestText();
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return false;
    throw thrown;
  }
}

export const STALE_MANIFEST =
  "tools_manifest.json does not match src/tools. Run `npm run manifest` and commit the result.\n";

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes("--check")) process.stdout.write(`tools_manifest.json: ${writeManifest()} tools\n`);
  else if (!manifestIsCurrent()) {
    process.stderr.write(STALE_MANIFEST);
    process.exitCode = 1;
  }
}
