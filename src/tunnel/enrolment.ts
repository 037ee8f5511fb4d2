/** Enrolment: `POST /agent/v1/enrol {token, jwk, proof}`. The proof binds one-time token, key and gateway to each other. */
import { createHash } from "node:crypto";
import { calculateJwkThumbprint, importJWK, jwtVerify, SignJWT } from "jose";
import Type, { type Static } from "typebox";
import { EdgeError } from "../errors.ts";
import { asJwk, type PrivateKey, PublicKey } from "./proof.ts";

export const ENROL_PATH = "/agent/v1/enrol";
const TYPE = "agent-enrol+jwt";

export const EnrolBody = Type.Object(
  {
    token: Type.String({ minLength: 16, maxLength: 256 }),
    jwk: PublicKey,
    proof: Type.String({ minLength: 16, maxLength: 4096 }),
  },
  { additionalProperties: false },
);
export type EnrolBody = Static<typeof EnrolBody>;

/** `held`: the location has a key already; an operator must approve this one. */
export const EnrolAnswer = Type.Object({
  agent_id: Type.String({ minLength: 1, maxLength: 256 }),
  org: Type.String({ minLength: 1, maxLength: 256 }),
  location: Type.String({ minLength: 1, maxLength: 256 }),
  state: Type.Union([Type.Literal("active"), Type.Literal("held")]),
});
export type EnrolAnswer = Static<typeof EnrolAnswer>;

/** SHA-256 hex: how a token is stored and named in a proof. */
export function hashEnrolmentToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** RFC 7638 thumbprint, base64url: the name of a key everywhere. */
export async function keyThumbprint(key: PublicKey): Promise<string> {
  return calculateJwkThumbprint(asJwk({ kty: key.kty, crv: key.crv, x: key.x }));
}

/** `origin` of a gateway's public URL; a proof made for one gateway is worthless at another. */
export async function makeEnrolmentProof(token: string, key: PrivateKey, origin: string): Promise<string> {
  return new SignJWT({ token_sha256: hashEnrolmentToken(token), jkt: await keyThumbprint(key) })
    .setProtectedHeader({ alg: "EdDSA", typ: TYPE })
    .setAudience(origin)
    .sign(await importJWK(asJwk(key), "EdDSA"));
}

export interface VerifiedEnrolment {
  readonly tokenHash: string;
  readonly thumbprint: string;
}

/** Throws UNAUTHENTICATED unless the key in the body signed exactly this token, key and gateway origin. */
export async function verifyEnrolmentProof(body: EnrolBody, origin: string): Promise<VerifiedEnrolment> {
  const tokenHash = hashEnrolmentToken(body.token);
  const thumbprint = await keyThumbprint(body.jwk);
  const refusal = (cause?: unknown) =>
    new EdgeError("UNAUTHENTICATED", "The enrolment proof does not fit its token, key or gateway.", {
      hint: "Check that the gateway URL given to the agent is the gateway's public URL.",
      cause,
    });
  const { payload } = await jwtVerify(body.proof, await importJWK(asJwk(body.jwk), "EdDSA"), {
    algorithms: ["EdDSA"],
    audience: origin,
    typ: TYPE,
  }).catch((cause: unknown) => {
    throw refusal(cause);
  });
  if (payload.token_sha256 !== tokenHash || payload.jkt !== thumbprint) throw refusal();
  return { tokenHash, thumbprint };
}
