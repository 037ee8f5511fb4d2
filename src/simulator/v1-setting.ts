/** v1 settings: one section per key. */
import schemas from "./data/schemas.json" with { type: "json" };
import type { Endpoint, Reply, SiteExchange } from "./exchange.ts";
import { ok, v1Error, v1Invalid } from "./replies.ts";
import { checkFields, type Fields } from "./schema-check.ts";
import { v1Reads, v1Writes } from "./v1.ts";

const SECTIONS = schemas.settings as unknown as Readonly<Record<string, Fields>>; // vocabulary of data/schemas.json

export const V1_SETTING: readonly Endpoint[] = [
  ...v1Reads([
    ["GET", "get/setting", all],
    ["GET", "rest/setting", all],
    ["GET", "get/setting/:key", one],
  ]),
  ...v1Writes([
    // answers 500 on a real 10.0.162 (unifi-api.md section 2)
    ["PUT", "set/setting/auto_speedtest", () => ({ ...v1Error("ServerError"), status: 500 })],
    ["PUT", "set/setting/:key", set],
    ["POST", "set/setting/:key", set],
    ["POST", "set/setting/:key/:id", set],
    ["PUT", "set/setting/:key/:id", set],
    ["PUT", "rest/setting/:key/:id", set],
    // without the section's name the console refuses (unifi-api.md section 2)
    ["PUT", "rest/setting/:id", () => v1Error("Invalid")],
  ]),
];

function all(x: SiteExchange): Reply {
  return ok([...x.site.settings.values()]);
}

/** A section that was never set is an empty object, not an error. */
function one(x: SiteExchange): Reply {
  const key = x.param("key");
  if (SECTIONS[key] === undefined && !x.site.settings.has(key)) return v1Error("InvalidObject");
  return ok([x.site.settings.get(key) ?? {}]);
}

function set(x: SiteExchange): Reply {
  const key = x.param("key");
  const fields = SECTIONS[key];
  if (fields === undefined) return v1Error("InvalidObject");
  const checked = checkFields(fields, x.body);
  if ("refusal" in checked) return v1Invalid(checked.refusal.field, checked.refusal.pattern);
  const before = x.site.settings.get(key) ?? { _id: x.world.newId(), key, site_id: x.site.id };
  const section = { ...before, ...checked.row };
  x.site.settings.set(key, section);
  x.announce(x.site, "setting:sync", [section]);
  return ok([section]);
}
