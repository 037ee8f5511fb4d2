/** Who this agent is: its Ed25519 key and where it belongs, in one 0600 file that is replaced, never half written. */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exportJWK, generateKeyPair } from "jose";
import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { EdgeError } from "../errors.ts";
import type { PrivateKey } from "../tunnel/proof.ts";

const StoredKey = Type.Object({
  kty: Type.Literal("OKP"),
  crv: Type.Literal("Ed25519"),
  x: Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" }),
  d: Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" }),
});
const StoredIdentity = Type.Object({
  agent_id: Type.String({ minLength: 1 }),
  org: Type.String({ minLength: 1 }),
  location: Type.String({ minLength: 1 }),
  /** Public URL of the gateway that it enrolled at. */
  gateway: Type.String({ minLength: 1 }),
  jwk: StoredKey,
});
const checkKey = Compile(StoredKey);
const checkIdentity = Compile(StoredIdentity);

export type AgentIdentity = Readonly<Static<typeof StoredIdentity>>;

const identityPath = (stateDir: string) => join(stateDir, "identity.json");
/** The key between its making and the gateway's answer: the same token with the same key may be sent again. */
const pendingKeyPath = (stateDir: string) => join(stateDir, "enrolling-key.json");

/** False before enrolment; what the file holds is judged when it is read. */
export function hasIdentity(stateDir: string): boolean {
  return existsSync(identityPath(stateDir));
}

/** Undefined before enrolment. Throws CONFIG_INVALID when the file is there and is not an identity. */
export async function readIdentity(stateDir: string): Promise<AgentIdentity | undefined> {
  const stored = await readJson(identityPath(stateDir));
  if (stored === undefined) return undefined;
  if (checkIdentity.Check(stored)) return stored;
  throw new EdgeError("CONFIG_INVALID", `${identityPath(stateDir)} is not an agent's identity.`, {
    hint: "Restore it from a backup, or remove it and enrol again with a new token.",
  });
}

export async function writeIdentity(stateDir: string, identity: AgentIdentity): Promise<void> {
  await replaceFile(identityPath(stateDir), JSON.stringify(identity, undefined, 2));
  await rm(pendingKeyPath(stateDir), { force: true });
}

/** The key of an enrolment that has not been answered yet, made on the spot the first time. */
export async function enrolmentKey(stateDir: string): Promise<PrivateKey> {
  const stored = await readJson(pendingKeyPath(stateDir));
  if (checkKey.Check(stored)) return stored;
  const key = await makeKey();
  await replaceFile(pendingKeyPath(stateDir), JSON.stringify(key));
  return key;
}

async function makeKey(): Promise<PrivateKey> {
  const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const jwk: unknown = await exportJWK(privateKey);
  if (!checkKey.Check(jwk)) throw new EdgeError("INTERNAL", "The key that was made is no Ed25519 key.");
  return { kty: jwk.kty, crv: jwk.crv, x: jwk.x, d: jwk.d };
}

async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new EdgeError("CONFIG_INVALID", `${path} cannot be read.`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch {
    return null; // there, but no JSON: the caller's check refuses it
  }
}

/** Written beside, synced, renamed, and the directory synced: after a power cut it is the old file or the new one. */
async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${randomUUID()}`;
  const file = await open(beside, "wx", 0o600);
  try {
    await file.writeFile(`${text}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, path);
  const directory = await open(dirname(path), "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
