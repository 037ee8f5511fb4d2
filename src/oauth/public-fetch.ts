/** A `fetch` that reaches the public internet only: addresses that strangers name are looked at before a socket opens. */
import type { LookupAddress } from "node:dns";
import { BlockList, isIP } from "node:net";
import { EdgeError } from "../errors.ts";

/** Every address of a host name, as `dns.promises.lookup(host, { all: true })` gives them. */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

/** Special-use ranges of the IANA registries (RFC 6890), multicast, and what carries IPv4 inside IPv6. */
const RANGES = [
  ["ipv4", "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24"],
  ["ipv4", "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"],
  ["ipv6", "::/128 ::1/128 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20"],
  ["ipv6", "5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8"],
] as const;

const SPECIAL = new BlockList();
for (const [family, ranges] of RANGES) {
  for (const range of ranges.split(" ")) {
    const [network = "", prefix] = range.split("/");
    SPECIAL.addSubnet(network, Number(prefix), family);
  }
}

/**
 * oidc-provider's own guard, in the dispatcher that is handed on, ends a connection after it was made; a stranger could
 * still find out by it which ports are open in our network. Here no connection is tried. A name that changes its address
 * between this look and the connection meets the provider's guard.
 *
 * @throws EdgeError PERMISSION_DENIED where the host has an inner address, or none
 */
export function publicFetch(fetch: typeof globalThis.fetch, lookup: Lookup): typeof globalThis.fetch {
  return async (input, init) => {
    const host = new URL(input instanceof Request ? input.url : input).hostname.replace(/^\[|\]$/g, "");
    const addresses = await addressesOf(host, lookup, init?.signal ?? undefined);
    // a redirect would lead past the look
    if (addresses.length > 0 && !addresses.some(isSpecial)) return fetch(input, { redirect: "error", ...init });
    throw new EdgeError("PERMISSION_DENIED", `${host} is no public address.`);
  };
}

async function addressesOf(host: string, lookup: Lookup, signal: AbortSignal | undefined): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  const found = lookup(host);
  const addresses = await (signal === undefined ? found : Promise.race([found, aborted(signal)]));
  return addresses.map(({ address }) => address);
}

/** A resolver may take longer than the request is given. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = () => reject(signal.reason as Error); // whoever aborts says why
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

/** IPv4 inside IPv6 (`::ffff:10.0.0.1`) is judged as IPv4 by the list itself. */
function isSpecial(address: string): boolean {
  return SPECIAL.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
