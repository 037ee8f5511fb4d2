/** What the administration API answers: schemas for its clients, and how records become answers. Times are ISO 8601. */
import Type, { type Static } from "typebox";
import { ROLES, type Role, SCOPES } from "../principal.ts";
import type { AgentRecord } from "../store/agents.ts";

/** Before every path of the API. */
export const ADMIN_PREFIX = "/admin/v1";

const Text = Type.String();
export const RoleName = Type.Union(ROLES.map((role) => Type.Literal(role)));
export const ScopeName = Type.Union(SCOPES.map((scope) => Type.Literal(scope)));

export const OrganisationAnswer = Type.Object({ id: Text, name: Text, created: Text });
export type OrganisationAnswer = Static<typeof OrganisationAnswer>;

export const AgentAnswer = Type.Object({
  id: Text,
  location: Text,
  state: Type.Union([Type.Literal("active"), Type.Literal("held"), Type.Literal("revoked")]),
  key: Text,
  enrolled: Text,
});
export type AgentAnswer = Static<typeof AgentAnswer>;

export const LocationAnswer = Type.Object({
  id: Text,
  name: Text,
  created: Text,
  status: Type.Union([Type.Literal("online"), Type.Literal("offline"), Type.Literal("never seen")]),
  offline_since: Type.Optional(Text),
  apps: Type.Array(Text),
  agent_version: Type.Optional(Text),
});
export type LocationAnswer = Static<typeof LocationAnswer>;

/** The token is told here and never again. */
export const EnrolmentAnswer = Type.Object({ token: Text, ends: Text, uses: Type.Integer(), agent_command: Text });
export type EnrolmentAnswer = Static<typeof EnrolmentAnswer>;

export const AccountAnswer = Type.Object({
  id: Text,
  name: Text,
  email: Type.Optional(Text),
  created: Text,
  /** Organisation id → role. */
  roles: Type.Record(Text, RoleName),
});
/** Static makes `Record<string, never>` of a record of unions. */
export type AccountAnswer = Omit<Static<typeof AccountAnswer>, "roles"> & { roles: Record<string, Role> };

export const AccessTokenAnswer = Type.Object({
  id: Text,
  label: Text,
  /** Account name, or its id once the account is gone. */
  owner: Text,
  locations: Type.Union([Type.Literal("all"), Type.Array(Text)]),
  scopes: Type.Array(Text),
  created: Text,
  ends: Text,
});
export type AccessTokenAnswer = Static<typeof AccessTokenAnswer>;

export const IssuedTokenAnswer = Type.Object({ id: Text, token: Text, ends: Text });
export type IssuedTokenAnswer = Static<typeof IssuedTokenAnswer>;

export const AdminTokenAnswer = Type.Object({ id: Text, label: Text, created: Text, ends: Text });
export type AdminTokenAnswer = Static<typeof AdminTokenAnswer>;

export const GrantAnswer = Type.Object({
  id: Text,
  client: Text,
  subject: Text,
  locations: Type.Union([Type.Literal("all"), Type.Array(Text)]),
  scopes: Type.Array(Text),
  created: Text,
  ends: Text,
});
export type GrantAnswer = Static<typeof GrantAnswer>;

export const StatusAnswer = Type.Object({
  version: Text,
  public_url: Text,
  store: Text,
  started: Text,
  organisations: Type.Integer(),
  agents_connected: Type.Integer(),
});
export type StatusAnswer = Static<typeof StatusAnswer>;

export const DoneAnswer = Type.Object({ done: Type.Literal(true) });
export const DONE = { done: true } as const;

export function iso(unixMs: number): string {
  return new Date(unixMs).toISOString();
}

export function agentAnswer({ agentId, location, state, thumbprint, enrolledAtMs }: AgentRecord): AgentAnswer {
  return { id: agentId, location, state, key: thumbprint, enrolled: iso(enrolledAtMs) };
}
