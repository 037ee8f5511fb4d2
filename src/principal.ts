/** Who is asking: made by token verification (or `local`), read by everything that decides. */

export const SCOPES = ["unifi:read", "unifi:write", "unifi:admin"] as const;
export type Scope = (typeof SCOPES)[number];

export const ROLES = ["viewer", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

export interface Principal {
  /** Account id, stable for a person; `local` for `unifi-edge local`. */
  readonly subject: string;
  /** Organisation slug that consent picked. */
  readonly org: string;
  /** OAuth grant id, or `pat:<id>` of a personal access token, or `local`. */
  readonly grant: string;
  /** OAuth client id, or `pat`, or `local`. */
  readonly client: string;
  readonly role: Role;
  readonly scopes: ReadonlySet<Scope>;
  /** Location ids that consent picked; `all` includes ones created later. */
  readonly locations: "all" | readonly string[];
  /** Unix seconds at which the token ends; Infinity for `local`. */
  readonly expiresAtSeconds: number;
}

/** The four permission actions of a tool (design 4). */
export const ACTIONS = ["read", "create", "update", "delete"] as const;
export type Action = (typeof ACTIONS)[number];

/** What `unifi:read|write|admin` each allow; `delete` stands for delete, destructive, unlock and non-GET api calls. */
export const SCOPE_OF_ACTION: Readonly<Record<Action, Scope>> = {
  read: "unifi:read",
  create: "unifi:write",
  update: "unifi:write",
  delete: "unifi:admin",
};

/** Built-in roles (design 4). A policy file will add named ones. */
export const ACTIONS_OF_ROLE: Readonly<Record<Role, readonly Action[]>> = {
  viewer: ["read"],
  operator: ["read", "create", "update"],
  admin: ACTIONS,
};

/** `unifi:admin` includes write, and write includes read (scope hierarchy, design 4). */
export function holdsScope(held: ReadonlySet<Scope>, needed: Scope): boolean {
  if (held.has(needed)) return true;
  if (needed === "unifi:read") return held.has("unifi:write") || held.has("unifi:admin");
  return needed === "unifi:write" && held.has("unifi:admin");
}

/** True when consent covers this location. */
export function coversLocation(principal: Principal, location: string): boolean {
  return principal.locations === "all" || principal.locations.includes(location);
}

/** The choices of the consent page, by the highest scope they give. */
export const ACCESS_NAMES: Readonly<Record<Scope, string>> = {
  "unifi:read": "Read only",
  "unifi:write": "Read and change",
  "unifi:admin": "Read, change and delete",
};

/** What a person can do so that the next call has the scope. */
export function hintForScope(needed: Scope): string {
  return `Connect again and choose “${ACCESS_NAMES[needed]}” on the consent page; a personal access token has to be issued with the scope ${needed}.`;
}
