/** Switches that make the console misbehave in ways that were seen in the field (unifi-api.md sections 1.2, 4.3 and 6). */

/** Which requests a fault concerns when its switch names no path. */
const SCOPES = {
  login: /\/api\/(auth\/)?login$/,
  api: /\/(api\/s|v2\/api\/site|integration)\//,
  events: /\/wss\/s\//,
} as const;

interface FaultKind {
  readonly scope: keyof typeof SCOPES;
  /** True where it only makes sense for a request that changes something. */
  readonly writesOnly?: true;
  readonly about: string;
}

export const FAULTS = {
  sessionExpired: { scope: "api", about: "forgets all sessions: 401 until the next login" },
  csrfRotated: { scope: "api", writesOnly: true, about: "changes the session's CSRF token: 403 for the stale one" },
  loginRateLimited: { scope: "login", about: "429 AUTHENTICATION_FAILED_LIMIT_REACHED without Retry-After" },
  loginBooting: { scope: "login", about: "login answers 200 text/html, as while booting" },
  mfaRequired: { scope: "login", about: "login asks for a second factor: 499 (token= the code it accepts)" },
  serverErrorJson: { scope: "api", about: "status= (500) with a JSON body" },
  serverErrorHtml: { scope: "api", about: "status= (502) with an HTML page" },
  slow: { scope: "api", about: "waits delayMs= (1000)" },
  connectionReset: { scope: "api", about: "cuts the connection without an answer" },
  notSaved: { scope: "api", writesOnly: true, about: "answers success and keeps nothing" },
  metaError: { scope: "api", about: "HTTP 200 with meta.rc=error, msg api.err.<code=> (Invalid)" },
  noPermission: { scope: "api", writesOnly: true, about: "403 api.err.NoPermission, as for a read-only account" },
  wrongContentType: { scope: "api", about: "a JSON body called text/html" },
  eventsRefused: { scope: "events", about: "the event socket's upgrade answers status= (502)" },
  eventsEmptyFrame: { scope: "events", about: "the event socket opens with an empty frame" },
  eventsDropped: { scope: "events", about: "the event socket is cut as soon as it is open" },
} as const satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof FAULTS;

export interface FaultSwitch {
  /** How many requests it hits before it switches itself off; without it, all. */
  hits?: number;
  /** Instead of the default scope: part of the path as sent, or a pattern over it. */
  path?: string | RegExp;
  method?: string;
  /** Strikes when the request was already carried out, instead of before. */
  after?: true;
  delayMs?: number;
  status?: number;
  code?: string;
  token?: string;
}

/** Mutable: set a switch to turn a fault on, delete it to turn it off. */
export type Faults = Partial<Record<FaultName, FaultSwitch>>;

interface Target {
  readonly method: string;
  /** As sent, with the persona's prefix, without the query. */
  readonly path: string;
}

/** The switch of a fault that strikes this request (one hit is taken off it), or undefined. */
export function strike(faults: Faults, name: FaultName, target: Target, after = false): FaultSwitch | undefined {
  const fault = faults[name];
  if (fault === undefined || (fault.after === true) !== after || !concerns(fault, FAULTS[name], target))
    return undefined;
  if (fault.hits !== undefined) {
    fault.hits -= 1;
    if (fault.hits <= 0) delete faults[name];
  }
  return fault;
}

function concerns(fault: FaultSwitch, kind: FaultKind, target: Target): boolean {
  if (fault.method !== undefined && fault.method !== target.method) return false;
  if (kind.writesOnly === true && target.method === "GET") return false;
  const { path } = fault;
  if (path === undefined) return SCOPES[kind.scope].test(target.path);
  return typeof path === "string" ? target.path.includes(path) : path.test(target.path);
}

/** Reads `name:hits=2,path=stat/sta,after=true`; undefined when name or key is unknown. */
export function parseFault(text: string): { name: FaultName; fault: FaultSwitch } | undefined {
  const [name = "", options = ""] = text.split(/:(.*)/s);
  if (!isFaultName(name)) return undefined;
  const fault: FaultSwitch = {};
  for (const option of options.split(",").filter((part) => part !== "")) {
    const [key = "", value = ""] = option.split(/=(.*)/s);
    const set = SETTERS[key];
    if (set === undefined) return undefined;
    set(fault, value);
  }
  return { name, fault };
}

function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(FAULTS, name);
}

const SETTERS: Readonly<Record<string, (fault: FaultSwitch, value: string) => void>> = {
  hits: (fault, value) => Object.assign(fault, { hits: Number(value) }),
  path: (fault, value) => Object.assign(fault, { path: value }),
  method: (fault, value) => Object.assign(fault, { method: value }),
  after: (fault) => Object.assign(fault, { after: true }),
  delayMs: (fault, value) => Object.assign(fault, { delayMs: Number(value) }),
  status: (fault, value) => Object.assign(fault, { status: Number(value) }),
  code: (fault, value) => Object.assign(fault, { code: value }),
  token: (fault, value) => Object.assign(fault, { token: value }),
};
