/** The settings of the agent and of `unifi-edge local`: environment and optional YAML file, read once, frozen. */
import { resolve } from "node:path";
import { type ConsoleConfig, readConsoles } from "./consoles.ts";
import {
  type Environment,
  flag,
  integer,
  list,
  oneOf,
  type Parse,
  readSettings,
  readSettingsFile,
  refuse,
  text,
  type Values,
} from "./environment.ts";

export const AGENT_SETTINGS = {
  gatewayUrl: {
    names: ["UNIFI_EDGE_GATEWAY"],
    description: "The gateway's public URL, e.g. https://edge.example.com; needed once, at enrolment",
    parse: gatewayUrl,
  },
  enrolmentToken: {
    names: ["UNIFI_EDGE_TOKEN"],
    description: "One-time enrolment token; needed until the agent has enrolled",
    parse: text,
    secret: true,
  },
  stateDir: {
    names: ["UNIFI_EDGE_STATE_DIR"],
    description: "Folder of the agent's key and journal, on a local disk",
    parse: text,
    default: "var/agent",
  },
  gatewayCaFile: {
    names: ["UNIFI_EDGE_CA_FILE"],
    description: "PEM file with the authority of the gateway's certificate, where that is not a public one",
    parse: text,
  },
  healthPort: {
    names: ["UNIFI_EDGE_HEALTH_PORT"],
    description: "Port of GET /health on loopback; 0 = none",
    parse: integer(0, 65_535),
    default: 0,
  },
  enabledCategories: {
    names: ["UNIFI_ENABLED_CATEGORIES"],
    description: "Only tools of these categories, comma-separated",
    parse: list,
    default: [] as readonly string[],
  },
  enabledTools: {
    names: ["UNIFI_ENABLED_TOOLS"],
    description: "Only these tools (and those of the enabled categories), comma-separated",
    parse: list,
    default: [] as readonly string[],
  },
  registrationMode: {
    names: ["UNIFI_TOOL_REGISTRATION_MODE"],
    description: "lazy, eager or meta_only (used by `unifi-edge local`)",
    parse: oneOf("lazy", "eager", "meta_only"),
    default: "lazy",
  },
  contentMode: {
    names: ["UNIFI_CONTENT_MODE"],
    description: "full, or adaptive: a short text beside structuredContent (used by `unifi-edge local`)",
    parse: oneOf("full", "adaptive"),
    default: "full",
  },
  callTimeoutSeconds: {
    names: ["UNIFI_EDGE_CALL_TIMEOUT_SECONDS"],
    description: "How long one call may take (used by `unifi-edge local`; elsewhere the gateway says)",
    parse: integer(1, 300),
    default: 30,
  },
  localToken: {
    names: ["UNIFI_EDGE_LOCAL_TOKEN"],
    description: "Bearer token that `unifi-edge local --http` asks for; needed on any address but loopback",
    parse: bearerToken,
    secret: true,
  },
  localHosts: {
    names: ["UNIFI_EDGE_LOCAL_HOSTS"],
    description: "Further names under which clients reach `unifi-edge local --http`, comma-separated, without port",
    parse: list,
    default: [] as readonly string[],
  },
  allowWrites: {
    names: ["UNIFI_ALLOW_WRITES"],
    description: "true lets the agent change things at all",
    parse: flag,
    default: false,
  },
  confirm: {
    names: ["UNIFI_CONFIRM"],
    description: "person, token, flag or off; default: token for deletes and the like, flag for other writes",
    parse: oneOf("default", "person", "token", "flag", "off"),
  },
  permissionMode: {
    names: ["UNIFI_TOOL_PERMISSION_MODE"],
    description: "The reference's name: confirm = UNIFI_CONFIRM=flag, bypass = UNIFI_CONFIRM=off",
    parse: oneOf("confirm", "bypass"),
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

/** A shorter one could be guessed by whoever reaches the port. */
const TOKEN_CHARACTERS = 20;
const CONFIRM_OF_MODE = { confirm: "flag", bypass: "off" } as const;
const GATE = /^UNIFI_POLICY_[A-Z0-9_]+$/;

type AgentValues = Omit<Values<typeof AGENT_SETTINGS>, "confirm" | "permissionMode" | "auditFile">;

export interface AgentConfig extends AgentValues {
  /** At least one; the first is meant where a call names none. */
  readonly consoles: readonly ConsoleConfig[];
  readonly confirm: "default" | "person" | "token" | "flag" | "off";
  /** Every UNIFI_POLICY_* variable as written: the gates themselves judge the values. */
  readonly gates: Readonly<Record<string, string>>;
  readonly auditFile: string;
}

/**
 * Throws CONFIG_INVALID naming every wrong value. `file` is the YAML file's path, if any. `mustEnrol` says of a state
 * folder whether its agent has no identity yet, and so needs a gateway and a token; `local` never does.
 */
export function readAgentConfig(
  environment: Environment,
  file?: string,
  mustEnrol: (stateDir: string) => boolean = () => false,
): AgentConfig {
  const problems: string[] = [];
  const path = file ?? environment.UNIFI_EDGE_CONFIG;
  const flat = path === undefined ? {} : readSettingsFile(path);
  const { confirm, permissionMode, ...values } = readSettings(AGENT_SETTINGS, environment, flat, problems);
  const consoles = readConsoles(environment, flat, path, problems);
  if (mustEnrol(values.stateDir)) problems.push(...enrolmentProblems(values));
  refuse(problems);
  return Object.freeze({
    ...values,
    consoles,
    confirm: confirm ?? (permissionMode === undefined ? "default" : CONFIRM_OF_MODE[permissionMode]),
    gates: gatesOf(environment, flat),
    auditFile: values.auditFile ?? resolve(values.stateDir, "audit.jsonl"),
  });
}

function enrolmentProblems({
  gatewayUrl,
  enrolmentToken,
}: Pick<AgentValues, "gatewayUrl" | "enrolmentToken">): readonly string[] {
  return [
    ...(gatewayUrl === undefined
      ? ["UNIFI_EDGE_GATEWAY is not set: the gateway's URL, needed at the first start"]
      : []),
    ...(enrolmentToken === undefined
      ? ["UNIFI_EDGE_TOKEN is not set: a one-time token, from the set-up page or `unifi-edge location token`"]
      : []),
  ];
}

/** The environment wins over the file, as everywhere. */
function gatesOf(environment: Environment, flat: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const written = [
    ...Object.entries(flat).map(([name, value]) => [name.toUpperCase(), value] as const),
    ...Object.entries(environment),
  ];
  const gates = written.flatMap(([name, value]) =>
    GATE.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  return Object.freeze(Object.fromEntries(gates));
}

function gatewayUrl(value: string): ReturnType<Parse<string>> {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const loopback = ["127.0.0.1", "localhost", "[::1]"].includes(url?.hostname ?? "");
  if (url?.protocol === "https:" || (url?.protocol === "http:" && loopback)) return value;
  throw new Error("must be an https URL such as https://edge.example.com (http is for loopback only)");
}

function bearerToken(value: string): string {
  if (value.length >= TOKEN_CHARACTERS && /^[\w.~+/=-]+$/.test(value)) return value;
  throw new Error(`must have at least ${TOKEN_CHARACTERS} characters, without spaces`);
}
