/** Finds the endpoint of a path; tables are written as rows of `method, path, answer`. */
import type { Endpoint, Exchange, Reply, SiteAnswer } from "./exchange.ts";

type Row = readonly [method: string, path: string, answer: SiteAnswer];
type FindSite = (exchange: Exchange, answer: SiteAnswer) => Reply;

/** Endpoints of one API family: the prefix holds the site, `find` resolves it and answers in the family's words when it is unknown. */
export function siteEndpoints(prefix: string, find: FindSite, write: boolean, rows: readonly Row[]): Endpoint[] {
  return rows.map(([method, path, answer]) => ({
    method,
    path: `${prefix}/${path}`,
    write,
    answer: (exchange) => find(exchange, answer),
  }));
}

export interface Match {
  readonly endpoint: Endpoint;
  readonly params: ReadonlyMap<string, string>;
}

export interface Router {
  /** The first row that fits. */
  match(method: string, segments: readonly string[]): Match | undefined;
}

/** Compiles the table once: rows are grouped by method and number of segments, then compared in table order. */
export function createRouter(endpoints: readonly Endpoint[]): Router {
  const groups = new Map<string, { endpoint: Endpoint; segments: readonly string[] }[]>();
  for (const endpoint of endpoints) {
    const segments = endpoint.path.split("/").filter((segment) => segment !== "");
    const key = `${endpoint.method} ${segments.length}`;
    const group = groups.get(key) ?? [];
    group.push({ endpoint, segments });
    groups.set(key, group);
  }

  return {
    match(method, segments) {
      for (const { endpoint, segments: pattern } of groups.get(`${method} ${segments.length}`) ?? []) {
        const params = fit(pattern, segments);
        if (params !== undefined) return { endpoint, params };
      }
      return undefined;
    },
  };
}

function fit(pattern: readonly string[], segments: readonly string[]): Map<string, string> | undefined {
  const params = new Map<string, string>();
  for (const [index, expected] of pattern.entries()) {
    const actual = segments[index] ?? "";
    if (expected.startsWith(":")) params.set(expected.slice(1), actual);
    else if (expected !== actual) return undefined;
  }
  return params;
}
