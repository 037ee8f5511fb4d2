/** What every tool on a switch has in common: category, spellings, and the switch's MAC address. */
import { macArgument } from "../arguments.ts";

export const SWITCH_COMMON = {
  app: "network",
  category: "switch",
  aliases: { mac: "device_mac", mac_address: "device_mac", switch_mac: "device_mac" },
  macs: ["device_mac"],
} as const;
export const SWITCH_MAC = { device_mac: macArgument("MAC address of the switch") };
