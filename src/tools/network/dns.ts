/** Static DNS records of the gateway. */
import { isIPv4, isIPv6 } from "node:net";
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { EdgeError } from "../../errors.ts";
import { type Circumstances, type Prepared, resource } from "../resource.ts";

const dns = resource({
  category: "dns",
  gate: "dns",
  noun: "DNS record",
  resourceType: "dns_record",
  api: "v2",
  path: "/static-dns",
  idArgument: "record_id",
  listTool: "unifi_list_dns_records",
  table: {
    id: "string",
    key: "string",
    value: "string",
    record_type: "string",
    enabled: "boolean",
    ttl: "integer",
    port: "integer",
    priority: "integer",
    weight: "integer",
  },
  row: (raw) => ({ ...raw, id: raw._id }),
});

const FIELDS = {
  key: Type.String({ description: "Name to resolve, e.g. nas.example.com", minLength: 1, maxLength: 256 }),
  value: Type.String({
    description: "Answer: address, host name or text, by record_type",
    minLength: 1,
    maxLength: 256,
  }),
  record_type: Type.Enum(["A", "AAAA", "CNAME", "MX", "TXT", "SRV"], { type: "string", description: "Record type" }),
  enabled: Type.Optional(Type.Boolean({ description: "Whether it is answered; a new record is" })),
  ttl: Type.Optional(Type.Integer({ description: "Seconds to cache; 0 = automatic", minimum: 0, maximum: 2147483647 })),
  port: Type.Optional(Type.Integer({ description: "SRV port", minimum: 0, maximum: 65535 })),
  priority: Type.Optional(Type.Integer({ description: "MX or SRV priority", minimum: 0, maximum: 65535 })),
  weight: Type.Optional(Type.Integer({ description: "SRV weight", minimum: 0, maximum: 65535 })),
};

/** What the value must be, where the type says so. */
const VALUE_OF_TYPE: Readonly<Record<string, { readonly holds: (value: string) => boolean; readonly needs: string }>> =
  {
    A: { holds: isIPv4, needs: "an IPv4 address" },
    AAAA: { holds: isIPv6, needs: "an IPv6 address" },
    CNAME: { holds: isHostName, needs: "a host name" },
    MX: { holds: isHostName, needs: "a host name" },
    SRV: { holds: isHostName, needs: "a host name" },
  };

function isHostName(value: string): boolean {
  return !isIPv4(value) && /^(?!-)[\w-]{1,63}(\.[\w-]{1,63})*\.?$/.test(value);
}

async function checkRecord(data: Row, { current = {} }: Circumstances): Promise<Prepared> {
  const record = { ...current, ...data };
  const rule = VALUE_OF_TYPE[String(record.record_type)];
  if (rule !== undefined && !rule.holds(String(record.value))) {
    throw new EdgeError("ARGUMENTS_INVALID", `A record of this type needs ${rule.needs} as value.`);
  }
  if (record.record_type === "SRV" && !record.port) {
    throw new EdgeError("ARGUMENTS_INVALID", "An SRV record needs a port.");
  }
  return { data };
}

export default [
  dns.list({
    name: "unifi_list_dns_records",
    title: "List DNS records",
    summary: "List the static DNS records.",
    description: "Lists the gateway's own static DNS records. A client's DNS name is in unifi_get_client_details.",
    rowsName: "records",
    defaultLimit: 100,
    asks: [
      "local host names of the router",
      "what does nas.lan resolve to",
      "custom name entries",
      "split horizon names",
      "hosts file of the gateway",
      "show local dns records",
      "which hostnames are defined",
      "list static dns entries",
      "internal names",
      "which names did we define ourselves",
      "own hostnames",
    ],
  }),
  dns.get({
    name: "unifi_get_dns_record_details",
    title: "Get DNS record",
    summary: "Show one static DNS record.",
    description: "One static DNS record as the console stores it, by id.",
    asks: [
      "where does this name point",
      "ttl of a local name",
      "one host entry in full",
      "look at a cname",
      "show one dns record",
      "what does this hostname point to",
      "details of a dns entry",
    ],
  }),
  dns.create({
    name: "unifi_create_dns_record",
    title: "Create DNS record",
    summary: "Add a static DNS name or record.",
    description:
      "Adds a static DNS record to the gateway. To name one client of the network, unifi_set_client_ip_settings keeps name and address together.",
    bodyArgument: "record_data",
    bodyDescription: "The record",
    fields: FIELDS,
    aliases: { record: "record_data", data: "record_data" },
    prepare: (data, circumstances) => checkRecord({ enabled: true, ...data }, circumstances),
    asks: [
      "give a server a local name",
      "point a hostname to an address",
      "add a cname or mx",
      "make nas.home resolve inside",
      "override a public name locally",
      "add a local dns entry",
      "point nas.local to an ip",
      "create an a record",
      "new hostname for my server",
      "add a cname",
      "make a name resolve to an internal server",
      "reach the nas by name",
      "short name for the printer page",
      "intranet.local should open our server",
      "name instead of an address",
    ],
  }),
  dns.update({
    name: "unifi_update_dns_record",
    title: "Update DNS record",
    summary: "Change fields of a static DNS record.",
    description: "Changes the given fields of a static DNS record; the others keep their values.",
    bodyArgument: "update_data",
    bodyDescription: "Fields to change",
    fields: FIELDS,
    aliases: { record_data: "update_data", data: "update_data" },
    prepare: checkRecord,
    asks: [
      "point a local name elsewhere",
      "change the ip behind a hostname",
      "edit a host entry",
      "shorten the cache time of a name",
      "change where a hostname points",
      "edit a dns record",
      "new ip for an internal name",
      "modify ttl",
      "nas got another address, fix its name",
      "make the name live longer in caches",
    ],
  }),
  dns.delete({
    name: "unifi_delete_dns_record",
    title: "Delete DNS record",
    summary: "Delete a static DNS record.",
    description: "Removes a static DNS record. To keep it for later, update it with enabled=false.",
    check: async () => ["The name stops resolving for clients of this site."],
    asks: [
      "stop resolving a local name",
      "remove a host entry",
      "drop a hostname override",
      "clean up stale names",
      "remove a dns record",
      "delete a local hostname",
      "drop a dns entry",
      "name should no longer resolve",
    ],
  }),
];
