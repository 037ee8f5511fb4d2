/** The console's own event log: rows that stat/event lists and the event socket sends. */
import type { Row, SiteExchange } from "./exchange.ts";
import { insertRow } from "./site.ts";

const MAX_EVENTS = 3000;

const SUBSYSTEM: Readonly<Record<string, string>> = {
  WU: "wlan",
  WC: "wlan",
  AP: "wlan",
  LU: "lan",
  SW: "lan",
  GW: "wan",
};

/** Adds an event and gives back its row; `key` is the console's, `EVT_WU_Connected`. */
export function eventRow(x: SiteExchange, key: string, facts: Row): Row {
  const time = x.world.now();
  const row = {
    _id: x.world.newId(),
    key,
    time,
    datetime: new Date(time).toISOString().replace(/\.\d+Z$/, "Z"),
    msg: `${key} ${Object.values(facts).filter(Boolean).join(" ")}`,
    subsystem: SUBSYSTEM[key.slice(4, 6)] ?? "lan",
    site_id: x.site.id,
    ...facts,
  };
  const { event } = x.site.tables;
  if (event.length >= MAX_EVENTS) event.shift();
  return insertRow(x.site, "event", row);
}
