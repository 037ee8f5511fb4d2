/** Seals a batch's arguments while they wait on disk: AES-256-GCM, the key in a file of its own. */
import { createCipheriv, createDecipheriv } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { EdgeError } from "../errors.ts";
import type { RandomBytes } from "./call-id.ts";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealer {
  /** `place` is bound in: a sealed text moved to another row does not open. */
  seal(text: string, place: string): Buffer;
  /** Throws where key, place or bytes are not the ones of seal(). */
  open(sealed: Uint8Array, place: string): string;
}

export function createSealer(key: Buffer, random: RandomBytes): Sealer {
  return {
    seal(text, place) {
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString();
    },
  };
}

/** The key in this file, made at first use and readable by its owner only. Throws CONFIG_INVALID when it is no key. */
export function loadSealKey(path: string, random: RandomBytes): Buffer {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, random(KEY_BYTES), { mode: 0o600, flag: "wx" });
  } catch (cause) {
    const exists = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    if (!exists) throw new EdgeError("CONFIG_INVALID", `The seal key ${path} cannot be written.`, { cause });
  }
  const key = readFileSync(path);
  if (key.length === KEY_BYTES) return key;
  throw new EdgeError("CONFIG_INVALID", `The seal key ${path} does not have ${KEY_BYTES} bytes.`, {
    hint: "Remove it: the agent makes a new one, and batches that still wait are told as failed.",
  });
}
