/** What is measured: one request each, and how much dearer than the bare route it may be. */

export interface Case {
  readonly name: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Highest allowed server CPU per request relative to the bare route: the gateway alone, and with the agent. */
  readonly limits: { readonly gateway: number; readonly both?: number };
  /** The answer's bytes, as the gateway sent them once. */
  readonly answer: string;
}

export const CASES: readonly Omit<Case, "answer">[] = [
  { name: "tools-list", method: "tools/list", params: {}, limits: { gateway: 2 } },
  {
    name: "tool-index",
    method: "tools/call",
    params: { name: "unifi_tool_index", arguments: {} },
    limits: { gateway: 2 },
  },
  {
    name: "execute",
    method: "tools/call",
    params: { name: "unifi_execute", arguments: { tool: "unifi_list_networks", arguments: {}, location: "house" } },
    limits: { gateway: 7, both: 12 },
  },
];

export const LAZY_LIST_BYTES = 4096;
export const INDEX_BYTES_PER_TOOL = 111;
