/** The gateway's settings: environment and optional YAML file, read once into one frozen object. */
import { resolve } from "node:path";
import {
  address,
  type Environment,
  flag,
  integer,
  list,
  oneOf,
  origin,
  readSettings,
  readSettingsFile,
  refuse,
  text,
  type Values,
} from "./environment.ts";

/** Shorter secrets could be guessed from what they sign. */
const SECRET_CHARACTERS = 32;

export const GATEWAY_SETTINGS = {
  publicUrl: {
    names: ["UNIFI_EDGE_PUBLIC_URL"],
    description: "Origin under which clients and agents reach the gateway, e.g. https://edge.example.com",
    parse: origin,
  },
  listen: {
    names: ["UNIFI_EDGE_LISTEN"],
    description: "Address to listen on",
    parse: address,
    default: { host: "0.0.0.0", port: 8080 },
  },
  stateDir: {
    names: ["UNIFI_EDGE_STATE_DIR"],
    description: "Folder of the embedded store, the admin socket and a made secret",
    parse: text,
    default: "var",
  },
  redisUrl: {
    names: ["UNIFI_EDGE_REDIS_URL"],
    description: "redis:// or rediss:// URL; unset = the embedded store",
    parse: redisUrl,
    secret: true,
  },
  secret: {
    names: ["UNIFI_EDGE_SECRET"],
    description: "At least 32 characters; seals keys. Unset = made once in the state folder",
    parse: secret,
    secret: true,
  },
  adminSocket: {
    names: ["UNIFI_EDGE_ADMIN_SOCKET"],
    description: "Path of the administration socket; unset = admin.sock in the state folder",
    parse: text,
  },
  adminListen: {
    names: ["UNIFI_EDGE_ADMIN_LISTEN"],
    description: "Address of the administration API for tokens of `unifi-edge token admin`; unset = socket only",
    parse: address,
  },
  adminTlsCert: {
    names: ["UNIFI_EDGE_ADMIN_TLS_CERT"],
    description: "PEM file with the certificate of that address; needed unless it is a loopback address",
    parse: text,
  },
  adminTlsKey: { names: ["UNIFI_EDGE_ADMIN_TLS_KEY"], description: "PEM file with its key", parse: text },
  allowedOrigins: {
    names: ["UNIFI_EDGE_ALLOWED_ORIGINS"],
    description: "Further browser origins that may use /mcp, comma-separated",
    parse: list,
    default: [] as readonly string[],
  },
  trustProxy: {
    names: ["UNIFI_EDGE_TRUST_PROXY"],
    description: "true behind a reverse proxy that sets X-Forwarded-For",
    parse: flag,
    default: false,
  },
  registrationMode: {
    names: ["UNIFI_TOOL_REGISTRATION_MODE"],
    description: "lazy, eager or meta_only",
    parse: oneOf("lazy", "eager", "meta_only"),
    default: "lazy",
  },
  enabledCategories: {
    names: ["UNIFI_ENABLED_CATEGORIES"],
    description: "Only these categories, comma-separated",
    parse: list,
  },
  enabledTools: {
    names: ["UNIFI_ENABLED_TOOLS"],
    description: "Only these tools, comma-separated (when no categories are set)",
    parse: list,
  },
  contentMode: {
    names: ["UNIFI_CONTENT_MODE"],
    description: "full, or adaptive: a short text beside structuredContent",
    parse: oneOf("full", "adaptive"),
    default: "full",
  },
  requireLocation: {
    names: ["UNIFI_REQUIRE_LOCATION"],
    description: "true: reads too must name a location when several are visible",
    parse: flag,
    default: false,
  },
  callTimeoutSeconds: {
    names: ["UNIFI_EDGE_CALL_TIMEOUT_SECONDS"],
    description: "How long one call may take",
    parse: integer(1, 300),
    default: 30,
  },
  requestsPerSecond: {
    names: ["UNIFI_EDGE_REQUESTS_PER_SECOND"],
    description: "Requests per second of one grant",
    parse: integer(1, 100_000),
    default: 50,
  },
  auditFile: {
    names: ["UNIFI_EDGE_AUDIT_FILE"],
    description: "Audit records as JSON lines; unset = audit.jsonl in the state folder",
    parse: text,
  },
  logLevel: {
    names: ["UNIFI_EDGE_LOG_LEVEL"],
    description: "debug, info, warn or error",
    parse: oneOf("debug", "info", "warn", "error"),
    default: "info",
  },
} as const;

export type GatewayConfig = Values<typeof GATEWAY_SETTINGS> & {
  readonly publicUrl: string;
  readonly adminSocket: string;
  readonly auditFile: string;
};

/** Throws CONFIG_INVALID naming every wrong value. `file` is the YAML file's path, if any. */
export function readGatewayConfig(environment: Environment, file?: string): GatewayConfig {
  const problems: string[] = [];
  const values = readSettings(
    GATEWAY_SETTINGS,
    environment,
    file === undefined ? {} : readSettingsFile(file),
    problems,
  );
  if (values.publicUrl === undefined && problems.length === 0) {
    problems.push(
      "UNIFI_EDGE_PUBLIC_URL is not set: the origin under which clients reach this gateway, such as https://edge.example.com",
    );
  }
  if (values.publicUrl?.startsWith("http:") && !isLoopback(values.publicUrl)) {
    problems.push(
      "UNIFI_EDGE_PUBLIC_URL must be https (http is for 127.0.0.1 and localhost only): OAuth clients refuse anything else",
    );
  }
  problems.push(...adminProblems(values));
  refuse(problems);
  return Object.freeze({
    ...values,
    publicUrl: values.publicUrl ?? "",
    adminSocket: values.adminSocket ?? resolve(values.stateDir, "admin.sock"),
    auditFile: values.auditFile ?? resolve(values.stateDir, "audit.jsonl"),
  });
}

/** Who reaches the administration API can let anybody in: it is never served in the clear to other machines. */
function adminProblems({ adminListen, adminTlsCert, adminTlsKey }: Values<typeof GATEWAY_SETTINGS>): readonly string[] {
  if ((adminTlsCert === undefined) !== (adminTlsKey === undefined)) {
    return ["UNIFI_EDGE_ADMIN_TLS_CERT and UNIFI_EDGE_ADMIN_TLS_KEY belong together: set both or neither"];
  }
  if (adminListen === undefined || adminTlsCert !== undefined || LOOPBACK.has(adminListen.host)) return [];
  return [
    "UNIFI_EDGE_ADMIN_LISTEN is no loopback address and has no certificate: set UNIFI_EDGE_ADMIN_TLS_CERT and _KEY, or listen on 127.0.0.1 behind a proxy",
  ];
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "::1"]);

function isLoopback(url: string): boolean {
  return ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname);
}

function redisUrl(value: string): string {
  if (/^rediss?:\/\//.test(value) && URL.canParse(value)) return value;
  throw new Error("must be a redis:// or rediss:// URL");
}

function secret(value: string): string {
  if (value.length >= SECRET_CHARACTERS) return value;
  throw new Error(`must have at least ${SECRET_CHARACTERS} characters`);
}
