/** Answers that many requests share, as bytes: least recently used out first, bounded in bytes. */

export interface BytesCache {
  get(key: string): Buffer | undefined;
  set(key: string, bytes: Buffer): Buffer;
}

/** What an entry costs beside its bytes and its key. */
const ENTRY_BYTES = 200;

export function createBytesCache(maxBytes: number): BytesCache {
  const entries = new Map<string, Buffer>();
  let held = 0;

  const costOf = (key: string, bytes: Buffer) => bytes.byteLength + key.length + ENTRY_BYTES;

  function drop(key: string): void {
    const bytes = entries.get(key);
    if (bytes === undefined) return;
    held -= costOf(key, bytes);
    entries.delete(key);
  }

  return {
    get(key) {
      const bytes = entries.get(key);
      if (bytes === undefined) return undefined;
      // a Map keeps insertion order: re-inserting makes it the youngest
      entries.delete(key);
      entries.set(key, bytes);
      return bytes;
    },
    set(key, bytes) {
      drop(key);
      if (costOf(key, bytes) > maxBytes) return bytes;
      entries.set(key, bytes);
      held += costOf(key, bytes);
      for (const oldest of entries.keys()) {
        if (held <= maxBytes) break;
        drop(oldest);
      }
      return bytes;
    },
  };
}
