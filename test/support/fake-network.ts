/** A Network site in memory for tests of tools: serves rows, keeps writes, and records every request. */
import type { HttpMethod, NetworkConsole, NetworkSite, Row, SiteInfo } from "../../src/controller/controller.ts";
import type { EventSource } from "../../src/controller/event-feed.ts";
import { EdgeError } from "../../src/errors.ts";
import type { ToolContext } from "../../src/tools/tool.ts";

export interface FakeRequest {
  readonly method: HttpMethod;
  /** As the console would see it, without the OS prefix: `/api/s/default/rest/user/1`. */
  readonly path: string;
  readonly body?: unknown;
}

export interface FakeOptions {
  /** Rows by path below the site, e.g. `/rest/wlanconf` or `/apgroups`. */
  readonly rows?: Readonly<Record<string, readonly Row[]>>;
  /** Fixed answers by `METHOD path`, before rows are looked at; a thrown error is thrown. */
  readonly answers?: Readonly<Record<string, (body: unknown) => unknown>>;
  readonly sites?: readonly SiteInfo[];
  /** Keeps what was there although it answers ok, as real consoles do with fields they do not know. */
  readonly drops?: readonly string[];
}

/** Collections that the console shows under one path and changes under another. */
const SAME_TABLE: Readonly<Record<string, string>> = { "/rest/device": "/stat/device" };

/** 2026-11-30T08:00:00Z */
export const FAKE_NOW_MS = 1_796_025_600_000;

export const FAKE_SITES: readonly SiteInfo[] = [
  { name: "default", description: "Main site", id: "65c0ffee00000000000a0001", role: "admin" },
  { name: "k2v9x8ab", description: "Branch office", id: "65c0ffee00000000000a0002", role: "readonly" },
];

export const FAKE_INTEGRATION_ID = "c9a9131e-6e2e-4221-aaa7-ff7f604964a2";

export function fakeNetwork(options: FakeOptions = {}) {
  const tables = new Map(
    Object.entries(options.rows ?? {}).map(([path, rows]) => [path, rows.map((row) => ({ ...row }))]),
  );
  const requests: FakeRequest[] = [];
  let created = 0;

  function answer(method: HttpMethod, path: string, body: unknown): unknown {
    const fixed = options.answers?.[`${method} ${path}`];
    if (fixed !== undefined) return fixed(body);
    const table = tables.get(path.split("?")[0] ?? path);
    if (table !== undefined && method === "GET") return table.map((row) => ({ ...row }));
    if (table !== undefined && method === "POST") {
      created += 1;
      const row = { ...(body as Row), _id: `new-${created}` };
      table.push(row);
      return [row];
    }
    const [collection, id] = splitItem(path);
    const rows = tables.get(SAME_TABLE[collection] ?? collection);
    const index = rows?.findIndex((row) => row._id === id || row.id === id) ?? -1;
    const before = rows?.[index];
    if (rows === undefined || before === undefined) {
      if (path.startsWith("/cmd/")) return [];
      throw new EdgeError("CONTROLLER_UNSUPPORTED", `The fake console has no ${method} ${path}.`);
    }
    if (method === "DELETE") {
      rows.splice(index, 1);
      return [];
    }
    const kept = Object.fromEntries((options.drops ?? []).map((field) => [field, before[field]]));
    rows[index] = { ...before, ...(body as Row), ...kept };
    return [rows[index]];
  }

  function send(prefix: string, method: HttpMethod, path: string, body: unknown): unknown {
    requests.push({ method, path: `${prefix}${path}`, ...(body === undefined ? {} : { body }) });
    return answer(method, path, body);
  }

  const network: NetworkSite = {
    site: "default",
    v1: async (method, path, body) => send("/api/s/default", method, path, body) as readonly Row[],
    v2: async (method, path, body) => {
      const value = send("/v2/api/site/default", method, path, body);
      return method === "POST" && Array.isArray(value) ? value[0] : value;
    },
    integration: async (method, path, body) => send("/integration/v1", method, path, body),
    integrationSiteId: async () => FAKE_INTEGRATION_ID,
    events: () => SILENT_EVENTS,
    raw: async (method, path, body) => send("", method, path, body),
  };
  const networkConsole: NetworkConsole = {
    sites: async () => options.sites ?? FAKE_SITES,
    site: async () => network,
    status: async () => ({ state: "connected", version: "10.0.162" }),
    close: async () => {},
  };
  const context: ToolContext = {
    network,
    networkConsole,
    signal: new AbortController().signal,
    now: () => FAKE_NOW_MS,
    progress() {},
  };
  return {
    context,
    requests,
    /** The requests that could change something. */
    writes: () => requests.filter(({ method }) => method !== "GET"),
    rowsAt: (path: string): readonly Row[] => tables.get(path) ?? [],
  };
}

/** A feed that is connected and hears nothing. */
export const SILENT_EVENTS: EventSource<Row> = {
  ready: async () => true,
  recent: () => [],
  state: () => ({ connected: true, listeningSinceMs: 0, gaps: [], problem: undefined, capacity: 1000 }),
};

function splitItem(path: string): readonly [string, string] {
  const cut = path.lastIndexOf("/");
  return [path.slice(0, cut), decodeURIComponent(path.slice(cut + 1))];
}
