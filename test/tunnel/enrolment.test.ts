/** Enrolment proofs: one token, one key, one gateway. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Check } from "typebox/value";
import {
  EnrolBody,
  hashEnrolmentToken,
  keyThumbprint,
  makeEnrolmentProof,
  verifyEnrolmentProof,
} from "../../src/tunnel/enrolment.ts";
import { newKey } from "./rig.ts";

const TOKEN = "uee_0123456789abcdef0123456789abcdef";
const ORIGIN = "https://edge.example";

test("a proof names the token's hash and the key's thumbprint", async () => {
  const { d, ...jwk } = await newKey();
  const body = { token: TOKEN, jwk, proof: await makeEnrolmentProof(TOKEN, { ...jwk, d }, ORIGIN) };

  const verified = await verifyEnrolmentProof(body, ORIGIN);

  assert.ok(Check(EnrolBody, body));
  assert.deepEqual(verified, { tokenHash: hashEnrolmentToken(TOKEN), thumbprint: await keyThumbprint(jwk) });
});

test("a proof fits no other token, key or gateway", async () => {
  const { d, ...jwk } = await newKey();
  const { d: _other, ...otherJwk } = await newKey();
  const proof = await makeEnrolmentProof(TOKEN, { ...jwk, d }, ORIGIN);
  const wrong = [
    () => verifyEnrolmentProof({ token: `${TOKEN}x`, jwk, proof }, ORIGIN),
    () => verifyEnrolmentProof({ token: TOKEN, jwk: otherJwk, proof }, ORIGIN),
    () => verifyEnrolmentProof({ token: TOKEN, jwk, proof }, "https://evil.example"),
    () => verifyEnrolmentProof({ token: TOKEN, jwk, proof: "no.proof.atall____" }, ORIGIN),
  ];

  for (const attempt of wrong) await assert.rejects(attempt(), { code: "UNAUTHENTICATED" });
});

test("a body that shows a private key, or another kind of key, is no enrolment", async () => {
  const { d, ...jwk } = await newKey();
  const proof = "x".repeat(20);

  assert.equal(Check(EnrolBody, { token: TOKEN, jwk: { ...jwk, d }, proof }), false);
  assert.equal(Check(EnrolBody, { token: TOKEN, jwk: { kty: "RSA", n: "x", e: "AQAB" }, proof }), false);
});
