/** Writable fields of a wireless network, as create and update take them. */
import { type TProperties, Type } from "typebox";

const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const whole = (description: string, minimum: number, maximum: number) =>
  Type.Optional(Type.Integer({ description, minimum, maximum }));
const choice = (description: string, values: string[]) =>
  Type.Optional(Type.Enum(values, { type: "string", description }));
const id = (description: string) => Type.Optional(Type.String({ description, minLength: 1, maxLength: 64 }));

export const WLAN_FIELDS: TProperties = {
  name: Type.String({ description: "Network name (SSID), at most 32 bytes in UTF-8", minLength: 1, maxLength: 32 }),
  security: Type.Enum(["open", "wpapsk", "wpaeap", "osen"], {
    type: "string",
    description: "open, wpapsk (passphrase), wpaeap (RADIUS), osen (Passpoint sign-up)",
  }),
  x_passphrase: Type.Optional(
    Type.String({
      description: "Passphrase: 8 to 63 printable ASCII characters, or 64 hexadecimal digits",
      maxLength: 64,
    }),
  ),
  enabled: flag("Whether it is on the air; a new one is"),
  hide_ssid: flag("Leave the name out of the beacons"),
  guest_policy: flag("Treat its clients as guests: portal and isolation"),
  network_id: id("Network that its clients join; a new one takes the default LAN"),
  vlan_id: whole("VLAN, where the console still binds it to the WLAN", 2, 4094),
  usergroup_id: id("User group with bandwidth limits; a new one takes the default"),
  fast_roaming_enabled: flag("802.11r"),
  rrm_enabled: flag("802.11k"),
  roaming_assistant_na_enabled: flag("Drop weak 5 GHz clients so that they roam"),
  roaming_assistant_na_rssi: whole("Signal below which, dBm", -95, -20),
  roaming_assistant_6e_enabled: flag("Drop weak 6 GHz clients so that they roam"),
  roaming_assistant_6e_rssi: whole("Signal below which, dBm", -95, -20),
  pmf_mode: choice("Protected management frames", ["disabled", "optional", "required"]),
  wpa3_support: flag("WPA3"),
  wpa3_transition: flag("WPA2 clients beside WPA3"),
  mac_filter_enabled: flag("Filter by MAC address"),
  mac_filter_policy: choice("Whether the list lets in or keeps out", ["allow", "deny"]),
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
  group_rekey: whole("Group key renewal, seconds; 0 = never", 0, 86_400),
  uapsd_enabled: flag("U-APSD power save"),
  proxy_arp: flag("Answer ARP for clients"),
  iapp_enabled: flag("Tell access points of roaming clients"),
  ap_group_ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      description: "Access-point groups that send it (unifi_list_ap_groups)",
      minItems: 1,
      maxItems: 64,
    }),
  ),
  ap_group_mode: choice("All access points, or those of ap_group_ids", ["all", "groups"]),
};

/** Argument name to the console's, where they differ. */
export const WLAN_NAMES = {
  network_id: "networkconf_id",
  vlan_id: "vlan",
  multicast_enhance_enabled: "mcastenhance_enabled",
  guest_policy: "is_guest",
};
