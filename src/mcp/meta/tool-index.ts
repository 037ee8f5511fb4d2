/** `*_tool_index`: answered from the manifest, whatever is up or down, and kept as bytes by question. */
import type { App } from "../../catalog/manifest.ts";
import { createToolIndex, type IndexQuery } from "../../catalog/tool-index.ts";
import { EdgeError } from "../../errors.ts";
import type { BytesCache } from "../bytes-cache.ts";
import type { Call } from "../caller.ts";
import type { LocationView, Visible } from "../execution.ts";
import { jsonAnswer, type ToolAnswer } from "../result.ts";

/** A longer question is answered but not kept. */
const MAX_KEY_LENGTH = 1000;

export interface IndexArguments extends IndexQuery {
  readonly location?: string;
}

export function toolIndex(cache: BytesCache, visible: Visible, app: App, call: Call, args: IndexArguments): ToolAnswer {
  const { listing } = call.caller;
  const { location, ...query } = args;
  const question = Object.values(args).every((value) => value === undefined)
    ? "" // what nearly everybody asks
    : JSON.stringify([query.category, query.search, query.include_schemas, query.limit, query.cursor, location]);
  const key = `index ${listing.key} ${app} ${question}`;
  const kept = cache.get(key);
  if (kept !== undefined) return { head: kept };
  const json =
    location === undefined ? listing.index(app).query(query) : atLocation(visible, app, call, location, query);
  const { head } = jsonAnswer(json);
  return { head: key.length > MAX_KEY_LENGTH ? head : cache.set(key, head) };
}

/** Only what that place's apps offer, foreign tools of other places left out. */
function atLocation(visible: Visible, app: App, call: Call, location: string, query: IndexQuery): string {
  const place = findLocation(visible.locations, location);
  const here = call.caller.listing.tools.filter(
    ({ tool, locations }) =>
      tool.app === app &&
      (place.apps.length === 0 || place.apps.includes(app)) &&
      (locations === undefined || locations.includes(place.id)),
  );
  return createToolIndex(here, call.caller.listing.search).query(query);
}

/** By id or exact name, matched case-insensitively, never by guess (design 3.4). */
function findLocation(locations: readonly LocationView[], wanted: string): LocationView {
  const text = wanted.toLowerCase();
  const found = locations.find(({ id, name }) => id.toLowerCase() === text || name.toLowerCase() === text);
  if (found !== undefined) return found;
  const valid = locations.map(({ id }) => id);
  throw new EdgeError("LOCATION_UNKNOWN", `There is no such location. Yours: ${valid.join(", ") || "none"}.`, {
    details: { valid_locations: valid },
  });
}
