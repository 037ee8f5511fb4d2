/** v2 of the Network API: bare arrays and objects over the same state. */
import { createRow, deleteRow, type Outcome, updateRow } from "./change.ts";
import type { Endpoint, Exchange, Reply, SiteAnswer, SiteExchange } from "./exchange.ts";
import { v2Error, v2Plain } from "./replies.ts";
import { V2_RESOURCES, type V2Resource } from "./resources.ts";
import { siteEndpoints } from "./router.ts";
import { activeClients, offlineClients } from "./v2-clients.ts";
import { dashboard, flowStatistics, speedtests, systemLog, trafficFlows } from "./v2-insights.ts";
import { isRow } from "./world.ts";

const PREFIX = "/v2/api/site/:site";

function atSite(exchange: Exchange, answer: SiteAnswer): Reply {
  const site = exchange.world.sites.get(exchange.param("site"));
  return site === undefined ? v2Error(401, "NoSiteContext", "Site not found") : answer({ ...exchange, site });
}

export const V2: readonly Endpoint[] = [
  ...siteEndpoints(PREFIX, atSite, false, [
    ["GET", "clients/active", (x) => json(activeClients(x))],
    ["GET", "clients/history", (x) => json(offlineClients(x))],
    ["GET", "firewall/zone", (x) => json(x.site.tables["firewall-zones"])],
    ["GET", "firewall/zones", (x) => json(x.site.tables["firewall-zones"])],
    [
      "GET",
      "firewall/zone-matrix",
      (x) => json(x.site.tables["firewall-zones"].map((zone) => ({ ...zone, data: [] }))),
    ],
    ["GET", "aggregated-dashboard", (x) => json(dashboard(x))],
    ["POST", "system-log/:kind", systemLog],
    ["POST", "traffic-flows", (x) => json(trafficFlows(x))],
    ["GET", "traffic-flow-latest-statistics", (x) => json(flowStatistics(x))],
    ["GET", "described-features", () => json([])],
    ["GET", "speedtest", (x) => json({ data: speedtests(x) })],
  ]),
  ...V2_RESOURCES.flatMap(resourceEndpoints),
];

function resourceEndpoints(resource: V2Resource): Endpoint[] {
  const { listPath, itemPath } = resource;
  return [
    ...siteEndpoints(PREFIX, atSite, false, [
      ["GET", listPath, (x) => json(x.site.tables[resource.table])],
      ["GET", `${itemPath}/:id`, (x) => one(x, resource)],
    ]),
    ...siteEndpoints(PREFIX, atSite, true, [
      ["POST", itemPath, (x) => (resource.creatable ? create(x, resource) : notSupported("POST"))],
      ["PUT", `${itemPath}/:id`, (x) => update(x, resource)],
      ["DELETE", `${itemPath}/:id`, (x) => remove(x, resource)],
    ]),
  ];
}

function json(body: unknown): Reply {
  return { status: 200, body };
}

function notSupported(method: string): Reply {
  return v2Plain(405, `Request method '${method}' is not supported`);
}

function one(x: SiteExchange, resource: V2Resource): Reply {
  if (!resource.readableById) return notSupported("GET");
  const row = x.site.tables[resource.table].find((candidate) => candidate[resource.idField] === x.param("id"));
  return row === undefined ? notFound(x) : json(row);
}

function create(x: SiteExchange, resource: V2Resource): Reply {
  return numericPort(x, resource) ?? unknownField(x, resource) ?? answer(x, createRow(x, resource, resource.idField));
}

function update(x: SiteExchange, resource: V2Resource): Reply {
  const missing =
    resource.table === "firewall-policies" ? resource.required.find((field) => !(field in x.body)) : undefined;
  if (missing !== undefined) return v2Error(400, "FirewallPolicyInvalid", "Invalid firewall policy", [missing]);
  return numericPort(x, resource) ?? unknownField(x, resource) ?? answer(x, updateRow(x, resource, x.param("id")));
}

function remove(x: SiteExchange, resource: V2Resource): Reply {
  const outcome = deleteRow(x, resource, x.param("id"));
  return "row" in outcome ? { status: 204 } : answer(x, outcome);
}

/** A policy's ports are text; a number is refused (terraform-provider-unifi#223). */
function numericPort(x: SiteExchange, { table }: V2Resource): Reply | undefined {
  const wrong = ["source", "destination"].find((end) => {
    const value = x.body[end];
    return isRow(value) && typeof value.port === "number";
  });
  if (table !== "firewall-policies" || wrong === undefined) return undefined;
  return v2Error(400, "InvalidPayload", `Invalid value of ${wrong}.port`, [`${wrong}.port`]);
}

/** Most resources drop what they do not know; a few say so. */
function unknownField(x: SiteExchange, resource: V2Resource): Reply | undefined {
  if (!resource.strict) return undefined;
  const unknown = Object.keys(x.body).find((key) => !(key in resource.fields) && key !== "_id");
  return unknown === undefined ? undefined : v2Plain(400, `JSON parse error: Unrecognized field "${unknown}"`);
}

function answer(x: SiteExchange, outcome: Outcome): Reply {
  if ("row" in outcome) return json(outcome.row);
  if ("refusal" in outcome) {
    const { field, pattern } = outcome.refusal;
    return v2Error(400, "InvalidPayload", `Invalid value of ${field}: ${pattern}`, [field]);
  }
  return outcome.code === "IdInvalid" ? notFound(x) : v2Error(400, outcome.code, `Refused: ${outcome.code}`);
}

function notFound(x: SiteExchange): Reply {
  return v2Error(404, "NotFound", `No object with id ${x.param("id")}`);
}
