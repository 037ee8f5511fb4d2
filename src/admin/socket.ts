/** Listening on a unix socket that only its owner may use, one gateway at a time. */
import { once } from "node:events";
import { chmod, lstat, mkdir, rm } from "node:fs/promises";
import { createConnection } from "node:net";
import { dirname } from "node:path";
import type { FastifyInstance } from "fastify";
import { EdgeError } from "../errors.ts";

/** sun_path of Linux has 108 bytes with its final zero; macOS four less. */
const SOCKET_PATH_MAX_BYTES = 103;
/** Others may neither read nor write; nobody executes. */
const OWNER_ONLY_UMASK = 0o177;

/**
 * Removes what a killed gateway left behind. Throws CONFIG_INVALID when another process answers there, when the path
 * is something else than a socket, or when it is too long. Closing the app removes the socket.
 */
export async function listenOnSocket(app: FastifyInstance, path: string): Promise<void> {
  if (Buffer.byteLength(path) > SOCKET_PATH_MAX_BYTES) {
    throw new EdgeError(
      "CONFIG_INVALID",
      `The path of the admin socket is longer than ${SOCKET_PATH_MAX_BYTES} bytes.`,
      {
        hint: "Set UNIFI_EDGE_ADMIN_SOCKET to a shorter one.",
      },
    );
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await removeStale(path);
  await app.ready();
  // the mode must hold from the first moment on; chmod alone would come a moment later
  const before = process.umask(OWNER_ONLY_UMASK);
  try {
    await app.listen({ path });
  } finally {
    process.umask(before);
  }
  await chmod(path, 0o600);
}

async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return;
  if (!found.isSocket()) {
    throw new EdgeError("CONFIG_INVALID", `${path} is where the admin socket goes, but it is a file of another kind.`);
  }
  if (await answers(path)) {
    throw new EdgeError("CONFIG_INVALID", `Another gateway is running: it answers at ${path}.`, {
      hint: "Stop it, or set UNIFI_EDGE_ADMIN_SOCKET (and UNIFI_EDGE_STATE_DIR) to another place.",
    });
  }
  await rm(path, { force: true });
}

async function answers(path: string): Promise<boolean> {
  const socket = createConnection({ path });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
