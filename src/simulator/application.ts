/** Carries one request out: persona's front, admission, endpoint, and the consequences of a write. */
import type { Door } from "./door.ts";
import type { Exchange, Reply, Row } from "./exchange.ts";
import { type Faults, strike } from "./faults.ts";
import { INTEGRATION } from "./integration.ts";
import { notFound } from "./integration-errors.ts";
import { v1Error, v2Error, v2Plain } from "./replies.ts";
import { createRouter, type Match } from "./router.ts";
import { restoreSnapshot, type Site, takeSnapshot } from "./site.ts";
import { V1_CMD } from "./v1-cmd.ts";
import { V1_GLOBAL } from "./v1-global.ts";
import { V1_REST } from "./v1-rest.ts";
import { V1_SETTING } from "./v1-setting.ts";
import { V1_STAT } from "./v1-stat.ts";
import { V2 } from "./v2.ts";
import type { World } from "./world.ts";

/** A request as the server read it. */
export interface Request {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly cookies: ReadonlyMap<string, string>;
  readonly body: Row;
  /** True for a body that is not a JSON object. */
  readonly malformed: boolean;
}

export interface ApplicationOptions {
  readonly world: World;
  readonly door: Door;
  readonly faults: Faults;
  /** Called once per applied write: `POST rest/user`, and `POST cmd/stamgr block-sta 02:…` for what it did. */
  readonly onEffect: (key: string) => void;
  readonly publish: (siteName: string, key: string, rows: readonly Row[]) => void;
}

// settings first: rest/setting would otherwise be a resource called "setting"
const APPLICATION = createRouter([
  ...V1_SETTING,
  ...V1_STAT,
  ...V1_REST,
  ...V1_CMD,
  ...V1_GLOBAL,
  ...V2,
  ...INTEGRATION,
]);

/** Paths are compared by segment: a trailing slash is nothing, %3A is a colon. */
function segmentsOf(path: string): string[] {
  return path.split("/").flatMap((segment) => (segment === "" ? [] : [decode(segment)]));
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function createApplication(options: ApplicationOptions): (request: Request) => Reply {
  const { world, door, faults } = options;
  const front = createRouter(door.front);

  return (request) => {
    const whole = `/${segmentsOf(request.path).join("/")}`;
    const own = front.match(request.method, segmentsOf(request.path));
    if (own !== undefined) return own.endpoint.answer(exchangeFor(request, whole, own).exchange);

    const below =
      door.prefix === ""
        ? whole
        : `${whole}/`.startsWith(`${door.prefix}/`)
          ? whole.slice(door.prefix.length) || "/"
          : "";
    const match = APPLICATION.match(request.method, segmentsOf(below));
    const made = exchangeFor(request, below, match);
    if (below === "") return door.unknown(made.exchange);
    const refusal = door.admit(made.exchange);
    if (refusal !== undefined) return refusal;
    if (world.lacks.some((path) => path.test(below))) return absentPath(made.exchange);
    if (match === undefined) return unknownPath(made.exchange, request.method);
    if (request.malformed) return malformed(below);
    return match.endpoint.write ? write(request, match, made) : match.endpoint.answer(made.exchange);
  };

  /** Applies a write, or takes it back where the fault says so; only a kept write is told and counted. */
  function write(request: Request, match: Match, made: Made): Reply {
    if (strike(faults, "noPermission", request) !== undefined) return noPermission(made.exchange.path);
    const struck = strike(faults, "notSaved", request) !== undefined;
    const snapshots = struck ? [...world.sites.values()].map((site) => [site, takeSnapshot(site)] as const) : [];
    const reply = match.endpoint.answer(made.exchange);
    if (struck) {
      // what is told must not change when the rows go back
      const told = structuredClone(reply);
      for (const [site, snapshot] of snapshots) restoreSnapshot(site, snapshot);
      return told;
    }
    if (reply.status >= 400) return reply;
    const key = `${request.method} ${effectPath(made.exchange.path)}`;
    options.onEffect(key);
    for (const command of made.commands) options.onEffect(`${key} ${command}`);
    for (const { site, event, rows } of made.events) options.publish(site.name, event, rows);
    return reply;
  }

  interface Made {
    readonly exchange: Exchange;
    readonly commands: readonly string[];
    readonly events: readonly { readonly site: Site; readonly event: string; readonly rows: readonly Row[] }[];
  }

  function exchangeFor(request: Request, path: string, match: Match | undefined): Made {
    const commands: string[] = [];
    const events: { site: Site; event: string; rows: readonly Row[] }[] = [];
    const exchange: Exchange = {
      method: request.method,
      path,
      rawPath: request.path,
      query: request.query,
      headers: request.headers,
      cookies: request.cookies,
      body: request.body,
      world,
      param: (name) => match?.params.get(name) ?? "",
      announce: (site, event, rows) => events.push({ site, event, rows }),
      effect: (command) => commands.push(command),
    };
    return { exchange, commands, events };
  }
}

/** Without the part that names the site: `rest/user/…`, `static-dns`. */
function effectPath(path: string): string {
  return path.replace(/^\/(api\/s\/[^/]+|v2\/api\/site\/[^/]+|integration\/v1\/sites\/[^/]+)\//, "");
}

/** By the first part of the path below the prefix. */
function unknownPath(exchange: Exchange, method: string): Reply {
  if (exchange.path.startsWith("/integration/")) return notFound(exchange, "Path");
  if (!exchange.path.startsWith("/v2/")) return v1Error("InvalidObject");
  const known = ["GET", "POST", "PUT", "DELETE"].some(
    (other) => APPLICATION.match(other, segmentsOf(exchange.path)) !== undefined,
  );
  return known ? v2Plain(405, `Request method '${method}' is not supported`) : v2Plain(404, "Not found");
}

/** A path that other versions of the application have. */
function absentPath(exchange: Exchange): Reply {
  if (exchange.path.startsWith("/integration/")) return notFound(exchange, "Path");
  if (exchange.path.startsWith("/v2/")) return v2Plain(404, "Not found");
  return { ...v1Error("NotFound"), status: 404 };
}

function noPermission(path: string): Reply {
  return path.startsWith("/v2/") ? v2Error(403, "NoPermission", "No permission") : v1Error("NoPermission");
}

function malformed(path: string): Reply {
  return path.startsWith("/v2/") ? v2Plain(400, "JSON parse error") : v1Error("InvalidPayload");
}
