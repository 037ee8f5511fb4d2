/** Integration API v1: paged lists under site UUIDs, opened by an API key only. */
import type { Endpoint, Exchange, Reply, Row, SiteAnswer, SiteExchange } from "./exchange.ts";
import { badRequest, notFound } from "./integration-errors.ts";
import { parseFilter } from "./integration-filter.ts";
import { readOrdering, writeOrdering } from "./integration-ordering.ts";
import {
  broadcastRow,
  clientRow,
  deviceDetails,
  deviceRow,
  dnsRow,
  firewallPolicyRow,
  integrationIdOf,
  networkRow,
  statistics,
  zoneRow,
} from "./integration-rows.ts";
import {
  clientAction,
  createDnsPolicy,
  deleteDnsPolicy,
  deviceAction,
  portAction,
  updateDnsPolicy,
} from "./integration-writes.ts";
import { siteEndpoints } from "./router.ts";
import { deviceRows, stationRows } from "./views.ts";

const PREFIX = "/integration/v1/sites/:siteId";

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 200;

type RowsAt = (x: SiteExchange) => Row[];

const clients: RowsAt = (x) => stationRows(x.world, x.site).map((row) => clientRow(x.site, row));
const devices: RowsAt = (x) => deviceRows(x.world, x.site).map((row) => deviceRow(x.site, row));
const networks: RowsAt = (x) =>
  x.site.tables.networkconf.filter((row) => row.purpose !== "wan").map((row) => networkRow(x.site, row));
const broadcasts: RowsAt = (x) => x.site.tables.wlanconf.map((row) => broadcastRow(x.site, row));
const policies: RowsAt = (x) => x.site.tables["firewall-policies"].map((row) => firewallPolicyRow(x.site, row));
const zones: RowsAt = (x) => x.site.tables["firewall-zones"].map((row) => zoneRow(x.site, row));
const dnsPolicies: RowsAt = (x) => x.site.tables["static-dns"].map((row) => dnsRow(x.site, row));

function atSite(x: Exchange, answer: SiteAnswer): Reply {
  const site = [...x.world.sites.values()].find((candidate) => candidate.uuid === x.param("siteId"));
  return site === undefined ? notFound(x, "Site") : answer({ ...x, site });
}

export const INTEGRATION: readonly Endpoint[] = [
  {
    method: "GET",
    path: "/integration/v1/info",
    write: false,
    answer: (x) => json({ applicationVersion: x.world.networkVersion }),
  },
  { method: "GET", path: "/integration/v1/sites", write: false, answer: listSites },
  { method: "GET", path: "/integration/v1/pending-devices", write: false, answer: (x) => page(x, []) },
  { method: "GET", path: "/integration/v1/dpi/categories", write: false, answer: (x) => page(x, DPI_CATEGORIES) },
  { method: "GET", path: "/integration/v1/dpi/applications", write: false, answer: (x) => page(x, DPI_APPLICATIONS) },
  ...siteEndpoints(PREFIX, atSite, false, [
    ["GET", "clients", (x) => page(x, clients(x))],
    ["GET", "clients/:id", (x) => one(x, clients(x))],
    ["GET", "devices", (x) => page(x, devices(x))],
    ["GET", "devices/:id", (x) => deviceOne(x, deviceDetails)],
    ["GET", "devices/:id/statistics/latest", (x) => deviceOne(x, statistics)],
    ["GET", "networks", (x) => page(x, networks(x))],
    ["GET", "networks/:id", (x) => one(x, networks(x))],
    ["GET", "wifi/broadcasts", (x) => page(x, broadcasts(x))],
    ["GET", "wifi/broadcasts/:id", (x) => one(x, broadcasts(x))],
    ["GET", "firewall/zones", (x) => page(x, zones(x))],
    ["GET", "firewall/policies", (x) => page(x, policies(x))],
    ["GET", "firewall/policies/ordering", readOrdering],
    ["GET", "dns/policies", (x) => page(x, dnsPolicies(x))],
    ["GET", "dns/policies/:id", (x) => one(x, dnsPolicies(x))],
  ]),
  ...siteEndpoints(PREFIX, atSite, true, [
    ["POST", "dns/policies", createDnsPolicy],
    ["PUT", "dns/policies/:id", updateDnsPolicy],
    ["DELETE", "dns/policies/:id", deleteDnsPolicy],
    ["PUT", "firewall/policies/ordering", writeOrdering],
    ["POST", "devices/:id/actions", deviceAction],
    ["POST", "devices/:id/interfaces/ports/:port/actions", portAction],
    ["POST", "clients/:id/actions", clientAction],
  ]),
];

const DPI_CATEGORIES = [
  { id: 4, name: "Media streaming services" },
  { id: 8, name: "Games" },
  { id: 13, name: "Web services" },
];

const DPI_APPLICATIONS = [
  { id: 262_256, name: "Netflix", categoryId: 4 },
  { id: 524_296, name: "Steam", categoryId: 8 },
  { id: 852_190, name: "SSL/TLS", categoryId: 13 },
];

function json(body: unknown): Reply {
  return { status: 200, body };
}

function listSites(x: Exchange): Reply {
  return page(
    x,
    [...x.world.sites.values()].map((site) => ({ id: site.uuid, internalReference: site.name, name: site.desc })),
  );
}

/** `{offset,limit,count,totalCount,data}`; limit 0 to 200, 25 by default. */
function page(x: Exchange, rows: readonly Row[]): Reply {
  const offset = Number(x.query.get("offset") ?? 0);
  const limit = Number(x.query.get("limit") ?? DEFAULT_LIMIT);
  if (!Number.isInteger(offset) || offset < 0) return badRequest(x, "'offset' is out of range");
  if (!Number.isInteger(limit) || limit < 0 || limit > MAX_LIMIT) return badRequest(x, "'limit' is out of range");
  const filter = x.query.get("filter");
  const keep = filter === null ? () => true : parseFilter(filter);
  if (keep === undefined) return badRequest(x, "'filter' cannot be read");
  const found = rows.filter(keep);
  const data = found.slice(offset, offset + limit);
  return json({ offset, limit, count: data.length, totalCount: found.length, data });
}

function one(x: SiteExchange, rows: readonly Row[]): Reply {
  const row = rows.find((candidate) => candidate.id === x.param("id"));
  return row === undefined ? notFound(x, "Object") : json(row);
}

function deviceOne(x: SiteExchange, show: (x: SiteExchange, device: Row) => Row): Reply {
  const device = deviceRows(x.world, x.site).find((row) => integrationIdOf(x.site, row) === x.param("id"));
  return device === undefined ? notFound(x, "Device") : json(show(x, device));
}
