/** v1 paths outside a site: who am I, which sites are there, is the application up. */
import shapes from "./data/console.json" with { type: "json" };
import type { Endpoint, Exchange, Reply } from "./exchange.ts";
import { healthRows } from "./health.ts";
import { ok } from "./replies.ts";
import { selfRow, statusMeta } from "./sysinfo.ts";
import { v1Reads } from "./v1.ts";
import { uuidOf } from "./world.ts";

function read(method: string, path: string, answer: (x: Exchange) => Reply): Endpoint {
  return { method, path, write: false, answer };
}

export const V1_GLOBAL: readonly Endpoint[] = [
  read("GET", "/api/self", self),
  ...v1Reads([["GET", "self", self]]),
  read("GET", "/api/self/sites", sites),
  read("GET", "/api/stat/sites", (x) =>
    ok([...x.world.sites.values()].map((site, index) => ({ ...siteRow(x, index), health: healthRows(x.world, site) }))),
  ),
  read("GET", "/api/stat/admin", (x) => ok([{ ...selfRow(x.world, "admin"), roles: [] }])),
  // on UniFi OS it needs a session; the standalone persona opens the same path (auth-standalone.ts)
  read("GET", "/status", status),
  read("POST", "/status", status),
];

export function status(x: Exchange): Reply {
  return { status: 200, body: { meta: statusMeta(x.world), data: [] } };
}

function self(x: Exchange): Reply {
  return ok([selfRow(x.world, "admin")]);
}

function sites(x: Exchange): Reply {
  return ok([...x.world.sites.keys()].map((_, index) => siteRow(x, index)));
}

function siteRow(x: Exchange, index: number) {
  const site = [...x.world.sites.values()][index];
  if (site === undefined) return {};
  return {
    ...shapes.siteRow,
    ...(site.name === "default" ? { attr_no_delete: true, attr_hidden_id: "default" } : {}),
    _id: site.id,
    name: site.name,
    desc: site.desc,
    role: "admin",
    external_id: site.uuid,
    anonymous_id: uuidOf(site.uuid, "anonymous"),
    device_count: site.tables.device.length,
  };
}
