/** Commands to one device: adopt, provision, upgrade, scan the air, test the line. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { invalid, macArgument } from "../arguments.ts";
import { pick } from "../merge.ts";
import { defineTool, type ToolDeclaration } from "../tool.ts";
import { DEVICE_COMMAND, DEVICE_READS, deviceCommand, findDevice } from "./device-change.ts";
import { categoryOf, statusOf } from "./device-rows.ts";

const COMMON = {
  app: "network",
  category: "devices",
  output: { mac_address: Type.Optional(Type.String()) },
  reads: DEVICE_READS,
  writes: [DEVICE_COMMAND],
} as const satisfies Partial<ToolDeclaration<Record<never, never>>>;

const ALIASES = { mac: "mac_address", device_mac: "mac_address", device: "mac_address" };
const UPDATE = { category: "devices", action: "update" } as const;

export default [
  defineTool({
    ...COMMON,
    name: "unifi_adopt_device",
    title: "Adopt device",
    summary: "Take a waiting device into this site.",
    description:
      "Adopts a UniFi device that waits for it (unifi_list_devices with status=pending). It then gets this site's settings and restarts its services.",
    asks: [
      "add the new access point",
      "onboard a switch",
      "set up hardware that just arrived",
      "claim pending gear",
      "adopt the new access point",
      "add a new switch to the controller",
      "a device shows pending adoption",
      "onboard new hardware",
      "new box is plugged in but not managed",
      "bring an unmanaged ap under control",
    ],
    permission: { category: "devices", action: "create" },
    annotations: { idempotentHint: true },
    input: { mac_address: macArgument("MAC address of the waiting device") },
    aliases: ALIASES,
    macs: ["mac_address"],
    async plan({ network }, { mac_address: mac }) {
      const device = await findDevice(network, mac);
      if (device.adopted === true) {
        throw invalid(
          "mac_address: this device is adopted already.",
          "unifi_force_provision_device sends its settings.",
        );
      }
      return deviceCommand(network, device, {
        cmd: "adopt",
        current: seen(device),
        warnings: ["The device takes on this site's settings, which may take a few minutes."],
        message: "The console adopts the device.",
      });
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_force_provision_device",
    title: "Force provision device",
    summary: "Send a device its settings again.",
    description:
      "Sends the stored configuration to a UniFi device once more, where it seems to run with old settings. It does not restart it: unifi_reboot_device.",
    asks: [
      "push config again",
      "settings did not reach the switch",
      "resync a device",
      "access point ignores changes",
      "reprovision the access point",
      "resend the config to a device",
      "device out of sync with the controller",
      "changes do not arrive at the ap",
      "make the switch reload its settings",
    ],
    permission: UPDATE,
    input: { device_mac: macArgument("MAC address of the device") },
    aliases: { mac: "device_mac", mac_address: "device_mac", device: "device_mac" },
    macs: ["device_mac"],
    async plan({ network }, { device_mac: mac }) {
      const device = await findDevice(network, mac);
      return deviceCommand(network, device, {
        cmd: "force-provision",
        current: seen(device),
        warnings: offline(device),
        message: "The console sends the settings.",
      });
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_upgrade_device",
    title: "Upgrade device",
    summary: "Install a device's newer firmware.",
    description:
      "Installs the newer firmware that the console has for a UniFi device and restarts it. What hangs on it is cut off meanwhile.",
    asks: [
      "update firmware",
      "patch the access point",
      "newer version available",
      "bring switch up to date",
      "upgrade the firmware of an access point",
      "install the latest firmware",
      "update the switch to the new version",
      "firmware update for one device",
      "patch security holes in the ap",
      "bring hardware to the current release",
      "new version is available, install it",
    ],
    permission: UPDATE,
    annotations: { destructiveHint: true, idempotentHint: false },
    input: { mac_address: macArgument("MAC address of the device") },
    aliases: ALIASES,
    macs: ["mac_address"],
    async plan({ network }, { mac_address: mac }) {
      const device = await findDevice(network, mac);
      if (device.upgradable !== true) {
        throw invalid("mac_address: the console has no newer firmware for this device.");
      }
      return deviceCommand(network, device, {
        cmd: "upgrade",
        current: { ...seen(device), ...pick(device, ["version"]) },
        proposed: { command: "upgrade", ...pick(device, ["upgrade_to_firmware"]) },
        warnings: [...offline(device), "The device restarts; do not cut its power meanwhile."],
        message: "The upgrade starts.",
      });
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_trigger_rf_scan",
    title: "Trigger RF scan",
    summary: "Start an access point's spectrum scan.",
    description:
      "Lets an access point measure interference on all channels. Takes minutes, during which its Wi-Fi may drop; unifi_get_rf_scan_results reads the outcome.",
    asks: [
      "measure interference",
      "start a wifi spectrum analysis",
      "find noisy channels",
      "survey the air",
      "scan the channels around the ap",
      "start a spectrum scan",
      "check for wifi interference",
      "find the best channel",
      "measure the noise around an ap",
      "analyse the spectrum",
    ],
    permission: UPDATE,
    input: { ap_mac: macArgument("MAC address of the access point") },
    aliases: { mac: "ap_mac", mac_address: "ap_mac", device_mac: "ap_mac" },
    macs: ["ap_mac"],
    async plan({ network }, { ap_mac: mac }) {
      const device = await findDevice(network, mac);
      if (categoryOf(device) !== "ap") throw invalid("ap_mac: this device is no access point.");
      return deviceCommand(network, device, {
        cmd: "spectrum-scan",
        current: seen(device),
        warnings: [...offline(device), "Clients of this access point may lose Wi-Fi while it scans."],
        message: "The scan starts; unifi_get_rf_scan_results shows what it finds.",
      });
    },
  }),

  defineTool({
    ...COMMON,
    name: "unifi_trigger_speedtest",
    title: "Trigger speed test",
    summary: "Start the gateway's internet speed test.",
    description:
      "Lets the gateway measure the internet line, which fills it for about half a minute. unifi_get_speedtest_status shows how far it is and what it found.",
    asks: [
      "measure internet speed",
      "run bandwidth test",
      "is our ISP slow",
      "check download and upload rate",
      "run a speed test",
      "test our internet speed",
      "check bandwidth of the isp now",
      "start measuring the connection",
      "are we getting what we pay for",
      "how many megabits do we have now",
      "check the provider line",
    ],
    permission: UPDATE,
    input: { gateway_mac: macArgument("MAC address of the gateway") },
    aliases: { mac: "gateway_mac", mac_address: "gateway_mac", device_mac: "gateway_mac" },
    macs: ["gateway_mac"],
    async plan({ network }, { gateway_mac: mac }) {
      const device = await findDevice(network, mac);
      if (categoryOf(device) !== "gateway") throw invalid("gateway_mac: this device is no gateway.");
      return deviceCommand(network, device, {
        cmd: "speedtest",
        current: seen(device),
        warnings: offline(device),
        message: "The test starts; unifi_get_speedtest_status shows its result.",
      });
    },
  }),
];

function seen(device: Row): Row {
  return { ...pick(device, ["model", "type"]), status: statusOf(device) };
}

function offline(device: Row): readonly string[] {
  return statusOf(device) === "online" ? [] : ["The device is not online, so it may not get the command."];
}
