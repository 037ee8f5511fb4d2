/** Reads what an agent showed: which of our tools it has, and which are its location's own (design 2). */
import type { Catalog } from "../catalog/catalog.ts";
import { readForeignTool } from "../catalog/foreign.ts";
import { parseManifest } from "../catalog/load.ts";
import type { ManifestReader } from "../routing/directory.ts";

/** A location's own tools beyond this are left out: they would crowd every list. */
const FOREIGN_TOOLS_PER_MANIFEST = 500;

export function createManifestReader(catalog: Catalog): ManifestReader {
  const ownNames = new Set(catalog.tools.map((tool) => tool.name));
  return {
    ownDigest: catalog.digest,
    ownNames,
    read(bytes) {
      const { tools } = parseManifest(bytes.toString("utf8"));
      const foreign = tools
        .filter((tool) => !ownNames.has(tool.name))
        .slice(0, FOREIGN_TOOLS_PER_MANIFEST)
        .flatMap((tool) => readForeignTool(tool) ?? []);
      return { names: new Set(tools.map((tool) => tool.name)), foreign };
    },
  };
}
