/** Dynamic DNS entries: outside names that follow the WAN address. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { invalid } from "../arguments.ts";
import { type Circumstances, type Prepared, resource } from "../resource.ts";

const dynamicDns = resource({
  category: "dynamic_dns",
  gate: "dynamic_dns",
  noun: "dynamic DNS entry",
  resourceType: "dynamic_dns",
  api: "v1",
  path: "/rest/dynamicdns",
  idArgument: "entry_id",
  listTool: "unifi_list_dynamic_dns",
  table: {
    id: "string",
    site_id: "string",
    host_name: "string",
    service: "string",
    server: "string",
    login: "string",
    interface: "string",
    custom_service: "string",
    options: "strings",
  },
  row: (raw) => ({ ...raw, id: raw._id }),
});

/** Services of the DynamicDNS schema (controller 9.5.21); any other goes through `custom`. */
const SERVICES = [
  ...["afraid", "changeip", "cloudflare", "cloudxns", "ddnss", "dhis", "dnsexit", "dnsomatic", "dnspark", "dnspod"],
  ...["dslreports", "dtdns", "duckdns", "duiadns", "dyn", "dyndns", "dynv6", "easydns", "freemyip", "googledomains"],
  ...["loopia", "namecheap", "noip", "nsupdate", "ovh", "sitelutions", "spdyn", "strato", "tunnelbroker", "zoneedit"],
  "custom",
];
const WANS = ["wan", ...Array.from({ length: 8 }, (_, at) => `wan${at + 2}`)];

/** Consoles take no quotes and no blanks in these. */
const WORD = "^[^\"' ]+$";
const word = (description: string) => Type.String({ description, pattern: WORD, maxLength: 256 });

const FIELDS = {
  host_name: word("Name that is kept up to date, e.g. home.example.com"),
  service: Type.Enum(SERVICES, { type: "string", description: "Provider; custom = another, with custom_service" }),
  server: Type.Optional(
    Type.String({ description: "Provider's server or update URL", pattern: "^[^\"' ]*$", maxLength: 256 }),
  ),
  login: Type.Optional(word("Account at the provider")),
  x_password: Type.Optional(word("Its password or token; never shown again")),
  interface: Type.Optional(
    Type.Enum(WANS, { type: "string", description: "WAN whose address is told; a new one: wan" }),
  ),
  custom_service: Type.Optional(word("Service name for custom")),
  options: Type.Optional(Type.Array(word("Option"), { description: "Further options of the update", maxItems: 32 })),
};

async function checkEntry(data: Row, { current = {}, siblings }: Circumstances): Promise<Prepared> {
  const entry = { ...current, ...data };
  if (entry.service === "custom" && !entry.custom_service && !entry.server) {
    throw invalid("A custom service needs custom_service or server.");
  }
  const twins = siblings.filter(
    (other) => other._id !== current._id && other.host_name === entry.host_name && other.interface === entry.interface,
  );
  return { data, warnings: twins.length === 0 ? [] : ["Another entry keeps the same name for the same WAN."] };
}

export default [
  dynamicDns.list({
    name: "unifi_list_dynamic_dns",
    title: "List dynamic DNS",
    summary: "List dynamic DNS entries of the WAN.",
    description:
      "Lists the outside names that follow the WAN address (DDNS). Names that the gateway answers inside are in unifi_list_dns_records.",
    rowsName: "entries",
    defaultLimit: 100,
    asks: [
      "duckdns setup",
      "no-ip entries",
      "ddns hosts",
      "which public name follows our address",
      "list dynamic dns",
      "is ddns configured",
      "ddns status",
      "which ddns provider",
      "name that follows our changing address",
      "who updates our public name",
    ],
  }),
  dynamicDns.get({
    name: "unifi_get_dynamic_dns_entry_details",
    title: "Get dynamic DNS entry",
    summary: "Show one dynamic DNS entry.",
    description: "One dynamic DNS entry as the console stores it, its password hidden, by id.",
    asks: [
      "one ddns entry in full",
      "how is this no-ip name set up",
      "look at a dyndns entry",
      "details of a ddns entry",
      "show a dynamic dns host",
    ],
  }),
  dynamicDns.create({
    name: "unifi_create_dynamic_dns",
    title: "Create dynamic DNS",
    summary: "Add a dynamic DNS entry.",
    description: "Lets the gateway tell a DDNS provider its WAN address whenever it changes.",
    bodyArgument: "entry_data",
    bodyDescription: "The entry",
    fields: FIELDS,
    aliases: { data: "entry_data", entry: "entry_data" },
    prepare: (data, circumstances) => checkEntry({ interface: "wan", ...data }, circumstances),
    asks: [
      "set up duckdns",
      "make our changing ip reachable by name",
      "register a ddns host",
      "cloudflare ddns",
      "set up dynamic dns",
      "register with no-ip",
      "home address changes, need a hostname",
      "add a ddns provider",
      "our provider changes the address, we need a stable name",
      "reach home although the ip changes",
    ],
  }),
  dynamicDns.update({
    name: "unifi_update_dynamic_dns",
    title: "Update dynamic DNS",
    summary: "Change a dynamic DNS entry.",
    description: "Changes the given fields of a dynamic DNS entry; the others, its password too, keep their values.",
    bodyArgument: "update_data",
    bodyDescription: "Fields to change",
    fields: FIELDS,
    aliases: { entry_data: "update_data", data: "update_data" },
    prepare: checkEntry,
    asks: [
      "new token for duckdns",
      "ddns login changed",
      "move the ddns name to wan2",
      "change ddns password",
      "edit dynamic dns",
      "new hostname for ddns",
      "ddns stopped working, new password",
      "provider of our public name changed",
      "new token for the dyndns service",
    ],
  }),
  dynamicDns.delete({
    name: "unifi_delete_dynamic_dns",
    title: "Delete dynamic DNS",
    summary: "Delete a dynamic DNS entry.",
    description: "Removes a dynamic DNS entry; the name itself stays with its provider.",
    check: async () => ["The name no longer follows the WAN address: what reaches this site by it may break."],
    asks: [
      "stop telling no-ip our address",
      "drop a ddns host",
      "remove dynamic dns",
      "delete ddns entry",
      "stop updating the ddns host",
      "we have a fixed address now, no updates needed",
    ],
  }),
];
