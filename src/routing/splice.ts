/** Joins answers as bytes: an agent's JSON object gets fields put in front, and is parsed only where it may have such a field. */
import { EdgeError, type Executed } from "../errors.ts";

const CLOSE = Buffer.from("}");
const SEPARATOR = Buffer.from(",");

/**
 * Puts fields in front of a JSON object's own: `{"location":"home"` + `,` + rest. `body` must begin as a JSON object.
 * Readers take the last of two equal names, so the object's own fields of these names go.
 * Throws PROTOCOL_ERROR, with `executed` of the call, for a body that has to be parsed for that and cannot be.
 */
export function withFieldsFirst(given: Buffer, fields: Readonly<Record<string, unknown>>, executed: Executed): Buffer {
  const head = JSON.stringify(fields);
  if (head === "{}") return given;
  const names = Object.keys(fields);
  const body = mayName(given, names) ? withoutFields(given, names, executed) : given;
  const start = skipSpace(body, body.indexOf("{") + 1);
  const empty = body[start] === CLOSE[0];
  return Buffer.concat([
    Buffer.from(head.slice(0, -1)),
    empty ? CLOSE : SEPARATOR,
    body.subarray(empty ? start + 1 : start),
  ]);
}

/** No name can be written in JSON but as it is or with \u escapes. */
function mayName(body: Buffer, names: readonly string[]): boolean {
  return body.includes("\\u") || names.some((name) => body.includes(`"${name}"`));
}

function withoutFields(body: Buffer, names: readonly string[], executed: Executed): Buffer {
  const object = parsed(body, executed);
  const own = names.filter((name) => Object.hasOwn(object, name));
  if (own.length === 0) return body;
  const kept = Object.entries(object).filter(([name]) => !own.includes(name));
  return Buffer.from(JSON.stringify(Object.fromEntries(kept)));
}

function parsed(body: Buffer, executed: Executed): object {
  try {
    // it begins with a brace, so what can be parsed is an object
    return JSON.parse(body.toString()) as object;
  } catch (cause) {
    throw new EdgeError("PROTOCOL_ERROR", "The agent's answer is not a JSON object.", { executed, cause });
  }
}

export interface PlaceAnswer {
  readonly location: string;
  readonly isError: boolean;
  readonly body: Buffer;
}

/** Bytes of a joined answer that are not the places' own. */
export function frameBytesOf(locations: readonly string[]): number {
  const answers = locations.map((location) => ({ location, isError: true, body: Buffer.alloc(0) }));
  return joinPlaces(answers).length;
}

/** `{locations:[{location, success, data|error}], partial}` over answers that stay bytes (design 3.4). */
export function joinPlaces(answers: readonly PlaceAnswer[]): Buffer {
  const parts: Buffer[] = [Buffer.from('{"locations":[')];
  answers.forEach((answer, index) => {
    const head = `${index === 0 ? "" : ","}{"location":${JSON.stringify(answer.location)},"success":${!answer.isError},"${answer.isError ? "error" : "data"}":`;
    parts.push(Buffer.from(head), answer.body, CLOSE);
  });
  parts.push(Buffer.from(`],"partial":${answers.some((answer) => answer.isError)}}`));
  return Buffer.concat(parts);
}

function skipSpace(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09)) at++;
  return at;
}
