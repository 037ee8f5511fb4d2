/** Frames and chunks to bytes and back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeChunk, decodeFrame, encodeChunk, encodeFrame, nestsDeeperThan } from "../../src/tunnel/codec.ts";
import { FRAMES, type FrameType } from "../../src/tunnel/frame.ts";

test("a chunk survives the way with every flag", () => {
  for (const type of ["json", "image/jpeg", "image/png"] as const) {
    for (const last of [true, false]) {
      for (const isError of [true, false]) {
        const chunk = { stream: 0xffff_fffe, seq: 70_000, last, isError, type, bytes: Buffer.from("body") };

        assert.deepEqual(decodeChunk(encodeChunk(chunk)), chunk);
      }
    }
  }
});

test("a frame survives the way, and a field of tomorrow does no harm", () => {
  const text = encodeFrame("op.ack", { batch: "b", index: 3 });
  const newer = `${text.slice(0, -1)},"colour":"blue"}`;

  assert.deepEqual(decodeFrame(text, "gateway"), { t: "op.ack", batch: "b", index: 3 });
  assert.partialDeepStrictEqual(decodeFrame(newer, "gateway"), { t: "op.ack", batch: "b", index: 3 });
});

test("a frame is taken from the side that may send it, and unknown ones from nobody", () => {
  assert.throws(() => decodeFrame('{"t":"ack","id":"a","delivered":true}', "agent"), { code: "PROTOCOL_ERROR" });
  assert.equal(decodeFrame('{"t":"toString"}', "agent"), undefined);
  assert.equal(decodeFrame('{"t":"from.tomorrow"}', "agent"), undefined);
});

test("every row of the table has a sender and a rule in words", () => {
  for (const type of Object.keys(FRAMES) as FrameType[]) {
    assert.match(FRAMES[type].from, /^(gateway|agent|both)$/);
    assert.match(FRAMES[type].rule, /^[A-Z0-9].*\.$/, type);
  }
});

test("depth counts brackets outside strings only", () => {
  assert.equal(nestsDeeperThan("[[[]]]", 3), false);
  assert.equal(nestsDeeperThan("[[[[]]]]", 3), true);
  assert.equal(nestsDeeperThan(JSON.stringify(['[[[["\\"[[[[', "{{{{"]), 1), false);
  assert.equal(nestsDeeperThan('[{"a":[]},{"a":[]}]', 3), false);
});
