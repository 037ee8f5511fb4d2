/** Every story; a tool that stands in none fails the walk. */

import acl from "./acl.ts";
import clients from "./clients.ts";
import contentFilters from "./content-filters.ts";
import devices from "./devices.ts";
import dns from "./dns.ts";
import events from "./events.ts";
import firewall from "./firewall.ts";
import groups from "./groups.ts";
import networks from "./networks.ts";
import oon from "./oon.ts";
import portForwards from "./port-forwards.ts";
import settings from "./settings.ts";
import stats from "./stats.ts";
import type { Story } from "./story.ts";
import switches from "./switches.ts";
import { qos, routes, trafficFlows, trafficRoutes } from "./traffic.ts";
import vpn from "./vpn.ts";

export const STORIES: readonly Story[] = [
  dns,
  clients,
  networks,
  portForwards,
  qos,
  routes,
  trafficRoutes,
  trafficFlows,
  contentFilters,
  vpn,
  firewall,
  acl,
  oon,
  groups,
  switches,
  devices,
  settings,
  stats,
  events,
];
