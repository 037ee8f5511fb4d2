/** Endpoints of figures over time, sessions, applications, and of what went wrong. */
import type { Endpoint } from "../../tool.ts";
import type { EndpointNote } from "../endpoints.ts";

const REPORT = "interval 5minutes, hourly, daily or monthly";
const WINDOW = '"start": 1796000000000, "end": 1796086400000';

export const STATS_ENDPOINTS: { readonly [endpoint: Endpoint]: EndpointNote } = {
  "POST /api/s/{site}/stat/report/{interval}.site": {
    purpose: `Figures of the site over time; ${REPORT}`,
    body: `{"attrs": ["bytes", "num_sta", "time"], ${WINDOW}}`,
    answer: "time, the attrs",
  },
  "POST /api/s/{site}/stat/report/{interval}.ap": {
    purpose: `Figures of an access point over time; ${REPORT}`,
    body: `{"attrs": ["num_sta", "time"], "mac": "aa:bb:cc:dd:ee:ff", ${WINDOW}}`,
    answer: "time, ap (MAC), the attrs",
  },
  "POST /api/s/{site}/stat/report/{interval}.gw": {
    purpose: `Figures of the gateway over time; ${REPORT}`,
    body: `{"attrs": ["wan-rx_bytes", "cpu", "mem", "time"], ${WINDOW}}`,
    answer: "time, gw (MAC), the attrs",
  },
  "POST /api/s/{site}/stat/report/{interval}.dev": {
    purpose: `Figures of another device over time; ${REPORT}`,
    body: `{"attrs": ["bytes", "time"], "mac": "aa:bb:cc:dd:ee:ff", ${WINDOW}}`,
    answer: "time, the attrs",
  },
  "POST /api/s/{site}/stat/report/archive.speedtest": {
    purpose: "Past speed tests",
    body: `{"attrs": ["xput_download", "xput_upload", "latency", "time"], ${WINDOW}}`,
    answer: "time, xput_download, xput_upload (Mbit/s), latency (ms)",
  },
  "POST /api/s/{site}/stat/session": {
    purpose: "Sessions of clients",
    body: `{"type": "all", ${WINDOW}, "_limit": 50, "mac": "aa:bb:cc:dd:ee:ff"}`,
    answer: "mac, hostname, ap_mac, assoc_time, duration, rx_bytes, tx_bytes",
  },
  "POST /api/s/{site}/stat/sitedpi": {
    purpose: "The site's traffic by application or category",
    body: '{"type": "by_app"}',
    answer: "by_app [app, cat, rx_bytes, tx_bytes]",
  },
  "POST /api/s/{site}/stat/stadpi": {
    purpose: "Clients' traffic by application or category",
    body: '{"type": "by_cat", "macs": ["aa:bb:cc:dd:ee:ff"]}',
    answer: "mac, by_cat [cat, rx_bytes, tx_bytes]",
  },
  "GET /api/s/{site}/rest/dpiapp": { purpose: "Restricted applications", answer: "_id, name, apps, blocked" },
  "GET /api/s/{site}/rest/dpigroup": { purpose: "Groups of restrictions", answer: "_id, name, dpiapp_ids" },
  "POST /v2/api/site/{site}/system-log/critical": {
    purpose: "Serious entries of the event log, page by page (at most 100 rows)",
    body: '{"timestampFrom": 1796000000000, "timestampTo": 1796086400000, "severities": ["HIGH", "VERY_HIGH"], "categories": ["SECURITY"], "type": "GENERAL", "pageNumber": 0, "pageSize": 100, "searchText": ""}',
    answer: "data [id, key, severity, timestamp, message_raw, parameters …], total_element_count",
  },
  "GET /api/s/{site}/stat/alarm": {
    purpose: "Alarms; archived=true or false narrows",
    query: "archived",
    answer: "_id, key, msg, time, archived",
  },
  "POST /api/s/{site}/cmd/evtmgr": {
    purpose: "Command on alarms: archive-alarm, archive-all-alarms",
    body: '{"cmd": "archive-alarm", "_id": "…"}',
  },
  "POST /api/s/{site}/stat/ips/event": {
    purpose: "Intrusion events of older consoles",
    body: `{${WINDOW}, "_limit": 50}`,
    answer: "_id, key, msg, time, src_ip, dest_ip",
  },
  "POST /api/s/{site}/stat/anomalies": {
    purpose: "Anomalies that the console noticed",
    body: `{${WINDOW}}`,
    answer: "anomaly, mac, timestamps",
  },
};
