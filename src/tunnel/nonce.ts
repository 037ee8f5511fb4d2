/** Nonces of the signed upgrade: a time and its HMAC, so any replica with the secret checks them and none is stored. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { NONCE_TTL_MS } from "./limits.ts";

export function makeNonce(secret: string | Buffer, nowMs: number): string {
  const time = Math.floor(nowMs).toString(36);
  return `${time}.${mac(secret, time).toString("base64url")}`;
}

/** Valid for two minutes; one from the future (another replica's clock) by as much as half of that. */
export function isFreshNonce(secret: string | Buffer, nonce: string, nowMs: number): boolean {
  const [time = "", given = ""] = nonce.split(".");
  const expected = mac(secret, time);
  const shown = Buffer.from(given, "base64url");
  if (shown.length !== expected.length || !timingSafeEqual(shown, expected)) return false;
  const ageMs = nowMs - Number.parseInt(time, 36);
  return ageMs <= NONCE_TTL_MS && ageMs >= -NONCE_TTL_MS / 2;
}

function mac(secret: string | Buffer, time: string): Buffer {
  return createHmac("sha256", secret).update(`unifi-agent nonce ${time}`).digest().subarray(0, 16);
}
