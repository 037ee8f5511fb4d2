/** Turns the `location` argument into places: an id or exact name, a list of them, or `"*"`; never a guess (design 3.4). */
import { printable } from "../catalog/printable.ts";
import { EdgeError } from "../errors.ts";
import type { LocationView } from "../mcp/execution.ts";

/** A fan-out without an explicit list asks at most this many places; a list runs in waves of as many. */
export const FAN_OUT_LIMIT = 20;

export interface Place {
  readonly id: string;
  readonly name: string;
}

export interface Targets {
  readonly places: readonly Place[];
  /** True when the answer is `{locations:[…]}` even for one place: the caller asked for several. */
  readonly many: boolean;
}

interface Wish {
  readonly tool: string;
  readonly write: boolean;
  readonly location: string | readonly string[] | undefined;
  /** UNIFI_REQUIRE_LOCATION: reads must name a place too when several are visible. */
  readonly required: boolean;
}

/** Throws LOCATION_UNKNOWN or LOCATION_REQUIRED, each with the valid names. */
export function chooseTargets(visible: readonly LocationView[], wish: Wish): Targets {
  if (visible.length === 0) {
    throw new EdgeError("LOCATION_UNKNOWN", "No location is visible to you.", {
      hint: "An operator adds one with `unifi-edge location add`, or your consent left all of them out: connect again.",
    });
  }
  if (wish.write) return { places: [onePlace(visible, wish)], many: false };
  if (Array.isArray(wish.location)) {
    const places = wish.location.map((wanted: string) => find(visible, wanted));
    return { places: places.filter((place, index) => places.indexOf(place) === index), many: true };
  }
  if (typeof wish.location === "string" && wish.location !== "*") {
    return { places: [find(visible, wish.location)], many: false };
  }
  const [only] = visible;
  if (visible.length === 1 && only) return { places: [only], many: wish.location === "*" };
  if (wish.location === undefined && wish.required) throw locationRequired(visible, wish.tool);
  if (visible.length > FAN_OUT_LIMIT) {
    throw new EdgeError(
      "LOCATION_REQUIRED",
      `${visible.length} locations are visible; at most ${FAN_OUT_LIMIT} are asked at once.`,
      {
        hint: "Name them: location takes a list, which runs in waves.",
        details: { valid_locations: visible.map((place) => place.id).slice(0, 200) },
      },
    );
  }
  return { places: visible, many: true };
}

function onePlace(visible: readonly LocationView[], wish: Wish): Place {
  const wanted = Array.isArray(wish.location) && wish.location.length === 1 ? wish.location[0] : wish.location;
  if (typeof wanted === "string" && wanted !== "*") return find(visible, wanted);
  const [only] = visible;
  if (wanted === undefined && visible.length === 1 && only) return only;
  throw locationRequired(visible, wish.tool);
}

function locationRequired(visible: readonly LocationView[], tool: string): EdgeError {
  return new EdgeError("LOCATION_REQUIRED", `${tool} needs exactly one location, and ${visible.length} are visible.`, {
    hint: "Add location with one of the valid ids.",
    details: { valid_locations: describe(visible) },
  });
}

/** Ids first: a name that looks like another location's id must not steal its calls. */
function find(visible: readonly LocationView[], wanted: string): Place {
  const folded = wanted.trim().toLowerCase();
  const found =
    visible.find((place) => place.id.toLowerCase() === folded) ??
    visible.find((place) => place.name.toLowerCase() === folded);
  if (found) return found;
  throw new EdgeError("LOCATION_UNKNOWN", `There is no location "${printable(wanted, 80)}" that you may see.`, {
    hint: "Use an id or the exact name from valid_locations.",
    details: { valid_locations: describe(visible) },
  });
}

function describe(visible: readonly LocationView[]) {
  return visible.slice(0, 50).map((place) => (place.id === place.name ? place.id : `${place.id} (${place.name})`));
}
