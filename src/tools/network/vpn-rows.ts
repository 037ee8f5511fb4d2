/** Which of a console's networks are VPNs, of which kind, and what a list shows of them. */
import type { Row } from "../../controller/controller.ts";
import { project, type RowTable } from "../rows.ts";

type Kind = "client" | "site-to-site" | "server";

/** By purpose; an entry of another purpose is judged by its vpn_type. */
const KIND_OF_PURPOSE: Readonly<Record<string, Kind>> = {
  "vpn-client": "client",
  "site-vpn": "site-to-site",
  "remote-user-vpn": "server",
  "vpn-server": "server",
};

const TUNNEL_TYPES = ["ipsec-vpn", "openvpn-vpn", "sdwan-hub-spoke-tunnel", "sdwan-mesh-tunnel"];

/** Networks that are no VPN whatever fields they carry. */
const LOCAL = ["corporate", "guest", "vlan-only", "wan"];

export const VPN_TABLE = {
  _id: "string",
  name: "string",
  enabled: "boolean",
  kind: "string",
  purpose: "string",
  vpn_type: "string",
  ip_subnet: "string",
  port: "integer",
  peer: "string",
  remote_subnets: "strings",
  default_route: "boolean",
} as const satisfies RowTable;

function kindOf({ purpose, vpn_type: type }: Row): Kind | undefined {
  const known = KIND_OF_PURPOSE[String(purpose)];
  if (known !== undefined || typeof type !== "string" || LOCAL.includes(String(purpose))) return known;
  if (TUNNEL_TYPES.includes(type)) return "site-to-site";
  if (type.endsWith("-client")) return "client";
  return type.endsWith("-server") ? "server" : undefined;
}

/** VPNs that the site itself dials. */
export function isVpnConnection(raw: Row): boolean {
  const kind = kindOf(raw);
  return kind === "client" || kind === "site-to-site";
}

export function isVpnServer(raw: Row): boolean {
  return kindOf(raw) === "server";
}

/** The other end and the port stand under another name for each type of VPN. */
export function vpnRow(raw: Row): Row {
  const row = {
    ...raw,
    enabled: raw.enabled !== false,
    kind: kindOf(raw),
    port: raw.local_port ?? raw.openvpn_local_port ?? raw.wireguard_client_peer_port ?? raw.openvpn_remote_port,
    peer: raw.wireguard_client_peer_ip ?? raw.ipsec_peer_ip ?? raw.openvpn_remote_host,
    remote_subnets: raw.remote_vpn_subnets ?? raw.remote_site_subnets,
    default_route: raw.vpn_client_default_route,
  };
  return project(row, VPN_TABLE);
}
