/** Every declared tool, in the fixed order in which lists and index show them. */

import aclRules from "./network/acl-rules.ts";
import alarms from "./network/alarms.ts";
import apGroups from "./network/ap-groups.ts";
import apiCall from "./network/api-call.ts";
import backups from "./network/backups.ts";
import clientAccess from "./network/client-access.ts";
import clientGroups from "./network/client-groups.ts";
import clientSettings from "./network/client-settings.ts";
import clients from "./network/clients.ts";
import contentFilters from "./network/content-filters.ts";
import deviceAir from "./network/device-air.ts";
import deviceCommands from "./network/device-commands.ts";
import devicePower from "./network/device-power.ts";
import deviceRadio from "./network/device-radio.ts";
import devices from "./network/devices.ts";
import dns from "./network/dns.ts";
import dpi from "./network/dpi.ts";
import dynamicDns from "./network/dynamic-dns.ts";
import events from "./network/events.ts";
import firewallGroups from "./network/firewall-groups.ts";
import firewallOrdering from "./network/firewall-ordering.ts";
import firewallPolicies from "./network/firewall-policies.ts";
import firewallZones from "./network/firewall-zones.ts";
import gatewaySettings from "./network/gateway-settings.ts";
import liveEvents from "./network/live-events.ts";
import networks from "./network/networks.ts";
import oonPolicies from "./network/oon-policies.ts";
import portForwards from "./network/port-forwards.ts";
import portProfiles from "./network/port-profiles.ts";
import qos from "./network/qos.ts";
import routes from "./network/routes.ts";
import settings from "./network/settings.ts";
import sites from "./network/sites.ts";
import stats from "./network/stats.ts";
import statsClients from "./network/stats-clients.ts";
import statsHistory from "./network/stats-history.ts";
import statsSecurity from "./network/stats-security.ts";
import switchPorts from "./network/switch-ports.ts";
import switches from "./network/switches.ts";
import system from "./network/system.ts";
import trafficFlows from "./network/traffic-flows.ts";
import trafficRoutes from "./network/traffic-routes.ts";
import usergroups from "./network/usergroups.ts";
import vouchers from "./network/vouchers.ts";
import vpn from "./network/vpn.ts";
import wlans from "./network/wlans.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [
  ...system,
  ...settings,
  ...backups,
  ...gatewaySettings,
  ...sites,
  ...devices,
  ...deviceCommands,
  ...devicePower,
  ...deviceRadio,
  ...deviceAir,
  ...portProfiles,
  ...switchPorts,
  ...switches,
  ...clients,
  ...clientAccess,
  ...clientSettings,
  ...dns,
  ...networks,
  ...wlans,
  ...apGroups,
  ...portForwards,
  ...firewallPolicies,
  ...firewallOrdering,
  ...firewallZones,
  ...firewallGroups,
  ...aclRules,
  ...oonPolicies,
  ...routes,
  ...trafficRoutes,
  ...qos,
  ...contentFilters,
  ...vpn,
  ...trafficFlows,
  ...events,
  ...liveEvents,
  ...alarms,
  ...stats,
  ...statsSecurity,
  ...statsHistory,
  ...statsClients,
  ...clientGroups,
  ...dpi,
  ...dynamicDns,
  ...usergroups,
  ...vouchers,
  ...apiCall,
];
