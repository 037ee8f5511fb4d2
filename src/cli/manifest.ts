/** `unifi-edge manifest`: the manifest of the tools that this build declares. */
import type { Command } from "commander";
import { currentManifestText, manifestIsCurrent, STALE_MANIFEST, writeManifest } from "../tools/manifest.ts";

interface Given {
  readonly check?: true;
  readonly write?: true;
}

export function describe(command: Command): void {
  command
    .option("--write", "write tools_manifest.json beside the program instead of printing")
    .option("--check", "only say whether tools_manifest.json is up to date (status 1 when it is not)")
    .action((given: Given) => {
      if (given.check === true && !manifestIsCurrent()) {
        process.stderr.write(STALE_MANIFEST);
        process.exitCode = 1;
      } else if (given.check !== true) {
        process.stdout.write(
          given.write === true ? `tools_manifest.json: ${writeManifest()} tools\n` : currentManifestText(),
        );
      }
    });
}
