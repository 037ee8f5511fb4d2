/** Asks the running gateway, over its administration socket or at its administration address; all such commands go through here. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Command, Option } from "commander";
import Type, { type Static, type TSchema } from "typebox";
import { Check } from "typebox/value";
import { Client } from "undici";
import { ADMIN_PREFIX, EnrolmentAnswer, LocationAnswer, OrganisationAnswer } from "../admin/answers.ts";
import { EdgeError, ERRORS, type ErrorCode } from "../errors.ts";

export type AdminMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface AdminClient {
  /** `path` after the prefix; its parts are already encoded by `pathOf`. Throws the gateway's own EdgeError. */
  ask<Schema extends TSchema>(
    method: AdminMethod,
    path: string,
    answer: Schema,
    body?: object,
  ): Promise<Static<Schema>>;
}

/** Longer than the gateway may take to hash a password while others sign in. */
const ANSWER_TIMEOUT_MS = 15_000;

/** One minute in all. */
const ONLINE_QUESTION_EVERY_MS = 100;
const ONLINE_QUESTIONS = 600;

const Failure = Type.Object({ error: Type.String(), code: Type.String(), hint: Type.Optional(Type.String()) });

export interface OpenAdmin extends AdminClient {
  /** A location with an enrolment token. */
  addLocation(org: string, name: string): Promise<{ readonly id: string; readonly token: string }>;
  /** Resolves once so many of the organisation's locations are online; throws AGENT_OFFLINE after a minute. */
  untilOnline(org: string, count: number): Promise<void>;
  close(): Promise<void>;
}

export interface GatewayOptions {
  readonly socket?: string;
  readonly url?: string;
}

export function addGatewayOptions(command: Command): Command {
  return command
    .addOption(new Option("--socket <path>", "the gateway's admin socket").env("UNIFI_EDGE_ADMIN_SOCKET"))
    .option("--url <url>", "its admin address instead; the token comes from UNIFI_EDGE_ADMIN_TOKEN(_FILE)");
}

/** Runs `work` with a client and closes it. What is said on the command line counts before the environment. */
export async function withAdmin<Result>(
  given: GatewayOptions,
  work: (client: AdminClient) => Promise<Result>,
): Promise<Result> {
  const url = given.url ?? (given.socket === undefined ? process.env.UNIFI_EDGE_ADMIN_URL : undefined);
  const socket = given.socket ?? join(process.env.UNIFI_EDGE_STATE_DIR ?? "var", "admin.sock");
  const client = url === undefined ? openAdmin(socket) : openRemoteAdmin(url, readAdminToken(process.env));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** For a program that asks several times; `close` ends it. */
export function openAdmin(socketPath: string): OpenAdmin {
  return openWith({
    client: new Client("http://localhost", { ...TIMEOUTS, socketPath }),
    headers: {},
    unreachable: (cause) => socketUnreachable(socketPath, cause),
  });
}

/** `token` is an administration token. Throws ARGUMENTS_INVALID for an address that would send it in the clear. */
export function openRemoteAdmin(url: string, token: string): OpenAdmin {
  const { origin } = checkedUrl(url);
  const ca = process.env.UNIFI_EDGE_CA_FILE || undefined; // blank counts as unset
  return openWith({
    client: new Client(origin, {
      ...TIMEOUTS,
      ...(ca === undefined ? {} : { connect: { ca: readFileSync(ca, "utf8") } }),
    }),
    headers: { authorization: `Bearer ${token}` },
    unreachable: (cause) => addressUnreachable(origin, cause),
  });
}

function checkedUrl(text: string): URL {
  const url = URL.parse(text);
  const loopback = ["127.0.0.1", "localhost", "[::1]"].includes(url?.hostname ?? "");
  if (url && (url.protocol === "https:" || (url.protocol === "http:" && loopback))) return url;
  throw new EdgeError(
    "ARGUMENTS_INVALID",
    `--url must be an https address (http on loopback only), not "${text.slice(0, 80)}".`,
  );
}

function readAdminToken(environment: Readonly<Record<string, string | undefined>>): string {
  const file = environment.UNIFI_EDGE_ADMIN_TOKEN_FILE;
  const token = environment.UNIFI_EDGE_ADMIN_TOKEN?.trim() || (file ? readFileSync(file, "utf8").trim() : "");
  if (token !== "") return token;
  throw new EdgeError("ARGUMENTS_INVALID", "An administration token is needed for --url.", {
    hint: "Set UNIFI_EDGE_ADMIN_TOKEN or UNIFI_EDGE_ADMIN_TOKEN_FILE; `unifi-edge token admin issue` on the gateway's machine makes one.",
  });
}

/** How one gateway is asked. */
interface Way {
  readonly client: Client;
  readonly headers: Readonly<Record<string, string>>;
  readonly unreachable: (cause: unknown) => EdgeError;
}

const TIMEOUTS = { headersTimeout: ANSWER_TIMEOUT_MS, bodyTimeout: ANSWER_TIMEOUT_MS } as const;

function openWith(way: Way): OpenAdmin {
  const client: AdminClient = { ask: (...question) => ask(way, ...question) };
  return {
    ...client,
    addLocation: async (org, name) => {
      const { id } = await client.ask("POST", pathOf("organisations", org, "locations"), LocationAnswer, { name });
      const tokens = pathOf("organisations", org, "locations", id, "enrolment-tokens");
      return { id, token: (await client.ask("POST", tokens, EnrolmentAnswer, {})).token };
    },
    untilOnline: (org, count) => untilOnline(client, org, count),
    close: () => way.client.destroy(),
  };
}

async function untilOnline(client: AdminClient, org: string, count: number): Promise<void> {
  for (let asked = 0; asked < ONLINE_QUESTIONS; asked += 1) {
    const path = pathOf("organisations", org, "locations");
    const locations = await client.ask("GET", path, Type.Array(LocationAnswer));
    if (locations.filter(({ status }) => status === "online").length >= count) return;
    await delay(ONLINE_QUESTION_EVERY_MS);
  }
  throw new EdgeError("AGENT_OFFLINE", `Fewer than ${count} locations of ${org} came online.`);
}

/** `/organisations/acme/locations`, from its parts. */
export function pathOf(...parts: readonly string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

/** The organisation that was named, or the only one there is. */
export async function chooseOrganisation(client: AdminClient, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const organisations = await client.ask("GET", "/organisations", Type.Array(OrganisationAnswer));
  const [only] = organisations;
  if (only === undefined) {
    throw new EdgeError("ARGUMENTS_INVALID", "There is no organisation yet.", {
      hint: "Add one: unifi-edge org add <name>",
    });
  }
  if (organisations.length === 1) return only.id;
  throw new EdgeError("ARGUMENTS_INVALID", "There are several organisations; say which with --org.", {
    hint: `One of: ${organisations.map(({ id }) => id).join(", ")}`,
  });
}

async function ask<Schema extends TSchema>(
  { client, headers, unreachable }: Way,
  method: AdminMethod,
  path: string,
  answer: Schema,
  body?: object,
): Promise<Static<Schema>> {
  const response = await client
    .request({
      method,
      path: `${ADMIN_PREFIX}${path}`,
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    .catch((cause: unknown) => {
      throw unreachable(cause);
    });
  const value: unknown = await response.body.json().catch(() => undefined);
  if (Check(answer, value)) return value as Static<Schema>; // just checked
  throw refusal(value);
}

function refusal(value: unknown): EdgeError {
  if (!Check(Failure, value)) {
    return new EdgeError("GATEWAY_UNREACHABLE", "The gateway's answer was not understood.", {
      hint: "Use the unifi-edge of the same version as the gateway.",
    });
  }
  const { error, code, hint } = value;
  const known: ErrorCode = code in ERRORS ? (code as ErrorCode) : "INTERNAL";
  return new EdgeError(known, error, hint === undefined ? {} : { hint });
}

function socketUnreachable(socket: string, cause: unknown): EdgeError {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (code === "EACCES") {
    return new EdgeError("GATEWAY_UNREACHABLE", `The admin socket ${socket} belongs to another user.`, {
      hint: "Run this command as the user that runs the gateway.",
      cause,
    });
  }
  return new EdgeError("GATEWAY_UNREACHABLE", `The gateway is not running: nothing answers at ${socket}.`, {
    hint: "Start it with `unifi-edge gateway`, or say where its socket is: --socket or UNIFI_EDGE_ADMIN_SOCKET.",
    cause,
  });
}

function addressUnreachable(origin: string, cause: unknown): EdgeError {
  const why = cause instanceof Error ? cause.message : "unknown fault";
  return new EdgeError("GATEWAY_UNREACHABLE", `The administration API at ${origin} was not reached: ${why}.`, {
    hint: "The gateway serves it where UNIFI_EDGE_ADMIN_LISTEN says. For a private authority set UNIFI_EDGE_CA_FILE.",
    cause,
  });
}
