/** What a tool may know of a console: the interface that `run` and `plan` see, and that tests fake. */

import type { EventSource } from "./event-feed.ts";

/** A console's JSON object, unvalidated beyond being an object: tools project the fields that they name. */
export type Row = { readonly [field: string]: unknown };

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface SiteInfo {
  /** Short name that stands in paths, e.g. `default`. */
  readonly name: string;
  /** What people read (`desc` on the console). */
  readonly description: string;
  /** Controller object id (`_id`). */
  readonly id: string;
  readonly role?: string;
}

/** One UniFi site of one Network console, bound to one call's cancellation. */
export interface NetworkSite {
  /** Short name, e.g. `default`. */
  readonly site: string;
  /**
   * v1: `path` below `/api/s/{site}` (e.g. `/rest/wlanconf`). Returns the envelope's `data`.
   * Both HTTP status and `meta.rc` are judged. Throws EdgeError: CONTROLLER_REJECTED (console said no, with its
   * `api.err.*` in details.controller_code), NOT_FOUND, CONTROLLER_UNSUPPORTED (404 of the path itself),
   * CONTROLLER_UNREACHABLE, CONTROLLER_FAILED / OUTCOME_UNKNOWN (a write whose answer is no answer).
   */
  v1(method: HttpMethod, path: string, body?: unknown): Promise<readonly Row[]>;
  /** v2: `path` below `/v2/api/site/{site}` (e.g. `/static-dns`). Returns the bare JSON value, null for 204. */
  v2(method: HttpMethod, path: string, body?: unknown): Promise<unknown>;
  /** Integration API: `path` below `/integration/v1` (e.g. `/sites`). Returns the bare JSON value. */
  integration(method: HttpMethod, path: string, body?: unknown): Promise<unknown>;
  /** The site's UUID of the integration API (`internalReference` equals the short name). */
  integrationSiteId(): Promise<string>;
  /** The site's live events: a socket that is opened at the first use and stays open until the console is closed. */
  events(): EventSource<Row>;
  /** Any checked path (api_call): status is judged, the body comes back whole; non-JSON answers are refused. */
  raw(method: HttpMethod, path: string, body?: unknown): Promise<unknown>;
}

/** For `/health`: `connected` = reachable and signed in right now. Never signs in during a back-off. */
export type ConsoleStatus =
  | { readonly state: "connected"; readonly version: string | undefined }
  | { readonly state: "not_connected" | "unreachable" | "bad_credentials" | "backing_off"; readonly reason: string };

export interface NetworkConsole {
  /** All sites that the account sees, never cached across calls. */
  sites(signal?: AbortSignal): Promise<readonly SiteInfo[]>;
  /** A handle for one call. `name` may be a short name, a description or an `_id`; throws SITE_UNKNOWN with the valid names. */
  site(name: string | undefined, signal?: AbortSignal): Promise<NetworkSite>;
  status(): Promise<ConsoleStatus>;
  close(): Promise<void>;
}
