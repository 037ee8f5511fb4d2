/** Prints what was measured beside its targets. */
import { CASES, type Case, INDEX_BYTES_PER_TOOL, LAZY_LIST_BYTES } from "./cases.ts";

export interface Row {
  readonly name: string;
  readonly note: string;
  readonly bytes: number;
  readonly bareMicros: number;
  /** Server CPU per request relative to the bare route. */
  readonly gateway: number;
  readonly both: number | undefined;
  /** Requests per second relative to the bare route. */
  readonly requests: number;
  /** The bare route's second reading of each round relative to its first. */
  readonly control: number;
  readonly target: "met" | "MISSED" | "";
}

export interface Conditions {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  /** The machine's load over the last minute. */
  readonly load: number;
}

export function printTable(rows: readonly Row[], { rounds, seconds, connections, load }: Conditions): void {
  console.log(
    `\nServer CPU per request, relative to a bare Fastify route that parses the same request and sends the same bytes.
Authorization on; medians of ${rounds} rounds of ${seconds} s, ${connections} connections each; load ${load.toFixed(1)}.\n`,
  );
  console.table(
    Object.fromEntries(
      rows.map((row) => [
        row.name,
        {
          what: row.note,
          bytes: row.bytes,
          "bare µs": row.bareMicros.toFixed(1),
          "gateway ×": withLimit(row.gateway, limitsOf(row)?.gateway),
          "gateway+agent ×": row.both === undefined ? "" : withLimit(row.both, limitsOf(row)?.both),
          "requests/s ×": row.requests.toFixed(2),
          "bare/bare ×": row.control.toFixed(2),
          target: row.target,
        },
      ]),
    ),
  );
}

function limitsOf({ name }: Row): Case["limits"] {
  return CASES.find((each) => each.name === name)?.limits;
}

function withLimit(value: number, limit: number | undefined): string {
  return `${value.toFixed(2)}${limit === undefined ? "" : ` (≤ ${limit})`}`;
}

/** Counted on the HTTP body, where every quote inside the text block is escaped. Prints both, true when both fit. */
export function sizesMeetTargets(cases: readonly Case[]): boolean {
  const list = cases.find((each) => each.name === "tools-list");
  const index = cases.find((each) => each.name === "tool-index");
  const listBytes = Buffer.byteLength(list?.answer ?? "");
  const indexBytes = Buffer.byteLength(index?.answer ?? "");
  const { result } = JSON.parse(index?.answer ?? "{}") as { result: { content: { text: string }[] } };
  const { count } = JSON.parse(result.content[0]?.text ?? "{}") as { count: number };
  const perTool = indexBytes / count;
  console.log(
    `lazy tools/list: ${listBytes} bytes (≤ ${LAZY_LIST_BYTES}); compact index: ${perTool.toFixed(1)} bytes a tool over ${count} tools (< ${INDEX_BYTES_PER_TOOL})`,
  );
  return listBytes <= LAZY_LIST_BYTES && perTool < INDEX_BYTES_PER_TOOL;
}
