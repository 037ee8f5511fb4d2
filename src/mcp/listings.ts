/** Keeps one listing for all callers that see the same: rights, view and visible places make the key. */
import { type Principal, SCOPES } from "../principal.ts";
import type { Visible } from "./execution.ts";
import { createListing, type Listing, type ListingParts } from "./listing.ts";
import type { View } from "./view.ts";

const MAX_LISTINGS = 128;

export interface Listings {
  of(principal: Principal, view: View, visible: Visible): Listing;
}

export function createListings(parts: ListingParts): Listings {
  const kept = new Map<string, Listing>();
  /** What each principal asked for last: nearly every request asks for the same again, and needs no key. */
  const latest = new WeakMap<Principal, { view: View; visible: Visible; listing: Listing }>();

  return {
    of(principal, view, visible) {
      const before = latest.get(principal);
      if (before?.view === view && before.visible === visible) return before.listing;
      const key = keyOf(principal, view, visible);
      const listing = kept.get(key) ?? createListing(parts, principal, view, visible, key);
      // a Map keeps insertion order: re-inserting makes it the youngest
      kept.delete(key);
      kept.set(key, listing);
      const [oldest] = kept.keys();
      if (kept.size > MAX_LISTINGS && oldest !== undefined) kept.delete(oldest);
      latest.set(principal, { view, visible, listing });
      return listing;
    },
  };
}

/** An organisation's name stands in the key: a revision is promised to be unique within one only. */
function keyOf({ org, role, scopes }: Principal, { mode, apps, readonly }: View, { revision }: Visible): string {
  const held = SCOPES.filter((scope) => scopes.has(scope)).join("+");
  return `${org} ${revision} ${role} ${held} ${mode} ${apps?.join("+") ?? "all"} ${readonly ? "readonly" : "writing"}`;
}
