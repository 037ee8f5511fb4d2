/** Clients as the console knows them: the connected ones (`stat/sta`) joined to the remembered ones (`rest/user`). */
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { EdgeError } from "../../errors.ts";
import { projectFirst, type RowTable, withIsoTimes } from "../rows.ts";

/** A client's two records; one of them is always there. */
export interface Client {
  readonly mac: string;
  readonly live?: Row;
  readonly known?: Row;
}

export const CLIENT_TABLE = {
  mac: "string",
  ip: "string",
  hostname: "string",
  name: "string",
  is_wired: "boolean",
  is_guest: "boolean",
  status: "string",
  last_seen: "time",
  first_seen: "time",
  note: "string",
  usergroup_id: "string",
  connection_type: "string",
  _id: "string",
  essid: "string",
  signal_dbm: "integer",
  channel: "integer",
  radio: "string",
  blocked: "boolean",
} as const satisfies RowTable;

/** Epoch fields of a client's own record. */
const TIMES = [
  "first_seen",
  "last_seen",
  "assoc_time",
  "latest_assoc_time",
  "disconnect_timestamp",
  "_last_seen_by_uap",
  "_last_seen_by_usw",
  "_last_seen_by_ugw",
];

/** Both lists, fresh: a client that left is gone from `live` at once. */
export async function fetchClients(site: NetworkSite): Promise<readonly Client[]> {
  const [live, known] = await Promise.all([site.v1("GET", "/stat/sta"), site.v1("GET", "/rest/user")]);
  return joined(live, known);
}

/** The connected clients only. */
export async function fetchConnected(site: NetworkSite): Promise<readonly Client[]> {
  return joined(await site.v1("GET", "/stat/sta"), []);
}

/** Joins by MAC, connected clients first. */
function joined(live: readonly Row[], known: readonly Row[]): readonly Client[] {
  const remembered = new Map(known.map((row) => [macOf(row), row]));
  const connected = live.map((row) => {
    const mac = macOf(row);
    const other = remembered.get(mac);
    remembered.delete(mac);
    return other === undefined ? { mac, live: row } : { mac, live: row, known: other };
  });
  return [...connected, ...[...remembered].map(([mac, row]) => ({ mac, known: row }))];
}

function macOf(row: Row): string {
  return String(row.mac ?? "").toLowerCase();
}

/** Both records in one, the live one winning, times in ISO 8601. */
export function mergedRecord(client: Client): Row {
  return withIsoTimes({ ...client.known, ...client.live, mac: client.mac, ...statusOf(client) }, TIMES);
}

function statusOf(client: Client) {
  const wired = (client.live ?? client.known)?.is_wired === true;
  return {
    is_wired: wired,
    connection_type: wired ? "wired" : "wireless",
    status: client.live === undefined ? "offline" : "online",
  };
}

/** The list row. */
export function clientRow(client: Client): Row {
  const { live, known } = client;
  const status = statusOf(client);
  const ours = {
    ...status,
    mac: client.mac,
    ip: addressOf(client),
    _id: known?._id ?? live?.user_id ?? live?._id,
    blocked: known?.blocked === true ? true : undefined,
    ...(status.is_wired || live === undefined ? NO_RADIO : { signal_dbm: live.signal }),
  };
  return projectFirst([ours, live, known], CLIENT_TABLE);
}

/** What the console remembers of the last radio tells nothing of a wired or absent client. */
const NO_RADIO = { essid: undefined, channel: undefined, radio: undefined };

/** The address now, or the last one. */
export function addressOf(client: Client): unknown {
  return client.live?.ip ?? client.live?.last_ip ?? client.known?.last_ip ?? client.known?.fixed_ip;
}

/** One client by normalised MAC; throws NOT_FOUND. */
export async function findClient(site: NetworkSite, mac: string): Promise<Client> {
  return clientIn(await fetchClients(site), mac);
}

/** The same in a list that is already there. */
export function clientIn(clients: readonly Client[], mac: string): Client {
  const client = clients.find((candidate) => candidate.mac === mac.toLowerCase());
  if (client !== undefined) return client;
  throw new EdgeError("NOT_FOUND", "No connected or remembered client has this MAC address.", {
    hint: "unifi_list_clients with include_offline=true lists all of them.",
  });
}

/** The alias, else the name that the device gave itself. */
export function clientName(client: Client): string | undefined {
  const record = { ...client.known, ...client.live };
  const name = record.name ?? record.hostname;
  return typeof name === "string" && name !== "" ? name : undefined;
}
