/** Integration API writes: DNS policies, and the actions of devices and clients. They change the same rows as v1 and v2. */
import { createRow, deleteRow, type Outcome, updateRow } from "./change.ts";
import { CLIENT_COMMANDS } from "./cmd-client.ts";
import { DEVICE_COMMANDS } from "./cmd-device.ts";
import type { Commands } from "./commands.ts";
import type { Reply, Row, SiteExchange } from "./exchange.ts";
import { badRequest, notFound } from "./integration-errors.ts";
import { DNS_VALUE, dnsRow, integrationIdOf } from "./integration-rows.ts";
import { type Resource, V2_RESOURCES } from "./resources.ts";
import type { Table } from "./site.ts";
import { textOf } from "./world.ts";

export function createDnsPolicy(x: SiteExchange): Reply {
  return withDns(x, (resource, body) => createRow({ ...x, body }, resource), 201);
}

export function updateDnsPolicy(x: SiteExchange): Reply {
  const row = rowById(x, "static-dns");
  if (row === undefined) return notFound(x, "DNS policy");
  return withDns(x, (resource, body) => updateRow({ ...x, body }, resource, String(row._id)), 200);
}

export function deleteDnsPolicy(x: SiteExchange): Reply {
  const row = rowById(x, "static-dns");
  const resource = dnsResource();
  if (row === undefined || resource === undefined) return notFound(x, "DNS policy");
  deleteRow(x, resource, String(row._id));
  return { status: 200 };
}

/** `{action:"RESTART"}` and the like, carried out by the v1 command of the same meaning. */
export function deviceAction(x: SiteExchange): Reply {
  return act(x, "device", DEVICE_COMMANDS, { RESTART: "restart" });
}

export function portAction(x: SiteExchange): Reply {
  return act(x, "device", DEVICE_COMMANDS, { POWER_CYCLE: "power-cycle" });
}

export function clientAction(x: SiteExchange): Reply {
  const actions = { AUTHORIZE_GUEST_ACCESS: "authorize-guest", UNAUTHORIZE_GUEST_ACCESS: "unauthorize-guest" };
  return act(x, "sta", CLIENT_COMMANDS, actions);
}

function act(x: SiteExchange, table: Table, commands: Commands, actions: Readonly<Record<string, string>>): Reply {
  const row = rowById(x, table);
  if (row === undefined) return notFound(x, table === "sta" ? "Client" : "Device");
  const action = textOf(x.body.action);
  const command = Object.hasOwn(actions, action) ? commands[actions[action] ?? ""] : undefined;
  if (command === undefined) return badRequest(x, `'action' is one of ${Object.keys(actions).join(", ")}`);
  const minutes = x.body.timeLimitMinutes === undefined ? {} : { minutes: x.body.timeLimitMinutes };
  const reply = command({ ...x, body: { mac: row.mac, ...minutes } });
  if (reply.status >= 400) return badRequest(x, "The action was refused");
  return table === "sta" ? { status: 200, body: { action } } : { status: 200 };
}

function rowById(x: SiteExchange, table: Table): Row | undefined {
  return x.site.tables[table].find((row) => integrationIdOf(x.site, row) === x.param("id"));
}

function dnsResource(): Resource | undefined {
  return V2_RESOURCES.find((resource) => resource.table === "static-dns");
}

/** `{type:"A_RECORD", domain, ipv4Address, ttlSeconds, enabled}` as the record that v2 keeps. */
function withDns(x: SiteExchange, write: (resource: Resource, body: Row) => Outcome, status: number): Reply {
  const resource = dnsResource();
  const type = textOf(x.body.type).replace(/_RECORD$/, "");
  const field = DNS_VALUE[type];
  if (resource === undefined || field === undefined) return badRequest(x, "'type' is not a known record type");
  if (typeof x.body.enabled !== "boolean") return badRequest(x, "'enabled' is required");
  const given: Row = {
    record_type: type,
    key: x.body.domain,
    value: x.body[field],
    enabled: x.body.enabled,
    ttl: x.body.ttlSeconds,
    priority: x.body.priority,
    port: x.body.port,
    weight: x.body.weight,
  };
  const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const outcome = write(resource, body);
  if ("row" in outcome) return { status, body: dnsRow(x.site, outcome.row) };
  const what = "refusal" in outcome ? `'${outcome.refusal.field}' must match ${outcome.refusal.pattern}` : outcome.code;
  return badRequest(x, what);
}
