/** The signed upgrade: an agent proves its key at a fresh nonce, in the manner of DPoP (RFC 9449 §4, §8). */
import { randomUUID } from "node:crypto";
import { decodeJwt, decodeProtectedHeader, importJWK, type JWK, jwtVerify, SignJWT } from "jose";
import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { EdgeError } from "../errors.ts";
import { PROOF_BYTES } from "./limits.ts";

export const CONNECT_PATH = "/agent/v1/connect";
export const NONCE_HEADER = "dpop-nonce";
/** Newest first. The server picks one that it speaks; older ones are offered once we speak them. */
export const SUBPROTOCOLS = ["unifi-agent.v2"] as const;
const TYPE = "agent-connect+jwt";

const Claims = Type.Object({
  sub: Type.String({ minLength: 1, maxLength: 256 }),
  jti: Type.String({ minLength: 16, maxLength: 128 }),
  nonce: Type.Optional(Type.String({ maxLength: 128 })),
});
const checkClaims = Compile(Claims);

/** Public half of an agent's key, exactly these members. */
export const PublicKey = Type.Object(
  { kty: Type.Literal("OKP"), crv: Type.Literal("Ed25519"), x: Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" }) },
  { additionalProperties: false },
);
export type PublicKey = Static<typeof PublicKey>;
export interface PrivateKey extends PublicKey {
  readonly d: string;
}

/** Where an agent connects, from the gateway's public URL; also the `htu` that it signs. */
export function connectUrl(gatewayUrl: string): URL {
  const base = new URL(gatewayUrl);
  return new URL(`${base.pathname.replace(/\/$/, "")}${CONNECT_PATH}`, base);
}

export interface ProofParts {
  readonly agentId: string;
  readonly thumbprint: string;
  readonly gatewayUrl: string;
  readonly nonce?: string;
  /** Unix milliseconds; for people who read it, never judged: agents' clocks are wrong. */
  readonly nowMs: number;
}

export async function makeConnectProof(parts: ProofParts, key: PrivateKey): Promise<string> {
  const claims = {
    htu: connectUrl(parts.gatewayUrl).href,
    ...(parts.nonce === undefined ? {} : { nonce: parts.nonce }),
  };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "EdDSA", typ: TYPE, kid: parts.thumbprint })
    .setSubject(parts.agentId)
    .setAudience(new URL(parts.gatewayUrl).origin)
    .setJti(randomUUID())
    .setIssuedAt(Math.floor(parts.nowMs / 1000))
    .sign(await importJWK(asJwk(key), "EdDSA"));
}

export interface UnverifiedProof {
  readonly jwt: string;
  readonly thumbprint: string;
  readonly agentId: string;
  readonly jti: string;
  readonly nonce: string | undefined;
}

/** Reads `Authorization: DPoP <JWT>` without believing it. Throws UNAUTHENTICATED. */
export function readConnectProof(authorization: string | undefined): UnverifiedProof {
  const jwt = /^DPoP ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? "")?.[1];
  if (jwt === undefined || jwt.length > PROOF_BYTES) throw unproven("The upgrade carries no key proof.");
  try {
    const { kid, typ } = decodeProtectedHeader(jwt);
    const claims = decodeJwt(jwt);
    if (typ === TYPE && typeof kid === "string" && kid.length <= 64 && checkClaims.Check(claims)) {
      return { jwt, thumbprint: kid, agentId: claims.sub, jti: claims.jti, nonce: claims.nonce };
    }
  } catch {
    // falls through to the same refusal
  }
  throw unproven("The key proof cannot be read.");
}

/** Throws UNAUTHENTICATED unless the key signed this proof for this gateway. */
export async function verifyConnectProof(proof: UnverifiedProof, key: PublicKey, gatewayUrl: string): Promise<void> {
  const { payload } = await jwtVerify(proof.jwt, await importJWK(asJwk(key), "EdDSA"), {
    algorithms: ["EdDSA"],
    audience: new URL(gatewayUrl).origin,
    typ: TYPE,
  }).catch((cause: unknown) => {
    throw unproven("The key proof is signed by another key or for another gateway.", cause);
  });
  if (payload.htu !== connectUrl(gatewayUrl).href) throw unproven("The key proof is for another address.");
}

/** jose's JWK is an open record; ours is closed. */
export function asJwk(key: PublicKey): JWK {
  return { ...key };
}

function unproven(message: string, cause?: unknown): EdgeError {
  return new EdgeError("UNAUTHENTICATED", message, { cause });
}
