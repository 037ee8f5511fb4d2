/** The fields of a zone-based firewall policy as the console takes them. */
import { type TProperties, Type } from "typebox";
import { PORTS_PATTERN } from "./firewall-values.ts";

function choice(values: readonly string[], description: string) {
  return Type.Enum([...values], { type: "string", description });
}

function ids(description: string) {
  return Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { description, maxItems: 500 });
}

function texts(description: string) {
  return Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { description, maxItems: 500 });
}

const flag = (description: string) => Type.Boolean({ description });
const id = (description: string) => Type.String({ description, minLength: 1, maxLength: 64 });

/** What both ends of a policy may hold. */
const END = {
  zone_id: id("Zone id"),
  matching_target_type: choice(
    ["ANY", "SPECIFIC", "OBJECT"],
    "SPECIFIC values or an OBJECT (group); needed with IP and NETWORK",
  ),
  ips: texts("Addresses, subnets, ranges; target IP"),
  ip_group_id: id("Address group, with type OBJECT"),
  network_ids: ids("Networks; target NETWORK"),
  port: Type.String({
    description: 'Text, e.g. "443" or "80,8000-8010"; needs port_matching_type SPECIFIC',
    pattern: PORTS_PATTERN,
    maxLength: 1000,
  }),
  port_group_id: id("Port group, with port_matching_type OBJECT"),
  port_matching_type: choice(["ANY", "SPECIFIC", "OBJECT"], "SPECIFIC: port, OBJECT: port_group_id"),
  match_opposite_ips: flag("Invert"),
  match_opposite_networks: flag("Invert"),
  match_opposite_ports: flag("Invert"),
} satisfies TProperties;

const SOURCE = {
  ...END,
  matching_target: choice(["ANY", "IP", "NETWORK", "CLIENT", "MAC"], "Who sends"),
  client_macs: texts("Clients' MAC addresses; target CLIENT"),
  macs: texts("MAC addresses; target MAC"),
} satisfies TProperties;

const DESTINATION = {
  ...END,
  matching_target: choice(["ANY", "IP", "NETWORK", "APP", "APP_CATEGORY", "REGION", "WEB"], "What is reached"),
  app_ids: Type.Array(Type.Integer({ minimum: 0, maximum: 4294967295 }), {
    description: "Applications; target APP",
    maxItems: 500,
  }),
  app_category_ids: Type.Array(Type.Integer({ minimum: 0, maximum: 4294967295 }), {
    description: "Categories; target APP_CATEGORY",
    maxItems: 500,
  }),
  regions: texts("Country codes; target REGION"),
  web_domains: texts("Domains; target WEB"),
} satisfies TProperties;

/** Which fields a target reads; those of another target are taken away when it changes. */
export const FIELDS_OF_TARGET: Readonly<Record<string, readonly string[]>> = {
  ANY: [],
  IP: ["ips", "ip_group_id", "match_opposite_ips"],
  NETWORK: ["network_ids", "match_opposite_networks"],
  CLIENT: ["client_macs"],
  MAC: ["macs"],
  APP: ["app_ids"],
  APP_CATEGORY: ["app_category_ids"],
  REGION: ["regions"],
  WEB: ["web_domains"],
};

const PROTOCOLS = [
  ...["all", "tcp_udp", "tcp", "udp", "ah", "dccp", "eigrp", "esp", "gre", "icmp", "icmpv6", "igmp", "igp", "ip"],
  ...["ipcomp", "ipip", "ipv6", "isis", "l2tp", "manet", "mobility-header", "mpls-in-ip", "number", "ospf", "pim"],
  ...["pup", "rdp", "rohc", "rspf", "rcvp", "sctp", "shim6", "skip", "st", "vmtp", "vrrp", "wesp", "xtp"],
];

const DATE = "^(\\d{4}-\\d\\d-\\d\\d)?$";
const TIME = "^[0-2]\\d:[0-5]\\d$";
const date = (description: string) => Type.Optional(Type.String({ description, pattern: DATE }));
const time = (description: string) => Type.Optional(Type.String({ description, pattern: TIME }));

const SCHEDULE = Type.Object(
  {
    mode: Type.Optional(
      choice(["ALWAYS", "EVERY_DAY", "EVERY_WEEK", "ONE_TIME_ONLY", "CUSTOM"], "When it is in force"),
    ),
    date: date("ONE_TIME_ONLY"),
    date_start: date("CUSTOM"),
    date_end: date("CUSTOM"),
    repeat_on_days: Type.Optional(
      Type.Array(choice(["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "Day"), {
        description: "Days",
        maxItems: 7,
        uniqueItems: true,
      }),
    ),
    time_all_day: Type.Optional(flag("All day")),
    time_range_start: time("HH:MM"),
    time_range_end: time("HH:MM"),
  },
  { description: "When it is in force; default always", additionalProperties: false },
);

function end(fields: TProperties, description: string, required: readonly string[]) {
  const properties = Object.entries(fields).map(([name, schema]) => [
    name,
    required.includes(name) ? schema : Type.Optional(schema),
  ]);
  return Type.Object(Object.fromEntries(properties) as TProperties, { description, additionalProperties: false });
}

const SHARED = {
  name: Type.String({ description: "Name of the policy", minLength: 1, maxLength: 128 }),
  action: choice(["ALLOW", "BLOCK", "REJECT"], "REJECT answers, BLOCK does not"),
} satisfies TProperties;

const COMMON = {
  enabled: Type.Optional(flag("Whether in force; a new one is")),
  description: Type.Optional(Type.String({ description: "Note for people", maxLength: 512 })),
  protocol: Type.Optional(choice(PROTOCOLS, "Default of a new one: all")),
  ip_version: Type.Optional(choice(["BOTH", "IPV4", "IPV6"], "Default of a new one: BOTH")),
  connection_state_type: Type.Optional(choice(["ALL", "RESPOND_ONLY", "CUSTOM"], "CUSTOM needs connection_states")),
  connection_states: Type.Optional(
    Type.Array(choice(["ESTABLISHED", "NEW", "RELATED", "INVALID"], "State"), {
      description: "States of CUSTOM",
      maxItems: 4,
      uniqueItems: true,
    }),
  ),
  create_allow_respond: Type.Optional(flag("Allow answers too; only with ALLOW")),
  match_ip_sec: Type.Optional(flag("Look at IPsec")),
  match_ip_sec_type: Type.Optional(choice(["MATCH_IP_SEC", "MATCH_NON_IP_SEC"], "Which IPsec")),
  match_opposite_protocol: Type.Optional(flag("Invert")),
  icmp_typename: Type.Optional(Type.String({ description: "ICMP type or ANY", maxLength: 64 })),
  icmp_v6_typename: Type.Optional(Type.String({ description: "ICMPv6 type or ANY", maxLength: 64 })),
  logging: Type.Optional(flag("Log what it matches")),
  schedule: Type.Optional(SCHEDULE),
  index: Type.Optional(
    Type.Integer({
      description: "Position; set the order with unifi_reorder_firewall_policies",
      minimum: 0,
      maximum: 1_000_000,
    }),
  ),
} satisfies TProperties;

export const NEW_POLICY = {
  ...SHARED,
  source: end(SOURCE, "Where traffic comes from", ["zone_id"]),
  destination: end(DESTINATION, "Where traffic goes", ["zone_id"]),
  ...COMMON,
};

export const POLICY_CHANGE = {
  ...SHARED,
  source: end(SOURCE, "Fields of the source to change", []),
  destination: end(DESTINATION, "Fields of the destination to change", []),
  ...COMMON,
};

/** A new policy's values where none are given; the console demands most of them when the policy is changed later. */
export const POLICY_DEFAULTS = {
  enabled: true,
  protocol: "all",
  ip_version: "BOTH",
  logging: false,
  connection_state_type: "ALL",
  connection_states: [],
  match_ip_sec: false,
  match_opposite_protocol: false,
  icmp_typename: "ANY",
  icmp_v6_typename: "ANY",
  schedule: { mode: "ALWAYS" },
};

export const END_DEFAULTS = { matching_target: "ANY", port_matching_type: "ANY" };
