/** What the set-up page does: first account, organisation and location, and the command for the first agent. */
import { EdgeError } from "../errors.ts";
import { createAccount, setMember } from "../store/accounts.ts";
import { issueEnrolmentToken } from "../store/enrolment-tokens.ts";
import { HOUR_MS } from "../store/keys.ts";
import { createLocation } from "../store/locations.ts";
import { createOrganisation } from "../store/organisations.ts";
import type { RandomBytes } from "../store/password-hash.ts";
import { isSetupToken, spendSetupToken } from "../store/setup.ts";
import { checkNamed } from "../store/slug.ts";
import type { Store } from "../store/store.ts";
import type { Setup } from "./setup.ts";

/** Time to walk over to the machine in the console's network. */
const ENROLMENT_TTL_MS = HOUR_MS;

export interface FirstStartParts {
  readonly store: Store;
  readonly now: () => number;
  readonly random: RandomBytes;
  /** The command line that starts an agent with this enrolment token. */
  readonly agentCommand: (enrolmentToken: string) => string;
}

export function createFirstStart({ store, now, random, agentCommand }: FirstStartParts): Setup {
  return {
    valid: (token) => isSetupToken(store, token),
    async complete({ token, name, password, organisation, location }) {
      // All that can be wrong is found before the link is spent.
      const { id: org } = checkNamed({ name: organisation });
      checkNamed({ name: location });
      if (!(await isSetupToken(store, token))) throw spentLink();
      const account = await createAccount(
        store,
        { name, password },
        { random, now, spending: spendSetupToken(token), refused: spentLink },
      );
      await createOrganisation(store, { name: organisation }, now);
      await setMember(store, org, account.id, "admin");
      const place = await createLocation(store, org, { name: location }, now);
      const enrolment = await issueEnrolmentToken(
        store,
        { org, location: place.id, ttlMs: ENROLMENT_TTL_MS },
        { random, now },
      );
      return { agentCommand: agentCommand(enrolment.token) };
    },
  };
}

function spentLink(): EdgeError {
  return new EdgeError("UNAUTHENTICATED", "This set-up link was used already.");
}
