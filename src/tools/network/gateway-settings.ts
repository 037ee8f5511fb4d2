/** Settings of the site's gateway: country filter, UPnP, protocol helpers, connection time-outs. */
import { type TProperties, Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { invalid } from "../arguments.ts";
import { pick } from "../merge.ts";
import { isRow, project, type RowTable, rowSchema } from "../rows.ts";
import { readSection, sectionChange } from "../settings.ts";
import { defineTool, type Plan } from "../tool.ts";

const COMMON = { app: "network", category: "gateway_settings" } as const;
const READS = ["GET /api/s/{site}/get/setting/usg"] as const;

const SWITCHES = {
  syn_cookies: "SYN cookies",
  broadcast_ping: "Answer broadcast pings",
  receive_redirects: "Accept ICMP redirects",
  send_redirects: "Send ICMP redirects",
  upnp_enabled: "UPnP",
  upnp_nat_pmp_enabled: "NAT-PMP",
  upnp_secure_mode: "UPnP only for the asker's own address",
  ftp_module: "FTP helper",
  gre_module: "GRE helper",
  h323_module: "H.323 helper",
  pptp_module: "PPTP helper",
  sip_module: "SIP helper (ALG)",
  tftp_module: "TFTP helper",
  offload_accounting: "Offload accounting",
  offload_l2_blocking: "Offload layer-2 blocking",
  offload_sch: "Offload scheduling",
  unbind_wan_monitors: "Unbind WAN monitors",
} as const;

/** Connection time-outs in seconds, taken with timeout_setting_preference manual. */
const TIMEOUTS = [
  ...["icmp_timeout", "other_timeout", "udp_stream_timeout", "udp_other_timeout", "tcp_established_timeout"],
  ...["tcp_close_timeout", "tcp_close_wait_timeout", "tcp_fin_wait_timeout", "tcp_last_ack_timeout"],
  ...["tcp_syn_recv_timeout", "tcp_syn_sent_timeout", "tcp_time_wait_timeout"],
];
const MOST_SECONDS = 2_147_483;

const TABLE: RowTable = {
  id: "string",
  site_id: "string",
  key: "string",
  geo_ip_filtering_enabled: "boolean",
  geo_ip_filtering_block: "string",
  geo_ip_filtering_countries: "string",
  geo_ip_filtering_traffic_direction: "string",
  dns_verification: "object",
  upnp_wan_interface: "string",
  mss_clamp: "string",
  timeout_setting_preference: "string",
  ...Object.fromEntries(Object.keys(SWITCHES).map((name) => [name, "boolean"] as const)),
  ...Object.fromEntries(TIMEOUTS.map((name) => [name, "integer"] as const)),
};

const choice = (description: string, values: string[]) =>
  Type.Optional(Type.Enum(values, { type: "string", description }));

const FIELDS: TProperties = {
  geo_ip_filtering_enabled: Type.Optional(Type.Boolean({ description: "Filter by country" })),
  geo_ip_filtering_block: choice("What happens to these countries; the others get the opposite", ["block", "allow"]),
  geo_ip_filtering_countries: Type.Optional(
    Type.String({
      description: "Country codes, e.g. RU,KP",
      pattern: "^([A-Z]{2}(,[A-Z]{2}){0,149})?$",
      maxLength: 450,
    }),
  ),
  geo_ip_filtering_traffic_direction: choice("Direction", ["both", "ingress", "egress"]),
  ...Object.fromEntries(
    Object.entries(SWITCHES).map(([name, description]) => [name, Type.Optional(Type.Boolean({ description }))]),
  ),
  dns_verification: Type.Optional(
    Type.Object(
      {
        domain: Type.Optional(Type.String({ description: "Name that is asked for", maxLength: 256 })),
        primary_dns_server: Type.Optional(Type.String({ description: "First server", maxLength: 64 })),
        secondary_dns_server: Type.Optional(Type.String({ description: "Second server", maxLength: 64 })),
        setting_preference: choice("auto or these", ["auto", "manual"]),
      },
      { description: "How the line is checked by DNS", additionalProperties: false },
    ),
  ),
  upnp_wan_interface: Type.Optional(Type.String({ description: "WAN of UPnP, e.g. WAN", maxLength: 32 })),
  mss_clamp: choice("MSS clamping", ["auto", "custom", "disabled"]),
  timeout_setting_preference: choice("Time-outs: the console's, or these", ["auto", "manual"]),
  ...Object.fromEntries(
    TIMEOUTS.map((name) => [
      name,
      Type.Optional(Type.Integer({ description: "Seconds", minimum: 1, maximum: MOST_SECONDS })),
    ]),
  ),
};

/** Consoles keep the countries as a list or as text, and some time-outs as text. */
function settingsOf(section: Row): Row {
  const countries = section.geo_ip_filtering_countries;
  return project(
    {
      ...section,
      id: section._id,
      geo_ip_filtering_countries: Array.isArray(countries) ? countries.join(",") : countries,
    },
    TABLE,
  );
}

function encodeFor(section: Row) {
  return (asked: Row): Row => {
    const countries = asked.geo_ip_filtering_countries;
    const asList = Array.isArray(section.geo_ip_filtering_countries) && typeof countries === "string";
    const timeouts = TIMEOUTS.filter((name) => name in asked && typeof section[name] === "string");
    return {
      ...asked,
      ...(asList ? { geo_ip_filtering_countries: countries.split(",").filter((code) => code !== "") } : {}),
      ...Object.fromEntries(timeouts.map((name) => [name, String(asked[name])])),
    };
  };
}

function checkSettings(asked: Row, section: Row): void {
  const after = { ...settingsOf(section), ...asked };
  const timeouts = TIMEOUTS.filter((name) => name in asked);
  if (timeouts.length > 0 && after.timeout_setting_preference === "auto") {
    throw invalid(
      `update_data.${timeouts[0]} needs timeout_setting_preference "manual": with "auto" the console sets it.`,
    );
  }
  if (after.geo_ip_filtering_enabled === true && !after.geo_ip_filtering_countries) {
    throw invalid("update_data.geo_ip_filtering_countries: a country filter needs at least one country.");
  }
}

function warningsOf(asked: Row): readonly string[] {
  return [
    ...(asked.geo_ip_filtering_block === "allow" || "geo_ip_filtering_countries" in asked
      ? ["A country filter can cut off the gateway of this tunnel too: check where it stands."]
      : []),
    ...(asked.upnp_enabled === true ? ["With UPnP any client can open ports to the internet."] : []),
  ];
}

export default [
  defineTool({
    ...COMMON,
    name: "unifi_get_gateway_settings",
    title: "Get gateway settings",
    summary: "Show the gateway's country filter and UPnP.",
    description:
      "Settings of the site's gateway: country filter, UPnP, protocol helpers, connection time-outs. Its load and WANs are in unifi_get_gateway_stats.",
    permission: { category: "gateway_settings", action: "read" },
    input: {},
    output: { site: Type.Optional(Type.String()), settings: Type.Optional(rowSchema(TABLE)) },
    reads: READS,
    asks: [
      "is upnp on",
      "which countries are blocked",
      "sip alg",
      "conntrack timeouts of the router",
      "gateway advanced options",
      "is geo blocking on",
      "conntrack settings",
      "upnp status",
      "is sip alg enabled",
      "tcp timeouts",
      "are icmp redirects accepted",
      "which protocol helpers are on",
    ],
    async run({ network }) {
      return { site: network.site, settings: settingsOf(await readSection(network, "usg")) };
    },
  }),
  defineTool({
    ...COMMON,
    name: "unifi_update_gateway_settings",
    title: "Update gateway settings",
    summary: "Set the gateway's country filter or UPnP.",
    description:
      "Changes settings of the site's gateway: country filter, UPnP, protocol helpers, connection time-outs. What is not named stays.",
    permission: { category: "gateway_settings", action: "update" },
    input: {
      update_data: Type.Object(FIELDS, {
        description: "Fields to change",
        additionalProperties: false,
        minProperties: 1,
      }),
    },
    aliases: { settings: "update_data", data: "update_data" },
    output: {
      updated_fields: Type.Optional(Type.Array(Type.String())),
      settings: Type.Optional(rowSchema(TABLE)),
    },
    reads: READS,
    writes: ["PUT /api/s/{site}/set/setting/usg"],
    asks: [
      "turn off upnp",
      "block traffic from a country",
      "disable the sip helper",
      "longer udp timeouts",
      "enable geo ip filtering",
      "block all traffic from russia and china",
      "turn upnp off",
      "switch off sip alg",
      "country blocking",
      "change the tcp timeout of the gateway",
      "voip calls break, turn the helper off",
      "consoles need upnp",
      "only let my own country in",
      "geo block",
    ],
    async plan({ network }, { update_data: asked }): Promise<Plan> {
      const section = await readSection(network, "usg");
      checkSettings(asked, section);
      return sectionChange(network, {
        key: "usg",
        asked,
        encode: encodeFor(section),
        show: (one) => {
          const shown = settingsOf(one);
          // of an object only the named fields are judged
          const verification = asked.dns_verification;
          if (!isRow(verification)) return shown;
          const now = isRow(one.dns_verification) ? one.dns_verification : {};
          return { ...shown, dns_verification: pick(now, Object.keys(verification)) };
        },
        warnings: warningsOf(asked),
        answer: (changed) => ({ settings: { ...settingsOf(section), ...changed } }),
      });
    },
  }),
];
