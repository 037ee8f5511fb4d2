/** The cache of shared answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createBytesCache } from "../../src/mcp/bytes-cache.ts";

const kilobyte = (fill: number) => Buffer.alloc(1024, fill);

test("the least recently used entry goes first", () => {
  const cache = createBytesCache(3000);
  cache.set("a", kilobyte(1));
  cache.set("b", kilobyte(2));
  cache.get("a");

  cache.set("c", kilobyte(3));

  assert.deepEqual([cache.get("a")?.[0], cache.get("b"), cache.get("c")?.[0]], [1, undefined, 3]);
});

test("an entry larger than the cache is passed through and not kept", () => {
  const cache = createBytesCache(1000);

  assert.equal(cache.set("a", kilobyte(1)).byteLength, 1024);
  assert.equal(cache.get("a"), undefined);
});

test("setting a key again replaces it and frees its room", () => {
  const cache = createBytesCache(3000);
  for (let n = 0; n < 10; n++) cache.set("a", kilobyte(n));
  cache.set("b", kilobyte(1));

  assert.deepEqual([cache.get("a")?.[0], cache.get("b")?.[0]], [9, 1]);
});
