/** Who calls, how, and what that lets them see: the question that every list, index and call answers. */
import type { Principal } from "../principal.ts";
import type { Listing } from "./listing.ts";
import type { View } from "./view.ts";

export interface Caller {
  readonly principal: Principal;
  readonly view: View;
  readonly listing: Listing;
}

/** One request of a caller. */
export interface Call {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly progress?: (done: number, total?: number, note?: string) => void;
}
