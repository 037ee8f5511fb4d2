/** The gateway's secret: from the settings, or made once in the state folder (one machine only). */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { EdgeError } from "../errors.ts";

const SECRET_BYTES = 32;
/** An operator may have written one of their own; ours has 43 characters. */
const MIN_SECRET_LENGTH = 32;

/** Reads `secret.key`, or makes it with mode 0600. Throws CONFIG_INVALID when folder or file cannot be used. */
export function loadSecret(stateDir: string, random: (bytes: number) => Buffer): string {
  const path = join(stateDir, "secret.key");
  const secret = readOrMake(stateDir, path, random);
  if (secret.length >= MIN_SECRET_LENGTH) return secret;
  throw new EdgeError("CONFIG_INVALID", `${path} is damaged: it holds less than a secret.`, {
    hint: "Restore it from a backup. Where the gateway has never been set up, remove the file: a new one is made.",
  });
}

function readOrMake(stateDir: string, path: string, random: (bytes: number) => Buffer): string {
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    try {
      makeSecret(path, random);
    } catch (error) {
      // Somebody was here before us: their secret counts
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new EdgeError(
      "CONFIG_INVALID",
      `The state folder "${stateDir}" cannot be used: ${cause instanceof Error ? cause.message : "unknown fault"}`,
      {
        hint: "Set UNIFI_EDGE_STATE_DIR to a folder that this user may write, or UNIFI_EDGE_SECRET.",
        cause,
      },
    );
  }
}

function makeSecret(path: string, random: (bytes: number) => Buffer): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, random(SECRET_BYTES).toString("base64url"));
    fsyncSync(file);
  } catch (error) {
    // a full disk: half a secret must not be taken for one at the next start
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}
