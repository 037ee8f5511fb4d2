/** The ES256 keys that sign access tokens: a set with `kid`, sealed in the store, the same on every replica. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";
import Type from "typebox";
import { EdgeError } from "../errors.ts";
import { signingKeysKey } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import { recordReader } from "../store/stored-record.ts";
import type { Sealing } from "./sealing.ts";

export const SIGNING_ALGORITHM = "ES256" as const;
const PURPOSE = "signing keys";

export interface SigningKey {
  readonly kid: string;
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
  /** The private part. */
  readonly d: string;
  readonly alg: typeof SIGNING_ALGORITHM;
  readonly use: "sig";
}

/** Newest first. The first signs, all verify: rotating puts a new one in front and drops the last a token's life later. */
const readKeySet = recordReader(
  "signing key",
  Type.Object({ keys: Type.Array(Type.Object({ kid: Type.String(), sealed: Type.String() }), { minItems: 1 }) }),
);
const readKey = recordReader(
  "signing key",
  Type.Object({
    kid: Type.String(),
    kty: Type.Literal("EC"),
    crv: Type.Literal("P-256"),
    x: Type.String(),
    y: Type.String(),
    d: Type.String(),
    alg: Type.Literal(SIGNING_ALGORITHM),
    use: Type.Literal("sig"),
  }),
);

/** Reads the key set; the first replica to start makes it, the others find it. */
export async function loadSigningKeys(store: Store, sealing: Sealing): Promise<readonly SigningKey[]> {
  const stored = (await store.get(signingKeysKey())) ?? (await makeFirstKey(store, sealing));
  return (readKeySet(stored)?.keys ?? []).map(({ sealed }) => {
    const key = readKey(sealing.open(PURPOSE, sealed));
    if (key === undefined) throw new EdgeError("INTERNAL", "The store holds no signing key.");
    return key;
  });
}

async function makeFirstKey(store: Store, sealing: Sealing): Promise<string | undefined> {
  const { privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  const key = { ...jwk, kid, alg: SIGNING_ALGORITHM, use: "sig" };
  const value = JSON.stringify({ keys: [{ kid, sealed: sealing.seal(PURPOSE, JSON.stringify(key)) }] });
  await store.commit({ if: [{ key: signingKeysKey(), is: "absent" }], set: [{ key: signingKeysKey(), value }] });
  return store.get(signingKeysKey()); // ours, or that of the replica that was faster
}
