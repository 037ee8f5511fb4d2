/** Turns a person's consent into a grant: what they chose, never more than their role has. */
import type Provider from "oidc-provider";
import { ACTIONS_OF_ROLE, type Action, type Role, SCOPE_OF_ACTION, SCOPES, type Scope } from "../principal.ts";
import { GRANT_TTL_MS, saveGrant } from "../store/grants.ts";
import type { Store } from "../store/store.ts";
import { type Client, clientView } from "./client-view.ts";

export interface ConsentAnswer {
  /** The highest scope given; it includes the ones before it. */
  readonly access: Scope;
  readonly locations: "all" | readonly string[];
}

interface Consent {
  readonly interaction: { readonly params: Readonly<Record<string, unknown>> };
  readonly client: Client;
  readonly accountId: string;
  readonly org: string;
  readonly answer: ConsentAnswer;
}

export interface ConsentParts {
  readonly provider: Provider;
  readonly store: Store;
  readonly now: () => number;
  /** A registration in use outlives those that nobody ever agreed to (adapter.ts). */
  readonly keepClient: (client: Client) => Promise<void>;
}

/**
 * The scopes a person may choose between: all of their role, asked for or not. The person decides, not the app: clients
 * of the older SDK can never ask for more than the first challenge named.
 */
export function offeredScopes(role: Role): Scope[] {
  const ofRole = ACTIONS_OF_ROLE[role].map((action: Action) => SCOPE_OF_ACTION[action]);
  return SCOPES.filter((scope) => ofRole.includes(scope));
}

/** The highest scope that the client asked for; none means read. */
export function askedScope(asked: unknown): Scope {
  const wanted = String(asked ?? "").split(" ");
  return SCOPES.findLast((scope) => wanted.includes(scope)) ?? "unifi:read";
}

/**
 * The request's scope with what the person gives beyond it: the provider puts into tokens only what stands in both, and
 * its token answer names the scope, as RFC 6749 section 3.3 asks where it is not the one that was asked for.
 */
export function widenedScope(asked: unknown, access: Scope): string {
  const given = SCOPES.slice(0, SCOPES.indexOf(access) + 1);
  return [...new Set([...String(asked ?? "").split(" "), ...given])].join(" ").trim();
}

/** Stores a new grant and answers its id. */
export async function grantConsent(parts: ConsentParts, consent: Consent): Promise<string> {
  const { provider, store, now } = parts;
  const { interaction, client, accountId, org, answer } = consent;
  const { params } = interaction;
  const scopes = SCOPES.slice(0, SCOPES.indexOf(answer.access) + 1);

  const grant = new provider.Grant({ accountId, clientId: client.clientId });
  for (const resource of [params.resource ?? []].flat()) grant.addResourceScope(String(resource), scopes.join(" "));
  const oidc = String(params.scope)
    .split(" ")
    .filter((scope) => scope === "openid" || scope === "offline_access");
  if (oidc.length > 0) grant.addOIDCScope(oidc.join(" "));
  const id = await grant.save();

  await saveGrant(
    store,
    {
      id,
      subject: accountId,
      org,
      client: client.clientId,
      clientName: clientView(client, interaction).name,
      locations: answer.locations === "all" ? "all" : [...answer.locations],
      scopes,
      createdAtMs: now(),
      endsAtMs: now() + GRANT_TTL_MS,
    },
    now(),
  );
  await parts.keepClient(client);
  return id;
}
