/** Cleans text that a stranger wrote, and masks secrets that stand in the middle of a text. */

export const REDACTED = "***REDACTED***";

/** Shapes that are secrets whatever key they stand under. */
const SECRET_SHAPES: readonly { readonly shape: RegExp; readonly mask: string }[] = [
  {
    shape: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    mask: REDACTED,
  },
  // starts only at the head of a run, so that a long hostile text is read once
  { shape: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+/g, mask: REDACTED },
  { shape: /\brtsp[sx]?:\/\/[^\s"'<>]+/gi, mask: REDACTED },
  { shape: /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#@"']+@/gi, mask: `$1${REDACTED}@` },
  { shape: /\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/g, mask: `$1 ${REDACTED}` },
  { shape: /\b(PrivateKey|PresharedKey)\s*=\s*[A-Za-z0-9+/=]{40,}/g, mask: `$1 = ${REDACTED}` },
];

/** True for a text that `maskShapes` could change: a cheap look before six expressions run. */
const SUSPICIOUS = /-----BEGIN|eyJ|:\/\/|Bearer|Basic|PrivateKey|PresharedKey/;

/** `a://b@`: most values of a console's answer are shorter and need no look at all. */
const SHORTEST_SHAPE = 6;

/** Masks keys, tokens and addresses with credentials by their shape. */
export function maskShapes(text: string): string {
  if (text.length < SHORTEST_SHAPE || !SUSPICIOUS.test(text)) return text;
  return SECRET_SHAPES.reduce((masked, { shape, mask }) => masked.replace(shape, mask), text);
}

/** Shorter ones would mask half of every text, and are no secrets in practice. */
const SHORTEST_SECRET = 4;

/**
 * A text for a log or an error: the given secrets are masked in every spelling they travel in (plain, in JSON, in a URL,
 * in base64), and whatever looks like a secret too.
 */
export function redactText(text: string, secrets: readonly (string | undefined)[] = []): string {
  const spellings = secrets
    .filter((secret) => secret !== undefined && secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => spellingsOf(secret ?? ""))
    // longest first: a secret may contain another
    .sort((one, other) => other.length - one.length);
  const masked = spellings.reduce((left, spelling) => left.replaceAll(spelling, REDACTED), text);
  return maskShapes(masked);
}

function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, "utf8");
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    bytes.toString("base64"),
    bytes.toString("base64url"),
  ];
}

/**
 * Characters without a glyph that a name on a network has no honest use for: controls, directional overrides, zero-width
 * marks (the joiner between emoji stays), and the invisible tag block that can carry instructions to a model.
 */
const INVISIBLE =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]+/gu;

/** Nearly every name and number of a console, so nearly every text is done after one look. */
const PLAIN = /^[\x20-\x7e]*$/;

/** One line of at most `max` characters: what people and models may see of a stranger's text. */
export function cleanText(text: string, max: number): string {
  if (text.length <= max && PLAIN.test(text)) return text;
  // a character is at most two units; the rest need not be looked at
  const line = text
    .slice(0, max * 4)
    .toWellFormed()
    .replace(/[\t\n\r\v\f]+/g, " ")
    .replace(INVISIBLE, "");
  const characters = [...line];
  if (characters.length <= max && text.length <= max * 4) return line;
  return `${characters.slice(0, Math.max(0, max - 1)).join("")}…`;
}
