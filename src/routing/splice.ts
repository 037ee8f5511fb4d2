/** Joins answers as bytes: an agent's JSON object gets fields put in front, and is never parsed on its way. */

const CLOSE = Buffer.from("}");
const SEPARATOR = Buffer.from(",");

/** Puts fields in front of a JSON object's own: `{"location":"home"` + `,` + rest. `body` must be one JSON object. */
export function withFieldsFirst(body: Buffer, fields: Readonly<Record<string, unknown>>): Buffer {
  const head = JSON.stringify(fields);
  if (head === "{}") return body;
  const start = skipSpace(body, body.indexOf("{") + 1);
  const empty = body[start] === CLOSE[0];
  return Buffer.concat([
    Buffer.from(head.slice(0, -1)),
    empty ? CLOSE : SEPARATOR,
    body.subarray(empty ? start + 1 : start),
  ]);
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
