/** What a Network console session is made from: the place, the credentials, and the clock, timer and log it may use. */

/** Where a session tells what it does; secrets are never handed to it. pino's logger fits. */
export interface ConsoleLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** `proxy` = UniFi OS, the Network application is behind `/proxy/network`; `direct` = standalone. */
export type ControllerType = "proxy" | "direct";

export interface NetworkConsoleOptions {
  readonly host: string;
  /** Default 443. */
  readonly port?: number;
  readonly username?: string;
  readonly password?: string;
  /** Local API key; goes out as X-API-KEY. */
  readonly apiKey?: string;
  /** Site that a call means when it names none: short name, description or `_id`. Default `default`. */
  readonly site?: string;
  /** Default true. Ignored where a pin is set: the pin is the stronger check. */
  readonly verifyTls?: boolean;
  /** SHA-256 of the console's certificate in hex; colons and case do not matter. */
  readonly pinSha256?: string;
  /** Default `auto`: found out by asking. */
  readonly controllerType?: ControllerType | "auto";
  /** How long one HTTP exchange may take, from connecting to the last byte. Default 30 s. */
  readonly timeoutMs?: number;
  /** Unix milliseconds. */
  now(): number;
  /** Resolves after `ms`; rejects when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** [0, 1): spreads back-offs. */
  random(): number;
  readonly log: ConsoleLog;
}

/** The options with every default filled in. */
export interface ConsoleSettings extends NetworkConsoleOptions {
  readonly port: number;
  readonly site: string;
  readonly verifyTls: boolean;
  readonly controllerType: ControllerType | "auto";
  readonly timeoutMs: number;
}

/** Large sites answer some statistics only after tens of seconds. */
const DEFAULT_TIMEOUT_MS = 30_000;

export function settingsOf(options: NetworkConsoleOptions): ConsoleSettings {
  return {
    ...options,
    // an IPv6 address may come in the brackets that URLs need and sockets refuse
    host: options.host.replace(/^\[(.*)\]$/, "$1"),
    port: options.port ?? 443,
    site: options.site ?? "default",
    verifyTls: options.verifyTls ?? true,
    controllerType: options.controllerType ?? "auto",
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  };
}
