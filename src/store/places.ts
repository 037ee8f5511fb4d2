/** What agents last said of their locations, and the manifests they showed, by digest and organisation. */
import Type, { type Static } from "typebox";
import { locationStatusKey, MANIFEST_TTL_MS, manifestKey } from "./keys.ts";
import { listLocations } from "./locations.ts";
import { listOrganisations } from "./organisations.ts";
import type { Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

const PlaceStatus = Type.Object({
  apps: Type.Array(Type.Union([Type.Literal("network"), Type.Literal("protect"), Type.Literal("access")])),
  agentVersion: Type.String(),
  manifestDigest: Type.String(),
  /** Set when the agent left; absent while it is connected. */
  offlineSinceMs: Type.Optional(Type.Number()),
});
type Status = Static<typeof PlaceStatus>;
export type StoredPlaceStatus = Readonly<Omit<Status, "apps">> & { readonly apps: readonly Status["apps"][number][] };
const readStatus = recordReader("location status", PlaceStatus);

export interface StoredPlace {
  readonly id: string;
  readonly name: string;
  /** Absent = no agent was ever seen. */
  readonly lastSeen?: StoredPlaceStatus;
}

export interface StoredPlaces {
  organisations(): Promise<readonly { readonly id: string; readonly name: string }[]>;
  places(org: string): Promise<readonly StoredPlace[]>;
  saveStatus(org: string, location: string, status: StoredPlaceStatus): Promise<void>;
  manifest(org: string, digest: string): Promise<Buffer | undefined>;
  /** `bytes` have this digest: the caller hashed what it received. */
  saveManifest(org: string, digest: string, bytes: Buffer): Promise<void>;
}

/** Every method throws STORE_UNAVAILABLE when the store cannot be reached. */
export function createPlaces(store: Store): StoredPlaces {
  return {
    organisations: async () => (await listOrganisations(store)).map(({ id, name }) => ({ id, name })),
    places: async (org) => {
      const [locations, statuses] = await Promise.all([
        listLocations(store, org),
        store.getMap(locationStatusKey(org)),
      ]);
      return locations.map(({ id, name }) => {
        const lastSeen = readStatus(statuses.get(id));
        return { id, name, ...(lastSeen === undefined ? {} : { lastSeen }) };
      });
    },
    saveStatus: async (org, location, status) => {
      await store.commit({
        putFields: [{ key: locationStatusKey(org), fields: { [location]: JSON.stringify(status) } }],
      });
    },
    manifest: async (org, digest) => {
      const text = await store.get(manifestKey(org, digest));
      return text === undefined ? undefined : Buffer.from(text, "utf8");
    },
    saveManifest: async (org, digest, bytes) => {
      const value = bytes.toString("utf8"); // a manifest is JSON
      await store.commit({ set: [{ key: manifestKey(org, digest), value, ttlMs: MANIFEST_TTL_MS }] });
    },
  };
}
