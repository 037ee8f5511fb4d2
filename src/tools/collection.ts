/** A console's collection of like objects over either API generation: list, find, create, replace, remove. */
import type { HttpMethod, NetworkSite, Row } from "../controller/controller.ts";
import { EdgeError } from "../errors.ts";
import { isRow } from "./rows.ts";
import type { Endpoint } from "./tool.ts";

const BASE = { v1: "/api/s/{site}", v2: "/v2/api/site/{site}" } as const;

export interface Place {
  readonly api: keyof typeof BASE;
  /** Below the site, e.g. `/rest/portforward`. */
  readonly path: `/${string}`;
  /** Where creating and single objects have another path than the list: the singular beside the plural. */
  readonly itemPath?: `/${string}`;
}

/** The endpoint's name in the api-reference. */
export function endpointOf(method: HttpMethod, place: Place, item = false): Endpoint {
  const path = method === "GET" && !item ? place.path : (place.itemPath ?? place.path);
  return `${method} ${BASE[place.api]}${path}${item ? "/{id}" : ""}`;
}

/** The object's id; consoles write `_id` in v1 and most of v2, `id` in some of v2. */
export function idOf(row: Row): string | undefined {
  const id = row._id ?? row.id;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** All objects, fresh from the console; a list that is not found is a resource this Network version lacks. */
export async function listRows(site: NetworkSite, place: Place): Promise<readonly Row[]> {
  try {
    return place.api === "v1" ? await site.v1("GET", place.path) : rowsOf(await site.v2("GET", place.path), place.path);
  } catch (thrown) {
    if (!(thrown instanceof EdgeError) || thrown.code !== "NOT_FOUND") throw thrown;
    const words = `This console's Network version has no ${place.path.slice(1)}.`;
    throw new EdgeError("CONTROLLER_UNSUPPORTED", words, { executed: "no", cause: thrown });
  }
}

/** The same, or nothing where this console does not serve the path. */
export async function listRowsIfServed(site: NetworkSite, place: Place): Promise<readonly Row[]> {
  try {
    return await listRows(site, place);
  } catch (thrown) {
    const absent = thrown instanceof EdgeError && ["CONTROLLER_UNSUPPORTED", "NOT_FOUND"].includes(thrown.code);
    if (absent) return [];
    throw thrown;
  }
}

/** Creates and returns the console's answer, which may be empty. */
export async function createRow(site: NetworkSite, place: Place, body: Row): Promise<Row | undefined> {
  const path = place.itemPath ?? place.path;
  if (place.api === "v1") return (await site.v1("POST", path, body))[0];
  const answer = await site.v2("POST", path, body);
  return isRow(answer) ? answer : undefined;
}

export async function replaceRow(site: NetworkSite, place: Place, id: string, body: Row): Promise<void> {
  await site[place.api]("PUT", itemPath(place, id), body);
}

export async function removeRow(site: NetworkSite, place: Place, id: string): Promise<void> {
  await site[place.api]("DELETE", itemPath(place, id));
}

/** Ids come from the caller, so they are encoded: no id can lead to another path. */
function itemPath(place: Place, id: string): string {
  return `${place.itemPath ?? place.path}/${encodeURIComponent(id)}`;
}

/** A bare v2 list; anything else is no answer to a list question. */
export function rowsOf(value: unknown, path: string): readonly Row[] {
  if (Array.isArray(value)) return value.filter(isRow);
  throw new EdgeError("CONTROLLER_FAILED", `The console's answer to ${path} is not a list.`, { executed: "no" });
}
