/** HTML as a template whose every value is escaped unless it is HTML already. */

/** Escaped text; only `html` and `trusted` make it. */
export interface Html {
  readonly html: string;
}

type Value = Html | string | number | undefined | false | readonly Html[];

export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: parts.map((part, index) => part + textOf(values[index])).join("") };
}

function textOf(value: Value): string {
  if (value === undefined || value === false) return "";
  if (typeof value === "string" || typeof value === "number") return escaped(String(value));
  if ("html" in value) return value.html;
  return value.map(({ html: text }) => text).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** A stranger's text for one line: no control, bidirectional or invisible characters, at most so many characters. */
export function oneLine(text: string, maxLength: number): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").trim();
  const characters = [...plain];
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join("")}…` : plain;
}
