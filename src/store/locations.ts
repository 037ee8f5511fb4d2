/** Locations: one agent's place each; id and name are unique in their organisation, the name in any case. */
import Type, { type Static } from "typebox";
import { EdgeError } from "../errors.ts";
import { locationNamesKey, locationStatusKey, locationsKey } from "./keys.ts";
import { checkName, checkNamed, type NewNamed } from "./slug.ts";
import type { Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

const Location = Type.Object({ id: Type.String(), name: Type.String(), createdAtMs: Type.Number() });
export type Location = Static<typeof Location>;
const readLocation = recordReader("location", Location);

/** Throws ARGUMENTS_INVALID when id or name is taken or against the rules. The organisation must exist. */
export async function createLocation(
  store: Store,
  org: string,
  wanted: NewNamed,
  now: () => number,
): Promise<Location> {
  const location: Location = { ...checkNamed(wanted), createdAtMs: now() };
  const { id, name } = location;
  const created = await store.commit({
    if: [
      { key: locationsKey(org), field: id, is: "absent" },
      { key: locationNamesKey(org), field: name.toLowerCase(), is: "absent" },
    ],
    putFields: [
      { key: locationsKey(org), fields: { [id]: JSON.stringify(location) } },
      { key: locationNamesKey(org), fields: { [name.toLowerCase()]: id } },
    ],
  });
  if (!created) throw new EdgeError("ARGUMENTS_INVALID", `There is already a location ${id} or named ${name}.`);
  return location;
}

/** All of an organisation, by id. */
export async function listLocations(store: Store, org: string): Promise<Location[]> {
  const fields = await store.getMap(locationsKey(org));
  const locations = [...fields.values()].flatMap((text) => readLocation(text) ?? []);
  return locations.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Throws LOCATION_UNKNOWN with the valid ids. */
export async function getLocation(store: Store, org: string, id: string): Promise<Location> {
  const locations = await listLocations(store, org);
  const found = locations.find((location) => location.id === id);
  if (found !== undefined) return found;
  throw new EdgeError("LOCATION_UNKNOWN", `There is no location ${id} in ${org}.`, {
    hint: "Use one of valid_locations.",
    details: { valid_locations: locations.map((location) => location.id) },
  });
}

/** When the location that has this id now was made; undefined when there is none. An id may come again. */
export async function locationBirth(store: Store, org: string, id: string): Promise<number | undefined> {
  return readLocation(await store.getField(locationsKey(org), id))?.createdAtMs;
}

/** The id stays. Throws LOCATION_UNKNOWN, or ARGUMENTS_INVALID when another location has the name. */
export async function renameLocation(store: Store, org: string, id: string, newName: string): Promise<Location> {
  const name = checkName(newName);
  const old = await getLocation(store, org, id);
  const renamed: Location = { ...old, name };
  const sameInOtherCase = old.name.toLowerCase() === name.toLowerCase();
  const done = await store.commit({
    if: [
      { key: locationsKey(org), field: id, equals: JSON.stringify(old) },
      ...(sameInOtherCase ? [] : [{ key: locationNamesKey(org), field: name.toLowerCase(), is: "absent" } as const]),
    ],
    removeFields: [{ key: locationNamesKey(org), fields: [old.name.toLowerCase()] }],
    putFields: [
      { key: locationsKey(org), fields: { [id]: JSON.stringify(renamed) } },
      { key: locationNamesKey(org), fields: { [name.toLowerCase()]: id } },
    ],
  });
  if (!done) throw new EdgeError("ARGUMENTS_INVALID", `There is already a location named ${name}.`);
  return renamed;
}

/** Throws LOCATION_UNKNOWN. Its agents' keys are revoked by `revokeAgentsOf`. */
export async function removeLocation(store: Store, org: string, id: string): Promise<void> {
  const { name } = await getLocation(store, org, id);
  await store.commit({
    removeFields: [
      { key: locationsKey(org), fields: [id] },
      { key: locationNamesKey(org), fields: [name.toLowerCase()] },
      { key: locationStatusKey(org), fields: [id] },
    ],
  });
}
