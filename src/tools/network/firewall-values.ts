/** Values of firewall fields: ports, addresses and MAC addresses as a console takes them. */
import { isIP } from "node:net";
import { ipv4Number } from "../ipv4.ts";

export const PORTS_PATTERN = "^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$";

/** `443`, `8000-8010` or a comma list of both, each number from 1 to 65535 and no range backwards. */
export function arePorts(text: string): boolean {
  return text.split(",").every((part) => {
    const ends = part.split("-");
    const [low = 0, high = low] = ends.map((end) => (/^\d{1,5}$/.test(end) ? Number(end) : 0));
    return ends.length <= 2 && low >= 1 && high <= 65535 && low <= high;
  });
}

/** `10.0.0.0/8` or `fd00::/8`. */
export function isSubnet(text: string, family: 4 | 6): boolean {
  const [address = "", length = "", ...rest] = text.split("/");
  const most = family === 4 ? 32 : 128;
  return rest.length === 0 && isIP(address) === family && /^\d{1,3}$/.test(length) && Number(length) <= most;
}

/** An address, a subnet, or for IPv4 a range `low-high`. */
export function areAddresses(text: string, family: 4 | 6): boolean {
  if (isIP(text) === family || isSubnet(text, family)) return true;
  const [low, high, ...rest] = text.split("-").map(ipv4Number);
  return family === 4 && rest.length === 0 && low !== undefined && high !== undefined && low <= high;
}

/** Six pairs of hexadecimal digits in any spelling. */
export function isMac(text: string): boolean {
  return /^[0-9a-f]{12}$/i.test(text.replace(/[:.\-\s]/g, ""));
}
