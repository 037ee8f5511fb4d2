/** What all v1 endpoints share: where they live, and how a site is found. */
import type { Endpoint, Exchange, Reply, SiteAnswer } from "./exchange.ts";
import { v1Error } from "./replies.ts";
import { siteEndpoints } from "./router.ts";

type Rows = Parameters<typeof siteEndpoints>[3];

function atSite(exchange: Exchange, answer: SiteAnswer): Reply {
  const site = exchange.world.sites.get(exchange.param("site"));
  return site === undefined ? v1Error("NoSiteContext") : answer({ ...exchange, site });
}

/** Rows below `/api/s/{site}/` that change nothing. */
export function v1Reads(rows: Rows): Endpoint[] {
  return siteEndpoints("/api/s/:site", atSite, false, rows);
}

/** Rows below `/api/s/{site}/` that change the console. */
export function v1Writes(rows: Rows): Endpoint[] {
  return siteEndpoints("/api/s/:site", atSite, true, rows);
}
