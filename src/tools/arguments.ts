/** Arguments that many tools take, with one spelling and one check. */
import { Type } from "typebox";
import { EdgeError } from "../errors.ts";

/** Any case and punctuation: the argument check refuses what is no MAC and brings it to `aa:bb:cc:dd:ee:ff`. */
export function macArgument(description: string) {
  return Type.String({ description, minLength: 12, maxLength: 32 });
}

/** `aa:bb:cc:dd:ee:ff` of any spelling; what is no MAC comes back in lower case. */
export function normalMac(text: string): string {
  const digits = text.replace(/[:.\-\s]/g, "").toLowerCase();
  return /^[0-9a-f]{12}$/.test(digits) ? (digits.match(/../g)?.join(":") ?? digits) : text.toLowerCase();
}

/** MAC addresses of a list argument, each once; throws ARGUMENTS_INVALID naming the argument where one is none. */
export function macList(values: readonly unknown[], argument: string): readonly string[] {
  const macs = values.map((value) => normalMac(String(value)));
  const at = macs.findIndex((mac) => !/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac));
  if (at >= 0) throw invalid(`${argument}[${at}] is no MAC address.`);
  return [...new Set(macs)];
}

export function ipv4Argument(description: string) {
  return Type.String({ description, format: "ipv4" });
}

/** Names asked for in a comma list, split into the known ones and the rest; `all` stands for every one. */
export function sectionsOf(
  list: string,
  known: readonly string[],
): { sections: readonly string[]; unknown: readonly string[] } {
  const asked = list
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "");
  const unknown = asked.filter((name) => name !== "all" && !known.includes(name));
  const sections = asked.includes("all") ? known : known.filter((name) => asked.includes(name));
  return { sections, unknown };
}

/** The refusal of an argument that its schema could not refuse. */
export function invalid(message: string, hint?: string): EdgeError {
  return new EdgeError("ARGUMENTS_INVALID", message, hint === undefined ? {} : { hint });
}
