/** Puts the session of one Network console together: sockets, detection, sign-in, calls, sites and status. */
import { EdgeError } from "../../errors.ts";
import type { ConsoleStatus, HttpMethod, NetworkConsole, NetworkSite, Row } from "../controller.ts";
import type { EventFeed } from "../event-feed.ts";
import { detectControllerType } from "./detect.ts";
import { rowsOf } from "./envelope.ts";
import { networkFeed } from "./events.ts";
import type { Exchange } from "./exchange.ts";
import { type ConsoleSettings, type ControllerType, type NetworkConsoleOptions, settingsOf } from "./options.ts";
import { Caller } from "./request.ts";
import { Sessions } from "./session.ts";
import { SharedReads } from "./shared-reads.ts";
import { signIn, signOut } from "./sign-in.ts";
import { findSite, integrationIdOf, listSites } from "./sites.ts";
import { statusOf } from "./status.ts";
import { openTransport } from "./transport.ts";

export type { ConsoleLog, NetworkConsoleOptions } from "./options.ts";

/** How long a found site name is believed, and how many are kept. */
const SITE_MEMORY_MS = 60_000;
const MOST_SITE_NAMES = 1000;
/** How long `close` waits for the console to end the session. */
const SIGN_OUT_MS = 2000;

/**
 * A session with one console. Nothing is sent before the first call.
 *
 * @throws EdgeError CONFIG_INVALID for a pin that is none or an address that is no host
 */
export function createNetworkConsole(options: NetworkConsoleOptions): NetworkConsole {
  const settings = settingsOf(options);
  if (!settings.verifyTls && settings.pinSha256 === undefined) {
    settings.log.warn(
      { host: settings.host },
      "the console's certificate is not checked; pin it with UNIFI_PIN_SHA256",
    );
  }
  const { exchange, disconnect } = openTransport(settings);
  return consoleOver(settings, exchange, disconnect);
}

function consoleOver(settings: ConsoleSettings, exchange: Exchange, disconnect: () => Promise<void>): NetworkConsole {
  const type = onceUntilFailed(() => detectControllerType(exchange, settings));
  const sessions = new Sessions({
    now: settings.now,
    random: settings.random,
    log: settings.log,
    signIn: async () => {
      const credentials = credentialsOf(settings);
      try {
        return await signIn(exchange, await type.value(), credentials);
      } catch (thrown) {
        // a console without that sign-in path is of the other kind than was found, or has become so
        if (thrown instanceof EdgeError && thrown.code === "CONTROLLER_UNSUPPORTED") type.forget();
        throw thrown;
      }
    },
  });
  const caller = new Caller({ settings, exchange, sessions, type: type.value });
  const reads = new SharedReads();
  const feeds = new Map<string, EventFeed<Row>>();
  const feedOf = (site: string): EventFeed<Row> => {
    const known = feeds.get(site);
    if (known !== undefined) return known;
    const feed = networkFeed({ settings, sessions, type: type.value }, site);
    feeds.set(site, feed);
    return feed;
  };
  const siteNames = new Map<string, { readonly site: string; readonly untilMs: number }>();

  async function shortName(wanted: string, signal: AbortSignal | undefined): Promise<string> {
    const known = siteNames.get(wanted);
    if (known !== undefined && known.untilMs > settings.now()) return known.site;
    const { name } = findSite(await listSites(caller, signal), wanted);
    if (siteNames.size >= MOST_SITE_NAMES) siteNames.clear();
    siteNames.set(wanted, { site: name, untilMs: settings.now() + SITE_MEMORY_MS });
    return name;
  }

  return {
    sites: (signal) => listSites(caller, signal),
    site: async (name, signal) => {
      const short = await shortName(name ?? settings.site, signal);
      return siteOver(caller, short, signal, () => feedOf(short), reads);
    },
    status: async (): Promise<ConsoleStatus> => statusOf(caller, sessions, settings),
    close: async () => {
      await Promise.all([...feeds.values()].map((feed) => feed.close()));
      const session = sessions.peek();
      if (session !== undefined) await farewell(settings, exchange, type.value, session);
      await disconnect();
    },
  };
}

function siteOver(
  caller: Caller,
  site: string,
  signal: AbortSignal | undefined,
  events: NetworkSite["events"],
  reads: SharedReads,
): NetworkSite {
  const name = encodeURIComponent(site);
  const call = (method: HttpMethod, path: string, body: unknown) =>
    method === "GET" && body === undefined
      ? reads.read(path, () => caller.call({ method, path, body, signal: undefined }), signal)
      : reads.write(() => caller.call({ method, path, body, signal }));
  return {
    site,
    v1: async (method, path, body) => rowsOf(await call(method, `/api/s/${name}${path}`, body)),
    v2: (method, path, body) => call(method, `/v2/api/site/${name}${path}`, body),
    integration: (method, path, body) => call(method, `/integration/v1${path}`, body),
    integrationSiteId: () => integrationIdOf(caller, site, signal),
    events,
    raw: (method, path, body) => call(method, path, body),
  };
}

function credentialsOf({ username, password }: ConsoleSettings) {
  if (username !== undefined && password !== undefined) return { username, password };
  throw new EdgeError("CONTROLLER_AUTH_FAILED", "No user name and password are set for the console.", {
    hint: "Set UNIFI_USERNAME and UNIFI_PASSWORD (or UNIFI_PASSWORD_FILE), or UNIFI_API_KEY.",
    executed: "no",
  });
}

/** Ends the session on the console so that it does not stay valid for weeks; never in the way of ending the program. */
async function farewell(
  settings: ConsoleSettings,
  exchange: Exchange,
  type: () => Promise<ControllerType>,
  session: Parameters<typeof signOut>[2],
): Promise<void> {
  const limit = new AbortController();
  const over = new AbortController();
  settings.wait(SIGN_OUT_MS, over.signal).then(
    () => limit.abort(),
    // the wait ends this way when the sign-out is over first
    () => undefined,
  );
  try {
    await signOut(exchange, await type(), session, limit.signal);
  } catch (error) {
    settings.log.info({ err: error }, "the console did not end the session");
  } finally {
    over.abort();
  }
}

/** Work that is done once and shared; a failure is not remembered. */
function onceUntilFailed<T>(work: () => Promise<T>): { value(): Promise<T>; forget(): void } {
  let pending: Promise<T> | undefined;
  const forget = () => {
    pending = undefined;
  };
  const value = () => {
    if (pending === undefined) {
      const started = work();
      pending = started;
      started.catch(() => {
        if (pending === started) forget();
      });
    }
    return pending;
  };
  return { value, forget };
}
