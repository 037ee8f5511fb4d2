/** Seals what the store must not be able to read: AES-256-GCM under a key derived from the gateway's secret. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import { EdgeError } from "../errors.ts";
import type { RandomBytes } from "../store/password-hash.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MIN_SECRET_LENGTH = 32;

export interface Sealing {
  /** `purpose` is bound in: text sealed for one purpose does not open for another. */
  seal(purpose: string, text: string): string;
  /** Throws CONFIG_INVALID when it was sealed under another secret. */
  open(purpose: string, sealed: string): string;
  /** A keyed hash that only holders of the secret can make (base64url). */
  sign(purpose: string, text: string): string;
}

export function createSealing(secret: string, random: RandomBytes): Sealing {
  if (secret.length < MIN_SECRET_LENGTH) {
    throw new EdgeError("CONFIG_INVALID", `The gateway's secret needs at least ${MIN_SECRET_LENGTH} characters.`);
  }
  const keyFor = (use: string) => Buffer.from(hkdfSync("sha256", secret, "unifi-edge", use, 32));
  const sealingKey = keyFor("seal");
  const signingKey = keyFor("sign");
  return {
    seal(purpose, text) {
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", sealingKey, nonce).setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
    },
    open(purpose, sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      try {
        const decipher = createDecipheriv("aes-256-gcm", sealingKey, bytes.subarray(0, NONCE_BYTES))
          .setAAD(Buffer.from(purpose))
          .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
      } catch (cause) {
        throw new EdgeError("CONFIG_INVALID", `What the store holds for ${purpose} was sealed with another secret.`, {
          hint: "Start the gateway with the secret it had when the store was filled.",
          cause,
        });
      }
    },
    sign: (purpose, text) => createHmac("sha256", signingKey).update(`${purpose}\n${text}`).digest("base64url"),
  };
}
