/** A manager's commands, by the name in `cmd`. */
import type { Reply, SiteExchange } from "./exchange.ts";

export type Commands = Readonly<Record<string, (x: SiteExchange) => Reply>>;
