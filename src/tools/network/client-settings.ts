/** What the console keeps for a client: its alias, reserved address and local DNS name. */
import { Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { invalid, ipv4Argument, macArgument } from "../arguments.ts";
import { ipv4Number, isHostOf, subnetOf } from "../ipv4.ts";
import { pick } from "../merge.ts";
import { defineTool, type Plan, type ToolContext } from "../tool.ts";
import { type Client, clientIn, clientName, fetchClients, findClient } from "./client-rows.ts";

const COMMON = {
  app: "network",
  category: "clients",
  permission: { category: "clients", action: "update" },
  aliases: { mac: "mac_address", client_mac: "mac_address", client: "mac_address" },
  macs: ["mac_address"],
  writes: ["PUT /api/s/{site}/rest/user/{id}"],
} as const;

const READS = ["GET /api/s/{site}/stat/sta", "GET /api/s/{site}/rest/user"] as const;

/** The plan that changes named fields of a client's remembered record in one request. */
function recordChange(context: ToolContext, client: Client, change: Row, extra: Row, warnings: string[] = []): Plan {
  const id = recordId(client);
  const keys = Object.keys(change);
  const name = clientName(client);
  return {
    action: "update",
    resourceType: "client",
    resourceId: client.mac,
    ...(name === undefined ? {} : { resourceName: name }),
    current: pick(client.known ?? {}, keys),
    proposed: change,
    warnings,
    unchanged: keys.every((key) => client.known?.[key] === change[key]),
    async apply() {
      await context.network.v1("PUT", `/rest/user/${encodeURIComponent(id)}`, { ...extra, ...change });
      return { mac_address: client.mac, settings: change };
    },
    async readBack() {
      const after = await findClient(context.network, client.mac);
      return pick(after.known ?? {}, keys);
    },
  };
}

function recordId(client: Client): string {
  const id = client.known?._id ?? client.live?.user_id ?? client.live?._id;
  if (typeof id === "string") return id;
  throw invalid("The console has no record of this client to change.");
}

interface IpSettings {
  readonly use_fixedip?: boolean;
  readonly fixed_ip?: string;
  readonly local_dns_record_enabled?: boolean;
  readonly local_dns_record?: string;
}

/** The fields to send: an address or name alone turns its switch on, a switch off clears its value. */
function settingsOf(args: IpSettings, known: Row): Row {
  const reserve = args.use_fixedip ?? (args.fixed_ip === undefined ? undefined : true);
  const named = args.local_dns_record_enabled ?? (args.local_dns_record === undefined ? undefined : true);
  if (reserve === undefined && named === undefined) throw invalid("Give at least one setting to change.");
  if (reserve === false && args.fixed_ip !== undefined) throw invalid("fixed_ip contradicts use_fixedip=false.");
  if (named === false && args.local_dns_record !== undefined) {
    throw invalid("local_dns_record contradicts local_dns_record_enabled=false.");
  }
  return {
    ...switched(reserve, ["use_fixedip", "fixed_ip"], args.fixed_ip ?? known.fixed_ip),
    ...switched(
      named,
      ["local_dns_record_enabled", "local_dns_record"],
      args.local_dns_record ?? known.local_dns_record,
    ),
  };
}

function switched(on: boolean | undefined, [flag, field]: readonly [string, string], value: unknown): Row {
  if (on === undefined) return {};
  if (!on) return { [flag]: false, [field]: "" };
  if (typeof value !== "string" || value === "") throw invalid(`${flag}=true needs ${field}.`);
  return { [flag]: true, [field]: value };
}

/** The network that the reserved address belongs to, after checking that a client can have it. */
async function networkFor(site: NetworkSite, address: string, client: Client, others: readonly Client[]) {
  const number = ipv4Number(address) ?? 0;
  const holder = others.find(
    ({ known, mac }) => mac !== client.mac && known?.use_fixedip === true && known.fixed_ip === address,
  );
  if (holder !== undefined) {
    throw invalid("Another client has this address reserved.", "unifi_lookup_by_ip finds it.");
  }
  const networks = await site.v1("GET", "/rest/networkconf");
  const home = networks.find((network) => {
    const subnet = subnetOf(String(network.ip_subnet ?? ""));
    return network.purpose !== "wan" && subnet !== undefined && isHostOf(subnet, number) && subnet.address !== number;
  });
  if (home !== undefined) return home;
  throw invalid("No network of this site has this address for a client.", "unifi_list_networks lists their subnets.");
}

export default [
  defineTool({
    ...COMMON,
    name: "unifi_rename_client",
    title: "Rename client",
    summary: "Name a client.",
    asks: [
      "rename a device",
      "give a client a friendly name",
      "call this device living room tv",
      "set an alias",
      "mystery mac should be called vacuum robot",
      "give the tv a readable name",
    ],
    description: "Sets the name under which the console shows a client. Network hardware: unifi_rename_device.",
    input: {
      mac_address: macArgument("MAC address of the client"),
      name: Type.String({ description: "New alias", minLength: 1, maxLength: 128 }),
    },
    output: { mac_address: Type.Optional(Type.String()), settings: Type.Optional(Type.Object({})) },
    aliases: { ...COMMON.aliases, new_name: "name", alias: "name" },
    reads: READS,
    async plan(context, { mac_address: mac, name }) {
      const client = await findClient(context.network, mac);
      return recordChange(context, client, { name }, {});
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_set_client_ip_settings",
    title: "Set client IP settings",
    summary: "Reserve a client's address or local DNS name.",
    asks: [
      "give a device a fixed ip",
      "static ip for the printer",
      "dhcp reservation",
      "always assign the same address",
      "my printer keeps changing its address",
      "reserve an ip",
      "local dns name for a client",
      "printer gets another address every time",
      "pin an address to a mac",
      "camera must stay at the same address",
      "address should never change",
      "give the nas a permanent ip",
    ],
    description:
      "Reserves an IPv4 address for a client (DHCP) and names it in the local DNS. fixed_ip or local_dns_record alone turns its switch on; use_fixedip=false or local_dns_record_enabled=false clears it.",
    input: {
      mac_address: macArgument("MAC address of the client"),
      use_fixedip: Type.Optional(Type.Boolean({ description: "Whether the address is reserved" })),
      fixed_ip: Type.Optional(ipv4Argument("Reserved IPv4 address, inside one of the site's networks")),
      local_dns_record_enabled: Type.Optional(Type.Boolean({ description: "Whether the DNS name is answered" })),
      local_dns_record: Type.Optional(
        Type.String({
          description: "Host name for the local DNS, e.g. nas.example.com",
          pattern: "^[A-Za-z0-9_]([A-Za-z0-9_-]{0,62})(\\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,62}))*$",
          maxLength: 253,
        }),
      ),
    },
    output: { mac_address: Type.Optional(Type.String()), settings: Type.Optional(Type.Object({})) },
    aliases: { ...COMMON.aliases, ip: "fixed_ip", ip_address: "fixed_ip", dns_name: "local_dns_record" },
    reads: [...READS, "GET /api/s/{site}/rest/networkconf"],
    async plan(context, { mac_address: mac, ...settings }) {
      const clients = await fetchClients(context.network);
      const client = clientIn(clients, mac);
      const change = settingsOf(settings, client.known ?? {});
      if (change.use_fixedip !== true) return recordChange(context, client, change, noted(client));
      const address = String(change.fixed_ip);
      const home = await networkFor(context.network, address, client, clients);
      const moves = client.live !== undefined && client.live.ip !== address;
      const warnings = moves ? ["The client takes the address when it next renews its lease or reconnects."] : [];
      return recordChange(context, client, change, { ...noted(client), network_id: home._id }, warnings);
    },
  }),
];

/** The console drops settings of a client that it only saw passing: the same request marks it as kept. */
function noted(client: Client): Row {
  return client.known?.noted === true ? {} : { noted: true };
}
