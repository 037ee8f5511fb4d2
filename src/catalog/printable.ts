/** A stranger's text made fit for a message or a list: one line, no control characters, of bounded length. */

// Cc, Cf (zero width, direction marks) and line separators: they hide text or change how it is shown
const UNPRINTABLE = /[\p{Cc}\p{Cf}\u2028\u2029]+/gu;

export function printable(text: string, maxLength: number): string {
  const line = text
    .slice(0, maxLength * 2)
    .replace(UNPRINTABLE, " ")
    .trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}
