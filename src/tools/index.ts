/** Every declared tool, in the fixed order in which lists and index show them. */

import clients from "./network/clients.ts";
import dns from "./network/dns.ts";
import sites from "./network/sites.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [...clients, ...dns, ...sites];
