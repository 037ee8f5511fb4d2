/** Every story; a tool that stands in none fails the walk. */

import clients from "./clients.ts";
import dns from "./dns.ts";
import networks from "./networks.ts";
import portForwards from "./port-forwards.ts";
import type { Story } from "./story.ts";

export const STORIES: readonly Story[] = [dns, clients, networks, portForwards];
