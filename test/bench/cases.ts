/** What is measured: one request each, and how much dearer than the bare route it may be. */

export interface Case {
  readonly name: string;
  /** For the table's reader: what stands behind the request. */
  readonly note: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The place whose agent answers; its CPU counts too. */
  readonly place?: string;
  /**
   * Highest allowed server CPU per request relative to the bare route: the gateway alone, and with the agent. Absent =
   * printed for comparison.
   */
  readonly limits?: { readonly gateway: number; readonly both?: number };
  /** The answer's bytes, as the gateway sent them once. */
  readonly answer: string;
}

/** Its console is a simulator behind TLS. */
export const TLS_PLACE = "House";
/** Its console answers from the agent's memory (agent.ts of this folder). */
export const MEMORY_PLACE = "Memory";

const execute = (place: string) => ({
  method: "tools/call",
  params: {
    name: "unifi_execute",
    arguments: { tool: "unifi_list_clients", arguments: {}, location: place.toLowerCase() },
  },
  place: place.toLowerCase(),
});

export const CASES: readonly Omit<Case, "answer">[] = [
  { name: "tools-list", note: "lazy", method: "tools/list", params: {}, limits: { gateway: 2 } },
  {
    name: "tool-index",
    note: "compact, all tools",
    method: "tools/call",
    params: { name: "unifi_tool_index", arguments: {} },
    limits: { gateway: 2 },
  },
  {
    name: "execute",
    note: "tunnel; console answers from memory",
    ...execute(MEMORY_PLACE),
    limits: { gateway: 7, both: 12 },
  },
  { name: "execute-tls", note: "tunnel; simulated console, HTTPS", ...execute(TLS_PLACE) },
];

export const LAZY_LIST_BYTES = 4096;
export const INDEX_BYTES_PER_TOOL = 111;
