/** Writable fields of a network (LAN, VLAN, WAN), as create and update take them. */
import { type TProperties, Type } from "typebox";

/** What a network is for. `guest` is not offered: consoles store it as `corporate` in the internal zone. */
export const PURPOSES = ["corporate", "wan", "vlan-only", "vpn-client", "vpn-server"] as const;

const text = (description: string) => Type.Optional(Type.String({ description, maxLength: 256 }));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
/** An address field may be cleared with an empty text. */
const address = (description: string) => Type.Optional(Type.String({ description, maxLength: 15 }));
const whole = (description: string, minimum: number, maximum: number) =>
  Type.Optional(Type.Integer({ description, minimum, maximum }));
const choice = (description: string, values: string[]) =>
  Type.Optional(Type.Enum(values, { type: "string", description }));

const YEAR_SECONDS = 31_536_000;

const ADDRESSING: TProperties = {
  enabled: flag("In use"),
  vlan_enabled: flag("Tagged; follows from vlan"),
  vlan: Type.Optional(
    // The catalogue's clients send numbers as well as text
    Type.Unsafe<string | number>({ type: ["integer", "string"], description: "VLAN id, 1 to 4094" }),
  ),
  ip_subnet: text("Gateway with prefix, e.g. 192.168.20.1/24"),
  domain_name: text("DNS domain"),
  network_isolation_enabled: flag("Isolated from others"),
  internet_access_enabled: flag("May reach the internet"),
  auto_scale_enabled: flag("Console may grow it"),
  upnp_lan_enabled: flag("UPnP"),
};

const DHCP: TProperties = {
  dhcpd_enabled: flag("Run a DHCP server"),
  dhcpd_start: address("First address"),
  dhcpd_stop: address("Last address"),
  dhcpd_leasetime: whole("Lease, seconds", 0, YEAR_SECONDS),
  dhcpd_gateway: address("Gateway for clients"),
  dhcpd_gateway_enabled: flag("Use dhcpd_gateway"),
  dhcpd_dns_1: address("First DNS server for clients"),
  dhcpd_dns_2: address("Second DNS server"),
  dhcpd_dns_enabled: flag("Use them, not the console's own"),
  dhcpd_ntp_1: address("First NTP server"),
  dhcpd_ntp_2: address("Second NTP server"),
  dhcpd_ntp_enabled: flag("Use them"),
  dhcpd_wins_1: address("First WINS server"),
  dhcpd_wins_2: address("Second WINS server"),
  dhcpd_wins_enabled: flag("Use them"),
  dhcpd_unifi_controller: address("UniFi console, option 43"),
  dhcpd_tftp_server: text("TFTP server, option 66"),
  dhcpd_boot_server: text("Boot server"),
  dhcpd_boot_filename: text("Boot file"),
  dhcpd_boot_enabled: flag("Network boot"),
  dhcpd_conflict_checking: flag("Probe before use"),
  dhcp_relay_enabled: flag("Relay to another server"),
  dhcpguard_enabled: flag("Trust dhcpd_ip_1 only"),
  dhcpd_ip_1: address("Trusted DHCP server"),
};

const MULTICAST: TProperties = {
  igmp_snooping: flag("IGMP snooping"),
  igmp_querier_switches: Type.Optional(
    Type.Array(Type.Object({}), { description: "{switch_mac, querier_address}", maxItems: 64 }),
  ),
  igmp_flood_unknown_multicast: flag("Flood unasked"),
  igmp_proxy_upstream: flag("IGMP proxy on this WAN"),
  igmp_proxy_for: choice("Networks it serves", ["all", "some", "none"]),
};

const WAN: TProperties = {
  wan_type: choice("How the WAN gets IPv4", ["dhcp", "static", "pppoe", "disabled"]),
  wan_networkgroup: Type.Optional(Type.String({ description: "WAN, WAN2, …", pattern: "^WAN[0-9]?$" })),
  wan_dns_preference: choice("WAN's DNS servers", ["auto", "manual"]),
  wan_load_balance_type: choice("Role among WANs", ["failover-only", "weighted"]),
  wan_load_balance_weight: whole("Percent if weighted", 0, 100),
  wan_failover_priority: whole("Failover order, 1 first", 1, 99),
  wan_smartq_enabled: flag("Smart queues"),
  wan_vlan_enabled: flag("Tag the WAN"),
  mac_override_enabled: flag("Use another MAC address"),
  wan_ip_aliases: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), { description: "Further addresses, CIDR", maxItems: 64 }),
  ),
};

const IPV6: TProperties = {
  ipv6_enabled: flag("IPv6"),
  wan_type_v6: choice("How the WAN gets IPv6", ["disabled", "dhcpv6", "slaac", "static", "pppoe"]),
  ipv6_setting_preference: choice("IPv6 settings", ["auto", "manual"]),
  ipv6_wan_delegation_type: choice("WAN's delegation", ["none", "pd", "single_network", "static"]),
  wan_dhcpv6_pd_size: whole("Prefix length to ask for", 48, 64),
  wan_dhcpv6_pd_size_auto: flag("Provider chooses it"),
  wan_ipv6_dns_preference: choice("WAN's IPv6 DNS servers", ["auto", "manual"]),
  wan_ipv6_dns1: text("First IPv6 DNS"),
  wan_ipv6_dns2: text("Second IPv6 DNS"),
  ipv6_interface_type: choice("How the LAN gets IPv6", ["none", "static", "pd"]),
  ipv6_aliases: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), { description: "Further addresses", maxItems: 64 }),
  ),
  ipv6_ra_enabled: flag("Advertise the router"),
  ipv6_ra_priority: choice("Router priority", ["high", "medium", "low"]),
  ipv6_ra_preferred_lifetime: whole("Seconds preferred", 0, YEAR_SECONDS),
  ipv6_client_address_assignment: choice("How clients get IPv6", ["slaac", "dhcpv6"]),
  ipv6_pd_interface: text("WAN of the prefix, e.g. wan"),
  ipv6_pd_prefixid: text("Prefix id, hexadecimal"),
  ipv6_pd_auto_prefixid_enabled: flag("Choose it by itself"),
  ipv6_pd_start: text("First DHCPv6 suffix, e.g. ::2"),
  ipv6_pd_stop: text("Last DHCPv6 suffix"),
  dhcpdv6_enabled: flag("DHCPv6 server"),
  dhcpdv6_allow_slaac: flag("SLAAC beside DHCPv6"),
  dhcpdv6_dns_auto: flag("Console's IPv6 DNS"),
  dhcpdv6_leasetime: whole("Lease, seconds", 0, YEAR_SECONDS),
  dhcpdv6_start: text("First address"),
  dhcpdv6_stop: text("Last address"),
};

/** All of them; `name` and `purpose` are required in a create. */
export const NETWORK_FIELDS: TProperties = {
  name: Type.String({ description: "Name of the network", minLength: 1, maxLength: 128 }),
  purpose: Type.Enum([...PURPOSES], {
    type: "string",
    description: "corporate = LAN or VLAN with DHCP",
  }),
  ...ADDRESSING,
  ...DHCP,
  ...MULTICAST,
  ...WAN,
  ...IPV6,
};

/** Fields of a WAN that can cut the site, and this tunnel, off the internet. */
export const WAN_CRITICAL = [
  "enabled",
  "purpose",
  "wan_type",
  "wan_networkgroup",
  "wan_vlan_enabled",
  "vlan",
  "mac_override_enabled",
  "wan_type_v6",
  "wan_load_balance_type",
  "wan_failover_priority",
];

/** Fields of each section of unifi_get_network_details. */
export const NETWORK_SECTIONS: Readonly<Record<string, readonly string[]>> = {
  basic: ["_id", "name", "enabled", "purpose", "ip_subnet", "vlan_enabled", "vlan", "networkgroup", "domain_name"],
  dhcp: Object.keys(DHCP),
  ipv6: Object.keys(IPV6),
  vpn: ["vpn_type", "remote_vpn_subnets", "openvpn_mode", "ipsec_peer_ip", "ipsec_profile", "local_port"],
  wan: Object.keys(WAN),
};
