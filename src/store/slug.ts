/** Ids of organisations and locations: short, lower-case, safe in keys, URLs and command lines. */
import { EdgeError } from "../errors.ts";

export const SLUG_PATTERN = "^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$";
export const NAME_MAX_LENGTH = 80;
const SLUG = new RegExp(SLUG_PATTERN);
const SLUG_MAX_LENGTH = 40;
/** Letters, digits, marks, punctuation and spaces: no control characters, no line breaks. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]+$/u;

export interface NewNamed {
  readonly name: string;
  /** Made from the name when absent. */
  readonly id?: string | undefined;
}

/** Id and trimmed name. Throws ARGUMENTS_INVALID and says which rule was broken. */
export function checkNamed(wanted: NewNamed): { id: string; name: string } {
  const name = checkName(wanted.name);
  const id = wanted.id ?? slugOf(name);
  if (!SLUG.test(id)) {
    throw new EdgeError("ARGUMENTS_INVALID", `"${id.slice(0, NAME_MAX_LENGTH)}" cannot be an id.`, {
      hint: "An id has 1 to 40 characters a to z, 0 to 9 or -, and neither starts nor ends with -.",
    });
  }
  return { id, name };
}

export function checkName(text: string): string {
  const name = text.trim().normalize("NFC");
  if (name.length > 0 && name.length <= NAME_MAX_LENGTH && NAME.test(name)) return name;
  throw new EdgeError("ARGUMENTS_INVALID", `A name has 1 to ${NAME_MAX_LENGTH} printable characters.`);
}

/** `Müller & Söhne` becomes `muller-sohne`; may be empty, which is no id. */
function slugOf(name: string): string {
  const plain = name.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("ß", "ss").toLowerCase();
  const words = plain.replace(/[^a-z0-9]+/g, "-").slice(0, SLUG_MAX_LENGTH);
  return words.replace(/^-+|-+$/g, "");
}
