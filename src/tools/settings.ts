/** Sections of a site's settings: read, changed field by field over what is there, read back. */
import type { NetworkSite, Row } from "../controller/controller.ts";
import { mergeDeep, pick, sameJson } from "./merge.ts";
import type { Plan } from "./tool.ts";

/** A section as the console has it; one that was never set is an empty object there. */
export async function readSection(network: NetworkSite, key: string): Promise<Row> {
  const [section = {}] = await network.v1("GET", `/get/setting/${key}`);
  return section;
}

interface SectionChange {
  readonly key: string;
  /** In the names of `show`. */
  readonly asked: Row;
  /** Argument names to the console's; default: the same. */
  readonly encode?: (asked: Row) => Row;
  /** The section in argument names; default: as it is. */
  readonly show?: (section: Row) => Row;
  /** Sections that refuse their own secrets when they come back are changed by the named fields alone. */
  readonly whole?: boolean;
  readonly warnings?: readonly string[];
  readonly unverifiable?: readonly string[];
  readonly answer?: (asked: Row) => Row;
}

/** Plans a change of a section: what is not named stays. */
export async function sectionChange(network: NetworkSite, change: SectionChange): Promise<Plan> {
  const { key, asked, encode = (data) => data, show = (section) => section, whole = true, answer } = change;
  const section = await readSection(network, key);
  const current = show(section);
  const sent = encode(asked);
  const fields = Object.keys(asked).filter((field) => !sameJson(current[field], asked[field]));
  const identity = { ...pick(section, ["_id"]), key };
  return {
    action: "update",
    resourceType: "site_setting",
    resourceId: key,
    current: pick(current, fields),
    proposed: pick(asked, fields),
    warnings: change.warnings ?? [],
    unverifiable: change.unverifiable ?? [],
    unchanged: fields.length === 0,
    async apply() {
      await network.v1(
        "PUT",
        `/set/setting/${key}`,
        whole ? { ...mergeDeep(section, sent), key } : { ...sent, ...identity },
      );
      return { updated_fields: fields, ...answer?.(asked) };
    },
    readBack: async () => pick(show(await readSection(network, key)), fields),
  };
}
