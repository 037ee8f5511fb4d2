/**
 * Every key, its lifetime and its kind. All start `ue:{org}:`, whose braces are the Redis Cluster hash tag: an
 * organisation's records live on one shard and commit together. What belongs to no organisation is under `{_}`.
 *
 * register = must survive (backed up; its loss fails closed). index = rebuilt from the agents, may be emptied.
 */

const EDGE = "_";
const key = (org: string, ...parts: readonly string[]) => `ue:{${org}}:${parts.join(":")}`;

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** register: organisations, locations, agents, accounts. No TTL: removed by an operator only. */
export const organisationsKey = () => key(EDGE, "orgs");
export const locationsKey = (org: string) => key(org, "locations");
/** Location id by lower-case name: a name is taken once in its organisation. */
export const locationNamesKey = (org: string) => key(org, "location-names");
/**
 * Agent record by its key's thumbprint {agentId, org, location, jwk, state: active | held | revoked}, and per
 * organisation the map agentId → thumbprint. Under `{_}` so that spending an enrolment token and storing the key commit together.
 */
export const agentByKeyKey = (thumbprint: string) => key(EDGE, "agent-key", thumbprint);
export const agentsKey = (org: string) => key(EDGE, "agents", org);
/** Thumbprint of the one key that speaks for a location. */
export const activeAgentKey = (org: string, location: string) => key(EDGE, "active-agent", org, location);
/** A hint that an agent was approved or revoked; whoever owns its socket reads the record again. */
export const agentsChangedChannel = () => key(EDGE, "agents-changed");
export const accountsKey = () => key(EDGE, "accounts");
/** Account id by lower-case login name. */
export const accountByNameKey = (name: string) => key(EDGE, "account-name", name);
/** Map accountId → role, per organisation. */
export const membersKey = (org: string) => key(org, "members");
/** Sealed signing keys and the register's own id and birth (tokens older than it are refused). */
export const signingKeysKey = () => key(EDGE, "signing-keys");
export const registerKey = () => key(EDGE, "register");

/** register: hashed one-time tokens. TTL chosen at issue. */
export const enrolmentTokenKey = (hash: string) => key(EDGE, "enrol", hash);
export const setupTokenKey = (hash: string) => key(EDGE, "setup", hash);
export const SETUP_TOKEN_TTL_MS = DAY_MS;

/** register: personal access tokens, by SHA-256; the map lists an organisation's for its operator. */
export const accessTokenKey = (hash: string) => key(EDGE, "pat", hash);
export const accessTokensOfKey = (org: string) => key(org, "pats");

/** register: administration tokens, a map by SHA-256; ended ones go when the next one is issued. */
export const adminTokensKey = () => key(EDGE, "admin-tokens");

/** register: OAuth. oidc-provider models by hashed id; grants; the deny list (field = grant id, value = until ms). */
export const oidcKey = (model: string, id: string) => key(EDGE, "oidc", model, id);
export const oidcOfGrantKey = (grant: string) => key(EDGE, "oidc-grant", grant);
/** What consent gave, by grant id; and per organisation the map grant id → same, for its operator. */
export const grantKey = (grant: string) => key(EDGE, "grant", grant);
export const grantsKey = (org: string) => key(org, "grants");
export const deniedGrantsKey = () => key(EDGE, "denied");
export const deniedChannel = () => key(EDGE, "denied-changed");
/** Sign-in throttling by account or address. */
export const signInFailuresKey = (who: string) => key(EDGE, "sign-in", who);
export const SIGN_IN_FAILURES_TTL_MS = HOUR_MS;

/** index: which replica holds an agent's socket. Lease 30 s, renewed every 10 s. */
export const ownerKey = (org: string, location: string) => key(org, "owner", location);
export const OWNER_LEASE_MS = 30 * SECOND_MS;
/** index: the agent's last epoch (max(stored, the agent's own) + 1 at each hello) and last seen. */
export const epochKey = (org: string, agent: string) => key(org, "epoch", agent);
/** index: manifests that agents showed, by digest; and what each location last said of itself. */
export const manifestKey = (org: string, digest: string) => key(org, "manifest", digest);
export const MANIFEST_TTL_MS = 90 * DAY_MS;
export const locationStatusKey = (org: string) => key(org, "location-status");
/** Replay guard of the tunnel's signed upgrades. */
export const jtiKey = (jti: string) => key(EDGE, "jti", jti);
export const JTI_TTL_MS = 5 * MINUTE_MS;

/** index: a write's intent, stored before it is sent; and the newest one with the same fingerprint. */
export const intentKey = (org: string, id: string) => key(org, "intent", id);
export const intentByFingerprintKey = (org: string, fingerprint: string) => key(org, "twin", fingerprint);
export const INTENT_TTL_MS = 3 * DAY_MS;
export const TWIN_TTL_MS = 10 * MINUTE_MS;

/** index: a batch's header and its operations (field = index). 1 h, 72 h when it holds writes. */
export const batchKey = (org: string, id: string) => key(org, "batch", id);
export const batchOperationsKey = (org: string, id: string) => key(org, "batch-ops", id);
export const BATCH_TTL_MS = HOUR_MS;
export const WRITING_BATCH_TTL_MS = 3 * DAY_MS;

/** index: tools that load_tools added to a grant's list; 24 h after the last load, at most 40. */
export const loadedToolsKey = (org: string, grant: string) => key(org, "loaded", grant);
export const LOADED_TOOLS_TTL_MS = DAY_MS;
export const listChangedChannel = () => key(EDGE, "list-changed");
