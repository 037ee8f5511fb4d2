/** The path rule of unifi_api_call (design 3.3): which console paths a caller may name, and how they are written. */
import { EdgeError } from "../../errors.ts";

/** Whose paths are allowed. */
export interface ApiPlace {
  /** Short name of the site that the call is for. */
  readonly site: string;
  /** UUID of that site in the integration API; only needed where the endpoint speaks of one. */
  readonly integrationSiteId?: string;
}

/** A checked path without the OS prefix, decoded, and its query. */
export interface ApiPath {
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
}

export const MAX_ENDPOINT_LENGTH = 2048;

/** On UniFi OS consoles; the session adds it, so a caller's own is taken off, once. */
const OS_PREFIX = "/proxy/network/";

/**
 * What a segment may hold once decoded. No `%` (a second layer of encoding), no `;` (servlet containers cut path
 * parameters off, which turns `cmd;x` into `cmd`), no slash, backslash, control character or other alphabet.
 */
const SEGMENT = /^[A-Za-z0-9._~:@!$&'()*+,=-]+$/;

/** First segments of the older API that a GET may read; the others do something (`cmd`, `set`, `upd`, `add` …). */
const READABLE_V1 = ["self", "stat", "rest", "list", "get", "cnt"];

/** Segments that stand for a deed wherever they occur: no GET may name them. */
const COMMAND_SEGMENTS = [
  "cmd",
  "set",
  "upd",
  "add",
  "del",
  "group",
  "actions",
  "action",
  "logout",
  "reboot",
  "restart",
];

/** Query names by which some servers let a request pose as another method. */
const METHOD_OVERRIDES = ["_method", "x-http-method-override", "x-http-method", "x-method-override"];

/**
 * The endpoint as it may be sent, or ARGUMENTS_INVALID saying which clause it breaks. Pure: the same input has the same
 * answer, and nothing is asked.
 */
export function checkApiPath(endpoint: string, method: string, place: ApiPlace): ApiPath {
  const { segments, query } = parseEndpoint(endpoint);
  const own = segments.map((segment) => ownName(segment, segments, place));
  assertOwnPlace(own, method, place);
  if (method.toUpperCase() === "GET") assertReads(own);
  // Every character of SEGMENT may stand in a path as it is (RFC 3986 §3.3, pchar)
  return { path: `/${own.join("/")}`, query };
}

/** True where the check needs the site's UUID, which has to be asked of the console. */
export function namesIntegrationSite(endpoint: string): boolean {
  const [first, , third] = parseEndpoint(endpoint).segments;
  return first === "integration" && third === "sites";
}

/** Decoded segments and query of an endpoint that is a plain path; everything else is refused. */
export function parseEndpoint(endpoint: string): { segments: readonly string[]; query: ApiPath["query"] } {
  if (endpoint.length > MAX_ENDPOINT_LENGTH) throw refused(`is longer than ${MAX_ENDPOINT_LENGTH} characters`);
  if (hasControl(endpoint)) throw refused("holds control characters");
  if (endpoint.includes("\\")) throw refused("holds a backslash");
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(endpoint)) throw refused("is an absolute URL; give the path alone");
  if (!endpoint.startsWith("/")) throw refused("must start with a slash");
  if (endpoint.startsWith("//")) throw refused("names another host");
  if (endpoint.includes("#")) throw refused("holds a fragment");
  const [path = "", ...queries] = endpoint.split("?");
  if (queries.length > 1) throw refused("holds more than one question mark");
  const below = path.startsWith(OS_PREFIX) ? path.slice(OS_PREFIX.length - 1) : path;
  return { segments: segmentsOf(below), query: queryOf(queries[0] ?? "") };
}

function segmentsOf(path: string): readonly string[] {
  // One slash at the end means the same path (settings are read at /get/setting/)
  const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  return trimmed
    .slice(1)
    .split("/")
    .map((raw) => {
      if (raw === "") throw refused("holds an empty segment (//)");
      return checkedSegment(raw);
    });
}

function checkedSegment(raw: string): string {
  const layers = decodedLayers(raw);
  for (const text of layers) {
    if (/[/\\]/.test(text)) throw refused("holds an encoded slash");
    if (text === "." || text === "..") throw refused("holds . or .. as a segment");
    if (hasControl(text)) throw refused("holds control characters");
  }
  if (layers.length > 2) throw refused("is encoded more than once");
  const segment = layers.at(-1) ?? raw;
  // {site} and {siteId} are how the api-reference writes the call's own site
  if (segment === "{site}" || segment === "{siteId}" || SEGMENT.test(segment)) return segment;
  throw refused("holds a character that no console path has");
}

/** The text and what each further decoding makes of it, until nothing changes. */
function decodedLayers(raw: string): readonly string[] {
  const layers = [raw];
  for (let text = raw; /%/.test(text); ) {
    const next = decoded(text);
    if (next === text) break;
    layers.push(next);
    text = next;
  }
  return layers;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refused("holds a broken percent encoding");
  }
}

function queryOf(text: string): ApiPath["query"] {
  const pairs = [...new URLSearchParams(text)];
  assertPlainQuery(pairs);
  return pairs;
}

/** The same rule for a query that came as parameters. */
export function assertPlainQuery(pairs: ApiPath["query"]): void {
  for (const [name, value] of pairs) {
    if (hasControl(name) || hasControl(value)) throw refused("holds control characters");
    if (METHOD_OVERRIDES.includes(name.toLowerCase())) throw refused("asks for another method in its query");
  }
}

function hasControl(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /[\u0000-\u001f\u007f-\u009f]/.test(text);
}

/** The reference's {site} or {siteId} where it stands for the own site, and nowhere else. */
function ownName(segment: string, segments: readonly string[], place: ApiPlace): string {
  if (segment !== "{site}" && segment !== "{siteId}") return segment;
  const index = segments.indexOf(segment);
  if (segments[0] === "integration" && index === 3 && place.integrationSiteId !== undefined)
    return place.integrationSiteId;
  if (segment === "{site}" && segments[index - 1] === (segments[0] === "v2" ? "site" : "s")) return place.site;
  throw refused("holds {site} where no site's name belongs");
}

/** Only below the call's own site, and the integration API's version. */
function assertOwnPlace(segments: readonly string[], method: string, place: ApiPlace): void {
  const starts = (...prefix: readonly string[]) => prefix.every((part, index) => segments[index] === part);
  const below = (depth: number) => segments.length > depth;
  if (starts("api", "s", place.site) && below(3)) return;
  if (starts("v2", "api", "site", place.site) && below(4)) return;
  if (starts("integration", "v1", "info") && segments.length === 3) {
    if (method.toUpperCase() !== "GET") throw refused("can only be read");
    return;
  }
  if (
    place.integrationSiteId !== undefined &&
    starts("integration", "v1", "sites", place.integrationSiteId) &&
    below(4)
  ) {
    return;
  }
  const otherSite = starts("api", "s") || starts("v2", "api", "site") || starts("integration", "v1", "sites");
  throw otherSite
    ? refused(
        "is not below this call's own site",
        "Give the site in the `site` argument; {site} stands for it in the path.",
      )
    : refused(
        "is outside the paths that may be called",
        "Allowed: /api/s/{site}/…, /v2/api/site/{site}/…, /integration/v1/info and /integration/v1/sites/{siteId}/….",
      );
}

/** A GET may not do anything: command paths are refused in both generations and in any case of letters. */
function assertReads(segments: readonly string[]): void {
  const lower = segments.map((segment) => segment.toLowerCase());
  const within = lower[0] === "api" ? lower.slice(3) : lower.slice(4);
  const readable = lower[0] !== "api" || READABLE_V1.includes(within[0] ?? "");
  // Beyond the first segment of the older API stand names of objects, which may be any word
  const deeds = lower[0] === "api" ? within.slice(0, 1) : within;
  if (readable && !deeds.some((segment) => COMMAND_SEGMENTS.includes(segment))) return;
  throw refused("is a command path, which a GET may not call", "Commands are sent with POST, as a write.");
}

function refused(clause: string, hint?: string): EdgeError {
  return new EdgeError("ARGUMENTS_INVALID", `The endpoint ${clause}.`, hint === undefined ? {} : { hint });
}
