/** The sockets to one console: a small pool whose connections trust as the settings say. */
import { Pool } from "undici";
import { EdgeError } from "../../errors.ts";
import { connectorFor } from "../tls.ts";
import { type Exchange, exchangeOver } from "./exchange.ts";
import type { ConsoleSettings } from "./options.ts";

/** Few: a small gateway serves its own page from the same workers. */
const MOST_CONNECTIONS = 8;

export interface Transport {
  readonly exchange: Exchange;
  /** Ends all sockets at once. */
  disconnect(): Promise<void>;
}

/**
 * Opens no socket yet.
 *
 * @throws EdgeError CONFIG_INVALID for a pin that is none or an address that is no host
 */
export function openTransport(settings: ConsoleSettings): Transport {
  const origin = originOf(settings);
  const connect = connectorFor(settings, settings.timeoutMs);
  const pool = new Pool(origin, { connect, connections: MOST_CONNECTIONS, pipelining: 1 });
  return { exchange: exchangeOver(pool, origin, settings), disconnect: () => pool.destroy() };
}

function originOf({ host, port }: ConsoleSettings): string {
  const name = host.includes(":") ? `[${host}]` : host;
  const origin = `https://${name}:${port}`;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url === undefined || url.pathname !== "/" || url.username !== "" || url.search !== "") {
    throw new EdgeError("CONFIG_INVALID", "UNIFI_HOST is not a host name or address.", {
      hint: "Give it without https:// and without a path, for example 192.168.1.1.",
    });
  }
  return origin;
}
