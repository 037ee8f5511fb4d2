/** Organisations: a customer each, owning locations, agents, access and audit. */
import Type, { type Static } from "typebox";
import { EdgeError } from "../errors.ts";
import { organisationsKey } from "./keys.ts";
import { checkNamed, type NewNamed } from "./slug.ts";
import type { Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

const Organisation = Type.Object({ id: Type.String(), name: Type.String(), createdAtMs: Type.Number() });
export type Organisation = Static<typeof Organisation>;
const readOrganisation = recordReader("organisation", Organisation);

/** Throws ARGUMENTS_INVALID when the id is taken or against the rules. */
export async function createOrganisation(store: Store, wanted: NewNamed, now: () => number): Promise<Organisation> {
  const organisation: Organisation = { ...checkNamed(wanted), createdAtMs: now() };
  const { id } = organisation;
  const created = await store.commit({
    if: [{ key: organisationsKey(), field: id, is: "absent" }],
    putFields: [{ key: organisationsKey(), fields: { [id]: JSON.stringify(organisation) } }],
  });
  if (!created) throw new EdgeError("ARGUMENTS_INVALID", `There is already an organisation ${id}.`);
  return organisation;
}

/** All of them, by id. */
export async function listOrganisations(store: Store): Promise<Organisation[]> {
  const fields = await store.getMap(organisationsKey());
  const organisations = [...fields.values()].flatMap((text) => readOrganisation(text) ?? []);
  return organisations.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Throws NOT_FOUND with the valid ids. */
export async function getOrganisation(store: Store, id: string): Promise<Organisation> {
  const organisations = await listOrganisations(store);
  const found = organisations.find((organisation) => organisation.id === id);
  if (found !== undefined) return found;
  throw new EdgeError("NOT_FOUND", `There is no organisation ${id}.`, {
    hint: "Add it with `unifi-edge org add`, or use one of valid_organisations.",
    details: { valid_organisations: organisations.map((organisation) => organisation.id) },
  });
}
