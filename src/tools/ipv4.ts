/** IPv4 arithmetic that checks a value against the network it is meant for. */
import { isIPv4 } from "node:net";

/** A subnet; `address` is the one written before the slash (on UniFi the gateway's own), as an unsigned number. */
export interface Subnet {
  readonly address: number;
  readonly network: number;
  readonly broadcast: number;
  readonly prefix: number;
}

/** Undefined where the text is no IPv4 address. */
export function ipv4Number(text: string): number | undefined {
  if (!isIPv4(text)) return undefined;
  return text.split(".").reduce((number, octet) => number * 256 + Number(octet), 0);
}

export function ipv4Text(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".");
}

/** `192.168.1.1/24`; undefined where the text is no IPv4 CIDR with an explicit prefix from 1 to 30. */
export function subnetOf(text: string): Subnet | undefined {
  const [host = "", length = "", ...rest] = text.split("/");
  const address = ipv4Number(host);
  const prefix = /^\d{1,2}$/.test(length) ? Number(length) : Number.NaN;
  if (address === undefined || rest.length > 0 || !(prefix >= 1 && prefix <= 30)) return undefined;
  const size = 2 ** (32 - prefix);
  const network = Math.floor(address / size) * size;
  return { address, network, broadcast: network + size - 1, prefix };
}

/** True for an address that a host of the subnet can have: neither its first nor its last. */
export function isHostOf(subnet: Subnet, address: number): boolean {
  return address > subnet.network && address < subnet.broadcast;
}

export function overlaps(left: Subnet, right: Subnet): boolean {
  return left.network <= right.broadcast && right.network <= left.broadcast;
}
