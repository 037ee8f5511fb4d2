/** Audit as JSON lines in a file that only its owner may read, rotated by size: `audit.jsonl`, `audit.jsonl.1`, … */
import { appendFile, mkdir, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { AuditSink } from "./recorder.ts";

export interface AuditFileOptions {
  readonly path: string;
  /** The file is put aside before it would grow past this. */
  readonly maxBytes?: number;
  /** How many are kept beside the present one. */
  readonly keep?: number;
}

const MAX_BYTES = 50 * 1024 * 1024;
const KEEP = 5;

export function createAuditFile({ path, maxBytes = MAX_BYTES, keep = KEEP }: AuditFileOptions): AuditSink {
  /** Undefined until the first write has looked. */
  let size: number | undefined;

  async function makeRoom(bytes: number): Promise<void> {
    if (size === undefined) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      size = await sizeOf(path);
    }
    if (size === 0 || size + bytes <= maxBytes) return;
    for (let age = keep - 1; age >= 0; age -= 1) {
      await renameIfThere(age === 0 ? path : `${path}.${age}`, `${path}.${age + 1}`);
    }
    size = 0;
  }

  return {
    name: "file",
    write: async (entries) => {
      const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
      const bytes = Buffer.byteLength(text);
      await makeRoom(bytes);
      await appendFile(path, text, { mode: 0o600 });
      size = (size ?? 0) + bytes;
    },
  };
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    (found) => found.size,
    (error: NodeJS.ErrnoException) => absentOr(error, 0),
  );
}

async function renameIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => absentOr(error, undefined));
}

function absentOr<Value>(error: NodeJS.ErrnoException, value: Value): Value {
  if (error.code === "ENOENT") return value;
  throw error;
}
