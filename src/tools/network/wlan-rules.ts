/** What must hold for a wireless network, what follows from its fields, and what a new one takes from the console. */
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { invalid, normalMac } from "../arguments.ts";
import { idOf, rowsOf } from "../collection.ts";
import type { Circumstances, Prepared } from "../resource.ts";

/** IEEE 802.11: an SSID is at most 32 octets. */
const SSID_BYTES = 32;

/** A passphrase of WPA-Personal, or the key itself. */
const PASSPHRASE = /^([\x20-\x7e]{8,63}|[0-9A-Fa-f]{64})$/;

/** What the console's own form sends with a WPA-Personal network. */
const WPA_DEFAULTS = { wpa_mode: "wpa2", wpa_enc: "ccmp" };

export async function checkNewWlan(data: Row, { context }: Circumstances): Promise<Prepared> {
  const wlan = completed({ enabled: true, ...data });
  checkWhole(wlan);
  if (wlan.security === "wpapsk" && wlan.x_passphrase === undefined) {
    throw invalid("A wpapsk network needs x_passphrase.", "Or security=open for a network without one.");
  }
  const defaults = await consoleDefaults(context.network);
  const chosen = { ...defaults, ...wlan };
  return {
    data: { ...chosen, ap_group_mode: wlan.ap_group_mode ?? (wlan.ap_group_ids === undefined ? "all" : "groups") },
    extra: { ...(wlan.security === "wpapsk" ? WPA_DEFAULTS : {}), ...bandsOf(wlan.wlan_band ?? "both") },
    warnings: wlan.security === "open" ? ["Without a passphrase, traffic is readable for everybody near."] : [],
    unverifiable: ["ap_group_mode"], // older consoles take it and do not show it
  };
}

export async function checkWlanChange(data: Row, { current = {} }: Circumstances): Promise<Prepared> {
  const change = completed(data);
  checkWhole({ ...(current.security === undefined ? {} : { security: current.security }), ...change });
  const passphrase = change.x_passphrase ?? current.x_passphrase;
  if (change.security === "wpapsk" && !passphrase) throw invalid("A wpapsk network needs x_passphrase.");
  const drops = ["name", "security", "x_passphrase", "network_id", "wlan_band", "pmf_mode", "hide_ssid"];
  const warnings = [
    ...(drops.some((field) => field in change) ? ["Its clients lose their connection for a moment or for good."] : []),
    ...(change.security === "open" ? ["Without a passphrase, traffic is readable for everybody near."] : []),
  ];
  const extra = change.wlan_band === undefined ? {} : bandsOf(change.wlan_band);
  return { data: change, extra, warnings };
}

/** Newer consoles read the list, older ones the word: both are sent. */
function bandsOf(band: unknown): Row {
  return { wlan_bands: band === "both" ? ["2g", "5g"] : [band] };
}

/** Fields that follow from others: a rate implies its switch, WPA3 its frame protection, a list its MAC form. */
function completed(data: Row): Row {
  const wlan: Record<string, unknown> = { ...data };
  for (const band of ["ng", "na"]) {
    if (data[`minrate_${band}_data_rate_kbps`] === undefined) continue;
    wlan.minrate_setting_preference = "manual";
    wlan[`minrate_${band}_enabled`] = true;
  }
  if (data.wpa3_support === true && data.pmf_mode === undefined) {
    wlan.pmf_mode = data.wpa3_transition === false ? "required" : "optional";
  }
  if (data.wpa3_support === true && data.wpa3_transition === undefined) wlan.wpa3_transition = true;
  if (Array.isArray(data.mac_filter_list)) {
    wlan.mac_filter_list = data.mac_filter_list.map((mac) => filterMac(String(mac)));
  }
  return wlan;
}

function filterMac(text: string): string {
  const mac = normalMac(text);
  if (/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac)) return mac;
  throw invalid("mac_filter_list holds a value that is no MAC address.");
}

function checkWhole(wlan: Row): void {
  if (typeof wlan.name === "string" && Buffer.byteLength(wlan.name, "utf8") > SSID_BYTES) {
    throw invalid(`The name is longer than ${SSID_BYTES} bytes in UTF-8.`);
  }
  if (typeof wlan.x_passphrase === "string" && !PASSPHRASE.test(wlan.x_passphrase)) {
    throw invalid("x_passphrase must have 8 to 63 printable ASCII characters, or be 64 hexadecimal digits.");
  }
  if (wlan.security === "open" && wlan.x_passphrase !== undefined) {
    throw invalid("An open network has no passphrase.", "Set security=wpapsk to use one.");
  }
  if (wlan.wpa3_support === true && wlan.pmf_mode === "disabled") {
    throw invalid("WPA3 needs pmf_mode optional or required.");
  }
}

/** What the console's form has filled in: the first access-point group, the default user group and the default LAN. */
async function consoleDefaults(site: NetworkSite): Promise<Row> {
  const [apGroups, userGroups, networks] = await Promise.all([
    site.v2("GET", "/apgroups"),
    site.v1("GET", "/rest/usergroup"),
    site.v1("GET", "/rest/networkconf"),
  ]);
  const apGroup = preferred(rowsOf(apGroups, "/apgroups"), "default");
  const userGroup = preferred(userGroups, "Default");
  const network = preferred(
    networks.filter((candidate) => candidate.purpose === "corporate"),
    "LAN",
  );
  if (apGroup === undefined) throw invalid("This site has no access-point group to send the network.");
  return {
    ap_group_ids: [apGroup],
    ...(userGroup === undefined ? {} : { usergroup_id: userGroup }),
    ...(network === undefined ? {} : { network_id: network }),
  };
}

/** Id of the row that the console marks as built in, else of the first. */
function preferred(rows: readonly Row[], hiddenId: string): string | undefined {
  const row = rows.find((candidate) => candidate.attr_hidden_id === hiddenId) ?? rows[0];
  return row && idOf(row);
}
