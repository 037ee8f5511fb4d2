/** Where a person belongs: the organisations in which an account has a role. */
import type { Role } from "../principal.ts";
import { members } from "./accounts.ts";
import { listOrganisations } from "./organisations.ts";
import type { Store } from "./store.ts";

export interface Membership {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** By organisation id; empty for an unknown account. */
export async function organisationsOf(store: Store, accountId: string): Promise<Membership[]> {
  const organisations = await listOrganisations(store);
  const roles = await Promise.all(organisations.map(async ({ id }) => (await members(store, id)).get(accountId)));
  return organisations.flatMap(({ id, name }, index) => {
    const role = roles[index];
    return role === undefined ? [] : [{ id, name, role }];
  });
}
