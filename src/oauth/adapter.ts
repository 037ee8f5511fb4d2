/** oidc-provider's storage port over our store. */
import Provider, { type Adapter, type AdapterPayload, errors } from "oidc-provider";
import type { OidcRecords } from "../store/oidc.ts";
import type { Sealing } from "./sealing.ts";

/** A registration that nobody consented to is forgotten after a week; consent keeps it as long as a grant can live. */
export const UNUSED_CLIENT_TTL_SECONDS = 7 * 24 * 3600;

const OF_GRANT: readonly string[] = ["AuthorizationCode", "RefreshToken", "AccessToken"];

export interface AdapterParts {
  readonly records: OidcRecords;
  readonly sealing: Sealing;
  /** Denies a grant's access tokens everywhere and forgets what it gave. */
  readonly onGrantDestroyed: (grantId: string) => Promise<void>;
}

export function createAdapterFactory(parts: AdapterParts): (model: string) => Adapter {
  return (model) => {
    if (model === "Session") return NO_SESSIONS;
    if (model === "Client") return clientAdapter(parts);
    return recordAdapter(model, parts);
  };
}

function recordAdapter(model: string, { records, onGrantDestroyed }: AdapterParts): Adapter {
  return {
    upsert: (id, payload, expiresIn) =>
      records.put(model, id, payload, {
        ttlSeconds: expiresIn,
        grantId: OF_GRANT.includes(model) ? payload.grantId : undefined,
        parentId: model === "RefreshToken" ? rotatedToken() : undefined,
      }),
    find: (id) => records.find(model, id),
    async consume(id) {
      // Thrown from here it fails the exchange: the provider alone redeemed one code several times in parallel.
      if (!(await records.consume(model, id))) throw new errors.InvalidGrant("already used");
    },
    async destroy(id) {
      await records.remove(model, id);
      if (model === "Grant") await onGrantDestroyed(id);
    },
    revokeByGrantId: (grantId) => records.removeOfGrant(grantId),
    findByUid: nothing,
    findByUserCode: nothing,
  };
}

/** A registered client may have a secret, which the provider must be able to compare: sealed. */
function clientAdapter({ records, sealing }: AdapterParts): Adapter {
  return {
    upsert: (id, payload, expiresIn) =>
      records.put(
        "Client",
        id,
        { sealed: sealing.seal("client", JSON.stringify(payload)) },
        { ttlSeconds: expiresIn ?? UNUSED_CLIENT_TTL_SECONDS },
      ),
    async find(id) {
      const record = await records.find("Client", id);
      if (typeof record?.sealed !== "string") return undefined;
      return JSON.parse(sealing.open("client", record.sealed)) as AdapterPayload; // sealed by us in upsert
    },
    destroy: (id) => records.remove("Client", id),
    consume: async () => undefined,
    revokeByGrantId: async () => undefined,
    findByUid: nothing,
    findByUserCode: nothing,
  };
}

/** Nobody stays signed in: every authorization asks who is there, so one browser cannot lend its session to a client. */
const NO_SESSIONS: Adapter = {
  upsert: async () => undefined,
  find: nothing,
  findByUid: nothing,
  findByUserCode: nothing,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

async function nothing(): Promise<undefined> {
  return undefined;
}

/** The refresh token that the running request replaces. */
function rotatedToken(): string | undefined {
  return Provider.ctx?.oidc.entities.RotatedRefreshToken?.jti;
}
