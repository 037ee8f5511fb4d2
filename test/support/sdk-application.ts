/** An application around either SDK client that knows nothing but a URL: the SDK signs in, a scripted person agrees. */
import { EventEmitter, once } from "node:events";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Choice, Person } from "../../src/cli/demo/person.ts";
import type { Answer } from "./world.ts";

export type Flavour = "v1" | "v2 auto" | "v2 legacy";
export const FLAVOURS: readonly Flavour[] = ["v1", "v2 auto", "v2 legacy"];

/** Where a desktop client would listen; the scripted person reads the code from the address itself. */
const REDIRECT_URL = "http://127.0.0.1:33418/callback";

export interface Tokens {
  access_token: string;
  readonly refresh_token?: string;
  readonly scope?: string;
}

/** What both SDKs' clients have in common. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<{
    content: { type: string; text: string }[];
    isError?: boolean;
  }>;
  close(): Promise<void>;
}

interface AnyTransport {
  finishAuth(code: string): Promise<void>;
  readonly sessionId?: string | undefined;
}

export interface Application {
  readonly client: AnyClient;
  /** What the SDK stored after the last sign-in or refresh. */
  tokens(): Tokens;
  /** The 2025 era's session; undefined in the newer one. */
  sessionId(): string | undefined;
  /** How often a person was sent to the sign-in pages. */
  askedPeople(): number;
  /** How often the tool list was announced as changed, and the next time. */
  changes(): number;
  nextChange(): Promise<void>;
  /** Runs a meta-tool and reads its JSON, failures included. */
  call(name: string, args: Record<string, unknown>): Promise<Answer>;
  /** The person goes through the pages to which the client has just sent them. */
  agree(choice: Choice): Promise<void>;
}

/** Connects from a bare 401 and leaves the rest to the SDK. */
export async function openApplication(
  flavour: Flavour,
  url: URL,
  person: Person,
  choice: Choice,
): Promise<Application> {
  const kept = createKeychain();
  const notices = new EventEmitter();
  let changes = 0;
  const announce = () => {
    changes += 1;
    notices.emit("changed");
  };
  const make = () =>
    flavour === "v1" ? madeOfV1(url, kept.provider, announce) : madeOfV2(flavour, url, kept.provider, announce);

  const first = make();
  const refusal = await first.connect().then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!isUnauthorized(refusal)) throw refusal ?? new Error("The client was let in without a token.");
  await agreeWith(first.transport);
  const { client, transport, connect } = make();
  await connect();

  async function agreeWith(of: AnyTransport, answer = choice): Promise<void> {
    const back = await person.allow(new URL(String(kept.stored.get("sentTo"))), answer);
    // the newer SDK takes the whole query, to compare the issuer (RFC 9207)
    const code = flavour === "v1" ? (back.searchParams.get("code") ?? "") : (back.searchParams as unknown as string);
    await of.finishAuth(code);
  }

  return {
    client,
    tokens: () => kept.stored.get("tokens") as Tokens, // stored by the SDK
    sessionId: () => transport.sessionId,
    askedPeople: () => kept.asked(),
    changes: () => changes,
    nextChange: async () => void (await once(notices, "changed")),
    async call(name, args) {
      const { content } = await client.callTool({ name, arguments: args });
      return JSON.parse(content[0]?.text ?? "null");
    },
    agree: (answer) => agreeWith(transport, answer),
  };
}

export function isUnauthorized(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === "UnauthorizedError";
}

/** Both SDKs ask for the same members; their types differ. */
function createKeychain() {
  const stored = new Map<string, unknown>();
  let asked = 0;
  const keep = (name: string) => ({
    [name]: () => stored.get(name),
    [`save${name[0]?.toUpperCase()}${name.slice(1)}`]: (value: unknown) => void stored.set(name, value),
  });
  const provider = {
    redirectUrl: REDIRECT_URL,
    clientMetadata: {
      client_name: "An SDK application",
      redirect_uris: [REDIRECT_URL],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    ...keep("clientInformation"),
    ...keep("tokens"),
    ...keep("codeVerifier"),
    ...keep("discoveryState"),
    redirectToAuthorization(to: URL) {
      asked += 1;
      stored.set("sentTo", to.href);
    },
  };
  return { stored, provider, asked: () => asked };
}

interface Made {
  readonly client: AnyClient;
  readonly transport: AnyTransport;
  connect(): Promise<void>;
}

function madeOfV1(url: URL, authProvider: object, announce: () => void): Made {
  const client = new ClientV1({ name: "e2e-v1", version: "1" });
  client.setNotificationHandler(ToolListChangedNotificationSchema, announce);
  const transport = new TransportV1(url, { authProvider } as ConstructorParameters<typeof TransportV1>[1]);
  return {
    client: client as unknown as AnyClient,
    transport,
    // exactOptionalPropertyTypes: the SDK's own transport lacks `| undefined` on its sessionId
    connect: () => client.connect(transport as unknown as Parameters<typeof client.connect>[0]),
  };
}

function madeOfV2(flavour: Flavour, url: URL, authProvider: object, announce: () => void): Made {
  const client = new ClientV2(
    { name: "e2e-v2", version: "1" },
    {
      versionNegotiation: { mode: flavour === "v2 auto" ? "auto" : "legacy" },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: announce } },
    },
  );
  const transport = new TransportV2(url, { authProvider } as ConstructorParameters<typeof TransportV2>[1]);
  return {
    client: client as unknown as AnyClient,
    transport: transport as unknown as AnyTransport,
    connect: () => client.connect(transport),
  };
}
