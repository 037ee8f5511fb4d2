/** The gateway's secret: from the settings, or made once in the state folder (one machine only). */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { EdgeError } from "../errors.ts";

const SECRET_BYTES = 32;

/** Reads `secret.key`, or makes it with mode 0600. Throws CONFIG_INVALID when the folder cannot be used. */
export function loadSecret(stateDir: string, random: (bytes: number) => Buffer): string {
  const path = join(stateDir, "secret.key");
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    try {
      const file = openSync(path, "wx", 0o600);
      writeSync(file, random(SECRET_BYTES).toString("base64url"));
      fsyncSync(file);
      closeSync(file);
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
