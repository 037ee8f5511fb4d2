/** Writable fields of a wireless network, as create and update take them. */
import { type TProperties, Type } from "typebox";

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const whole = (description: string, minimum: number, maximum: number) =>
  Type.Optional(Type.Integer({ description, minimum, maximum }));
const choice = (description: string, values: string[]) =>
  Type.Optional(Type.Enum(values, { type: "string", description }));
const id = (description: string) => Type.Optional(Type.String({ description, minLength: 1, maxLength: 64 }));

export const WLAN_FIELDS: TProperties = {
  name: Type.String({ description: "SSID, at most 32 bytes in UTF-8", minLength: 1, maxLength: 32 }),
  security: Type.Enum(["open", "wpapsk", "wpaeap", "osen"], {
    type: "string",
    description: "wpapsk = passphrase, wpaeap = RADIUS, osen = Passpoint",
  }),
  x_passphrase: Type.Optional(
    Type.String({
      description: "8 to 63 printable ASCII characters, or 64 hex digits",
      maxLength: 64,
    }),
  ),
  enabled: flag("On the air; a new one is"),
  hide_ssid: flag("Leave it out of beacons"),
  guest_policy: flag("Guests: portal and isolation"),
  network_id: id("Network of its clients; default LAN"),
  vlan_id: whole("VLAN, on consoles that bind it here", 2, 4094),
  usergroup_id: id("User group (bandwidth limits)"),
  fast_roaming_enabled: flag("802.11r"),
  rrm_enabled: flag("802.11k"),
  roaming_assistant_na_enabled: flag("Make weak 5 GHz clients roam"),
  roaming_assistant_na_rssi: whole("Signal below which, dBm", -95, -20),
  roaming_assistant_6e_enabled: flag("Make weak 6 GHz clients roam"),
  roaming_assistant_6e_rssi: whole("Signal below which, dBm", -95, -20),
  pmf_mode: choice("Protected management frames", ["disabled", "optional", "required"]),
  wpa3_support: flag("WPA3"),
  wpa3_transition: flag("WPA2 clients beside WPA3"),
  mac_filter_enabled: flag("Filter by MAC address"),
  mac_filter_policy: choice("What the list does", ["allow", "deny"]),
  mac_filter_list: Type.Optional(
    Type.Array(Type.String({ maxLength: 32 }), { description: "MAC addresses; replaces the list", maxItems: 512 }),
  ),
  schedule_enabled: flag("Follow its schedule"),
  l2_isolation: flag("Keep clients from each other"),
  wlan_band: choice("Bands", ["both", "2g", "5g"]),
  multicast_enhance_enabled: flag("Send multicast as unicast"),
  dtim_mode: choice("DTIM periods", ["default", "custom"]),
  dtim_na: whole("DTIM period at 5 GHz", 1, 255),
  dtim_ng: whole("DTIM period at 2.4 GHz", 1, 255),
  minrate_setting_preference: choice("Lowest data rates", ["auto", "manual"]),
  minrate_ng_enabled: flag("Lowest data rate at 2.4 GHz"),
  minrate_ng_data_rate_kbps: whole("That rate, kbit/s", 1000, 54_000),
  minrate_na_enabled: flag("Lowest data rate at 5 GHz"),
  minrate_na_data_rate_kbps: whole("That rate, kbit/s", 6000, 54_000),
  group_rekey: whole("Key renewal, seconds; 0 = never", 0, 86_400),
  uapsd_enabled: flag("U-APSD power save"),
  proxy_arp: flag("Answer ARP for clients"),
  iapp_enabled: flag("Tell APs of roaming clients"),
  ap_group_ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      description: "AP groups that send it",
      minItems: 1,
      maxItems: 64,
    }),
  ),
  ap_group_mode: choice("All APs, or ap_group_ids", ["all", "groups"]),
};

/** Argument name to the console's, where they differ. */
export const WLAN_NAMES = {
  network_id: "networkconf_id",
  vlan_id: "vlan",
  multicast_enhance_enabled: "mcastenhance_enabled",
  guest_policy: "is_guest",
};
