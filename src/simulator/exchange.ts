/** What an endpoint sees of one request, and what it hands back. */
import type { Site, World } from "./world.ts";

/** Any object of the console: its fields are the console's business, checked by schema-check where they are written. */
export type Row = Record<string, unknown>;

export interface Reply {
  readonly status: number;
  /** JSON body; left out together with `html` for an empty answer. */
  readonly body?: unknown;
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Set-Cookie values in order: clients take the first as the session. */
  readonly cookies?: readonly string[];
}

export interface Exchange {
  readonly method: string;
  /** Path below the persona's prefix, decoded, without a trailing slash. */
  readonly path: string;
  /** The same, as it was sent: one error repeats it (unifi-api.md section 2, UnknownStation). */
  readonly rawPath: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly cookies: ReadonlyMap<string, string>;
  readonly body: Row;
  readonly world: World;
  /** The part of the path that a `:name` segment matched, or "". */
  param(name: string): string;
  /** Announces a change on the site's event sockets, once the write is applied. */
  announce(site: Site, key: string, rows: readonly Row[]): void;
  /** Names what a command did, so that tests can count it: `block-sta 02:…`. */
  effect(command: string): void;
}

export interface SiteExchange extends Exchange {
  readonly site: Site;
}

export interface Endpoint {
  readonly method: string;
  /** Segments, `:name` for a variable one. */
  readonly path: string;
  /** True where a success changes the console. */
  readonly write: boolean;
  readonly answer: (exchange: Exchange) => Reply;
}

export type SiteAnswer = (exchange: SiteExchange) => Reply;
