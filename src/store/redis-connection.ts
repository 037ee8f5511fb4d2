/** How we connect to Redis or Valkey: two profiles of ioredis, and its failures told in words. */
import { Cluster, Redis } from "ioredis";
import { EdgeError } from "../errors.ts";

export interface RedisAddress {
  /** `redis://` or `rediss://`, with user, password and database number where needed. */
  readonly url: string;
  /** Asked for the present primary; user, password, database and TLS still come from `url`. */
  readonly sentinels?: {
    readonly primary: string;
    readonly nodes: readonly { readonly host: string; readonly port: number }[];
    readonly password?: string;
  };
  /** True when `url` is one node of a Redis Cluster. */
  readonly cluster?: boolean;
}

/** The part of a pino logger that the store uses. */
export interface StoreLog {
  info(message: string): void;
  warn(message: string): void;
}

/** Also the wait for the first connection after start. */
export const COMMAND_TIMEOUT_MS = 1000;
const RECONNECT_FIRST_MS = 50;
const RECONNECT_MAX_MS = 2000;

export type RedisClient = Redis | Cluster;

/**
 * Without an offline queue a command never runs later than its caller waited; unanswered commands are not resent, so
 * each is sent once. ioredis 6.0.0 then leaves their promises pending for ever (redis/ioredis#2193): the command
 * timeout is what ends them.
 */
const ONCE = {
  autoResendUnfulfilledCommands: false,
  commandTimeout: COMMAND_TIMEOUT_MS,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  // after a failover the old primary answers READONLY: connect anew, and let the caller decide about the command
  reconnectOnError: (error: Error) => error.message.startsWith("READONLY"),
  retryStrategy: reconnectDelayMs,
};

/** Doubling with jitter, so that replicas do not return to a restarted Redis in one beat. */
function reconnectDelayMs(attempt: number): number {
  const ceiling = Math.min(RECONNECT_MAX_MS, RECONNECT_FIRST_MS * 2 ** Math.min(attempt, 10));
  return ceiling / 2 + Math.random() * (ceiling / 2);
}

/** For commits and reads. */
export function connectForCommands(address: RedisAddress): RedisClient {
  return connect(address, ONCE);
}

/** For subscriptions: we subscribe again ourselves after each reconnection, because listeners must hear of the gap. */
export function connectForSubscriptions(address: RedisAddress): RedisClient {
  return connect(address, { ...ONCE, autoResubscribe: false });
}

function connect(
  { url, sentinels, cluster }: RedisAddress,
  options: typeof ONCE & { autoResubscribe?: boolean },
): RedisClient {
  if (cluster === true) {
    const { enableOfflineQueue, retryStrategy, ...onNodes } = options;
    return new Cluster([url], {
      clusterRetryStrategy: retryStrategy,
      enableOfflineQueue,
      // ioredis makes connections to nodes at their first command, which waits for them in a queue; they are not made
      // again after a loss and give up within the timeout, so that no command runs much later than its caller waited
      redisOptions: { ...onNodes, ...credentialsOf(url), connectTimeout: COMMAND_TIMEOUT_MS },
    });
  }
  if (sentinels === undefined) return new Redis(url, options);
  return new Redis({
    ...options,
    ...credentialsOf(url),
    name: sentinels.primary,
    sentinels: sentinels.nodes.map(({ host, port }) => ({ host, port })),
    ...(sentinels.password === undefined ? {} : { sentinelPassword: sentinels.password }),
  });
}

/** What ioredis reads from a URL only when that URL is the server itself. */
function credentialsOf(url: string) {
  const { protocol, username, password, pathname, hostname } = new URL(url);
  const database = Number(pathname.slice(1));
  return {
    ...(username === "" ? {} : { username: decodeURIComponent(username) }),
    ...(password === "" ? {} : { password: decodeURIComponent(password) }),
    ...(database > 0 ? { db: database } : {}),
    ...(protocol === "rediss:" ? { tls: { servername: hostname } } : {}),
  };
}

/** First match wins; tried on the text of what ioredis threw, which may name a command but no value of ours. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/timed out/i, `did not answer within ${COMMAND_TIMEOUT_MS / 1000} s`],
  [/ECONNREFUSED/, "refuses connections (is it running?)"],
  [/ENOTFOUND|EAI_AGAIN/, "has a host name that cannot be resolved"],
  [/EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/, "cannot be reached over the network"],
  [/NOAUTH|WRONGPASS|invalid password|invalid username/i, "refused the user or password of its URL"],
  [/NOPERM/, "lets this user run too few commands"],
  [/READONLY/, "is a read-only replica (a failover may be under way)"],
  [/LOADING/, "is still loading its data"],
  [/OOM/, "is out of memory (maxmemory reached; noeviction is required)"],
  [/MISCONF/, "cannot save to its disk and therefore refuses writes"],
  [/NOREPLICAS/, "has fewer replicas than min-replicas-to-write asks for"],
  [/CLUSTERDOWN|Failed to refresh slots/, "is a cluster that does not serve all slots"],
  [/CROSSSLOT|MOVED/, "is a cluster, but is configured here as a single server"],
  [/certificate|self[- ]signed/i, "shows a TLS certificate that is not trusted"],
  [/isn't writeable|Connection is closed|ECONNRESET|EPIPE|None of startup nodes|isn't ready/i, "is not connected"],
];

/** STORE_UNAVAILABLE for anything that ioredis threw; `lastError` is what the connection itself last failed with. */
export function storeUnavailable(thrown: unknown, lastError?: Error): EdgeError {
  const texts = [lastError, thrown].map((error) => (error instanceof Error ? error.message : ""));
  const reason = REASONS.find(([pattern]) => texts.some((text) => pattern.test(text)))?.[1] ?? "refused a command";
  return new EdgeError("STORE_UNAVAILABLE", `The store is unavailable: Redis ${reason}.`, { cause: thrown });
}
