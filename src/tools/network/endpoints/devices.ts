/** Endpoints of the air around access points, and of the site's lights. */
import type { Endpoint } from "../../tool.ts";
import type { EndpointNote } from "../endpoints.ts";

export const DEVICE_ENDPOINTS: { readonly [endpoint: Endpoint]: EndpointNote } = {
  "GET /api/s/{site}/stat/current-channel": {
    purpose: "Channels that the site's country allows",
    answer: "channels_ng, channels_na, channels_na_dfs, channels_6e, …",
  },
  "POST /api/s/{site}/stat/rogueap": {
    purpose: "Access points of others that ours have heard",
    body: '{"within": 24}',
    answer: "bssid, essid, channel, signal, band, security, ap_mac, last_seen",
  },
  "GET /api/s/{site}/stat/spectrum-scan/{mac}": {
    purpose: "An access point's last spectrum scan",
    answer: "mac, spectrum_scanning, spectrum_table",
  },
  "GET /api/s/{site}/get/setting/mgmt": {
    purpose: "Management settings of the site",
    answer: "led_enabled, auto_upgrade, …",
  },
  "PUT /api/s/{site}/set/setting/mgmt": {
    purpose: "Change fields of the management settings",
    body: '{"led_enabled": false}',
  },
};
