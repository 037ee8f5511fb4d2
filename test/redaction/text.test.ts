/** Texts: a stranger's are cleaned, and given secrets are masked in every spelling. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanText, REDACTED, redactText } from "../../src/redaction/redact.ts";

test("given secrets are masked plain, in JSON, in a URL and in base64", () => {
  const secret = 'p"ä s/w';
  const texts = [
    secret,
    JSON.stringify({ a: secret }),
    `https://h/?p=${encodeURIComponent(secret)}`,
    Buffer.from(secret).toString("base64"),
  ];

  const masked = texts.map((text) => redactText(text, [secret]));

  assert.deepEqual(masked, [REDACTED, `{"a":"${REDACTED}"}`, `https://h/?p=${REDACTED}`, REDACTED]);
});

test("a secret that contains another is masked whole, unset and very short ones mask nothing", () => {
  assert.equal(
    redactText("hunter22 hunter2 ab", ["hunter2", "hunter22", undefined, "", "ab"]),
    `${REDACTED} ${REDACTED} ab`,
  );
});

test("shapes are masked without being told", () => {
  assert.equal(redactText("open rtsp://cam/live"), `open ${REDACTED}`);
});

test("controls, directions and invisible marks go; line breaks become blanks; letters and emoji stay", () => {
  assert.equal(cleanText("a\u0000b\u001b[31m\u202Ec\u200Bd\ufeff\u{e0041}e", 50), "ab[31mcde");
  assert.equal(cleanText("one\r\ntwo\tthree", 50), "one two three");
  assert.equal(cleanText("Grüße 客人 👩‍💻", 50), "Grüße 客人 👩‍💻");
});

test("the cap counts characters, not halves of them", () => {
  assert.equal(cleanText("😀😀😀", 3), "😀😀😀");
  assert.equal(cleanText("😀😀😀😀", 3), "😀😀…");
  assert.equal(cleanText("x".repeat(1_000_000), 5), "xxxx…");
  assert.equal(cleanText(`${"\u0000".repeat(100)}visible`, 5), "…");
});

test("a lone half of a character becomes a replacement mark", () => {
  assert.equal(cleanText("a\ud800b", 5), "a\ufffdb");
});

test("long hostile texts are read once", () => {
  const hostile = ["eyJ-".repeat(250_000), "-----BEGIN PRIVATE KEY-----".repeat(20_000), "a://".repeat(250_000)];

  const lengths = hostile.map((text) => redactText(text).length);

  assert.deepEqual(lengths, [1_000_000, REDACTED.length, 1_000_000]);
});
