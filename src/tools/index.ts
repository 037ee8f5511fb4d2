/** Every declared tool, in the fixed order in which lists and index show them. */

import apGroups from "./network/ap-groups.ts";
import apiCall from "./network/api-call.ts";
import clientAccess from "./network/client-access.ts";
import clientSettings from "./network/client-settings.ts";
import clients from "./network/clients.ts";
import devices from "./network/devices.ts";
import dns from "./network/dns.ts";
import events from "./network/events.ts";
import networks from "./network/networks.ts";
import portForwards from "./network/port-forwards.ts";
import sites from "./network/sites.ts";
import stats from "./network/stats.ts";
import system from "./network/system.ts";
import wlans from "./network/wlans.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [
  ...system,
  ...sites,
  ...devices,
  ...clients,
  ...clientAccess,
  ...clientSettings,
  ...dns,
  ...networks,
  ...wlans,
  ...apGroups,
  ...portForwards,
  ...events,
  ...stats,
  ...apiCall,
];
