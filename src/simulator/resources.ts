/** Writable resources of v1 and v2: their table, schema, required fields, cross-field rules and event key. */
import schemas from "./data/schemas.json" with { type: "json" };
import type { Row } from "./exchange.ts";
import { CROSS_FIELD_RULES, type Rule } from "./rules.ts";
import type { Field, Fields } from "./schema-check.ts";
import type { Table } from "./site.ts";

export interface Resource {
  readonly table: Table;
  readonly fields: Fields;
  readonly required: readonly string[];
  readonly rules: readonly Rule[];
  /** Filled in on create where the body leaves them out. */
  readonly defaults: Row;
  /** Event prefix: `<key>:add|sync|delete`; `always` sends that one key for all three. */
  readonly event: { readonly prefix: string } | { readonly always: string };
  /** v1 rows carry `site_id`, v2 rows do not. */
  readonly namesSite: boolean;
  /** Lists whose items also carry what the device reports, by the field that names an item: those values stay. */
  readonly mergedLists: Readonly<Record<string, string>>;
  readonly creatable: boolean;
  readonly deletable: boolean;
}

type Extra = Partial<Omit<Resource, "table" | "fields" | "rules">>;

/** Fields by resource; `sameAs` in the data is another field's form (`traffic-rule.domains`). */
function fieldsOf(group: "v1" | "v2", name: string): Fields {
  const all = schemas[group] as unknown as Readonly<
    Record<string, Readonly<Record<string, Field & { sameAs?: string }>>>
  >; // data/SOURCES.md
  const resolve = (field: Field & { sameAs?: string }): Field => {
    const [schema = "", key = ""] = field.sameAs?.split(".") ?? [];
    return all[schema]?.[key] ?? field;
  };
  return Object.fromEntries(Object.entries(all[name] ?? {}).map(([key, field]) => [key, resolve(field)]));
}

function v1(table: Table & keyof typeof schemas.v1, extra: Extra = {}): Resource {
  return {
    table,
    fields: fieldsOf("v1", table),
    required: ["name"],
    rules: CROSS_FIELD_RULES[table] ?? [],
    defaults: {},
    event: { prefix: table },
    namesSite: true,
    mergedLists: {},
    creatable: true,
    deletable: true,
    ...extra,
  };
}

function v2(table: Table, schema: keyof typeof schemas.v2, extra: Extra = {}): Resource {
  return {
    table,
    fields: fieldsOf("v2", schema),
    required: ["name"],
    rules: CROSS_FIELD_RULES[table] ?? [],
    defaults: {},
    event: { prefix: schema },
    namesSite: false,
    mergedLists: {},
    creatable: true,
    deletable: true,
    ...extra,
  };
}

const LAN_DEFAULTS = {
  enabled: true,
  networkgroup: "LAN",
  is_nat: true,
  vlan_enabled: false,
  setting_preference: "auto",
  ipv6_interface_type: "none",
};

const WLAN_DEFAULTS = {
  enabled: true,
  security: "open",
  hide_ssid: false,
  is_guest: false,
  wlan_band: "both",
  wlan_bands: ["2g", "5g"],
  wpa_mode: "wpa2",
  wpa_enc: "ccmp",
};

/** By the name in `rest/<name>`. */
export const V1_RESOURCES: Readonly<Record<string, Resource>> = {
  networkconf: v1("networkconf", {
    required: ["name", "purpose"],
    defaults: LAN_DEFAULTS,
    event: { always: "networkconf:sync" },
  }),
  wlanconf: v1("wlanconf", { defaults: WLAN_DEFAULTS }),
  portforward: v1("portforward", {
    required: ["dst_port", "fwd", "fwd_port"],
    defaults: { enabled: true, proto: "tcp_udp", src: "any", pfwd_interface: "wan", log: false },
  }),
  user: v1("user", { required: ["mac"], event: { always: "user:sync" }, deletable: false }),
  usergroup: v1("usergroup", {
    defaults: { qos_rate_max_down: -1, qos_rate_max_up: -1 },
    event: { always: "usergroup:sync" },
  }),
  device: v1("device", {
    mergedLists: { radio_table: "radio" },
    event: { always: "device:update" },
    creatable: false,
    deletable: false,
  }),
  portconf: v1("portconf"),
  firewallgroup: v1("firewallgroup", { required: ["name", "group_type"], defaults: { group_members: [] } }),
  firewallrule: v1("firewallrule", { required: [], defaults: { enabled: true } }),
  routing: v1("routing", { defaults: { enabled: true } }),
  dynamicdns: v1("dynamicdns", { required: ["service", "host_name"] }),
  wlangroup: v1("wlangroup"),
  radiusprofile: v1("radiusprofile"),
  account: v1("account"),
  hotspotop: v1("hotspotop"),
  tag: v1("tag"),
  scheduletask: v1("scheduletask"),
  dpiapp: v1("dpiapp", { required: [] }),
  dpigroup: v1("dpigroup"),
};

export interface V2Resource extends Resource {
  /** Path of the list, and of single rows where it differs (plural and singular, unifi-api.md section 2). */
  readonly listPath: string;
  readonly itemPath: string;
  /** False where GET by id answers 405. */
  readonly readableById: boolean;
  /** `id` or `_id`. */
  readonly idField: "id" | "_id";
  /** True where an unknown field is an error instead of being dropped. */
  readonly strict: boolean;
}

function at(listPath: string, resource: Resource, extra: Partial<V2Resource> = {}): V2Resource {
  return { ...resource, listPath, itemPath: listPath, readableById: false, idField: "_id", strict: false, ...extra };
}

const DNS_DEFAULTS = { enabled: true, ttl: 0, port: 0, priority: 0, weight: 0 };

export const V2_RESOURCES: readonly V2Resource[] = [
  at(
    "static-dns",
    v2("static-dns", "static-dns", { required: ["key", "value", "record_type"], defaults: DNS_DEFAULTS }),
  ),
  at("apgroups", v2("apgroups", "apgroup", { defaults: { device_macs: [], wlan_group_ids: [] } })),
  at("acl-rules", v2("acl-rules", "acl-rule", { required: ["name", "action", "mac_acl_network_id"] })),
  at("content-filtering", v2("content-filtering", "content-filtering", { creatable: false }), { strict: true }),
  at(
    "network-members-groups",
    v2("network-members-groups", "network-members-group", { defaults: { members: [], type: "CLIENTS" } }),
    { itemPath: "network-members-group", readableById: true, idField: "id" },
  ),
  at(
    "object-oriented-network-configs",
    v2("object-oriented-network-configs", "object-oriented-network-config", { defaults: { enabled: true } }),
    { itemPath: "object-oriented-network-config", readableById: true, idField: "id" },
  ),
  at(
    "firewall-policies",
    v2("firewall-policies", "firewall-policy", {
      required: ["action", "ip_version", "source", "destination", "name", "schedule"],
    }),
  ),
  at("trafficrules", v2("trafficrules", "traffic-rule", { required: [] })),
  at("trafficroutes", v2("trafficroutes", "traffic-route", { required: [] })),
  at("qos-rules", v2("qos-rules", "qos-rule", { defaults: { enabled: true } })),
];
