/** A real MCP client that knows nothing but a URL: discovery, registration, sign-in and tokens are the SDK's own work. */
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { Choice, Person } from "./person.ts";

/** Where a desktop client would listen; the scripted person reads the code from the address itself. */
const REDIRECT_URL = "http://127.0.0.1:33418/callback";

export interface DemoClient {
  readonly client: Client;
  /** Runs a request; where the gateway asks for more rights, the person is asked and the request sent again. */
  steppingUp<T>(request: () => Promise<T>, choice: Choice): Promise<T>;
  /** Bearer token, to show how curl would do it. */
  accessToken(): string;
  close(): Promise<void>;
}

/** Connects from a bare 401: the person is asked when the client wants a browser. */
export async function connectClient(url: URL, person: Person, choice: Choice): Promise<DemoClient> {
  const provider = createProvider();
  const connect = async () => {
    const client = new Client({ name: "demo-tour", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
    const transport = new StreamableHTTPClientTransport(url, { authProvider: provider });
    return { client, transport, connected: client.connect(transport) };
  };
  const asked = async (error: unknown, transport: StreamableHTTPClientTransport, answer: Choice) => {
    if (!(error instanceof UnauthorizedError)) throw error;
    const back = await person.allow(provider.authorizationUrl(), answer);
    await transport.finishAuth(back.searchParams);
  };
  const first = await connect();
  await first.connected.catch((error: unknown) => asked(error, first.transport, choice));
  const { client, transport, connected } = await connect();
  await connected;
  return {
    client,
    async steppingUp(request, more) {
      try {
        return await request();
      } catch (error) {
        await asked(error, transport, more);
        return request();
      }
    },
    accessToken: () => provider.accessToken(),
    close: () => client.close(),
  };
}

/** Keeps what the SDK learns, as a desktop client would keep it in its key chain. */
function createProvider(): OAuthClientProvider & { authorizationUrl(): URL; accessToken(): string } {
  type Provider = Required<OAuthClientProvider>;
  const kept: {
    url?: URL;
    verifier?: string;
    tokens?: Parameters<Provider["saveTokens"]>[0];
    information?: Parameters<Provider["saveClientInformation"]>[0];
    discovery?: Parameters<Provider["saveDiscoveryState"]>[0];
  } = {};
  return {
    redirectUrl: REDIRECT_URL,
    clientMetadata: {
      client_name: "Demo tour",
      redirect_uris: [REDIRECT_URL],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => kept.information,
    saveClientInformation(information) {
      kept.information = information;
    },
    tokens: () => kept.tokens,
    saveTokens(tokens) {
      kept.tokens = tokens;
    },
    redirectToAuthorization(url) {
      kept.url = url;
    },
    saveCodeVerifier(verifier) {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier ?? "",
    discoveryState: () => kept.discovery,
    saveDiscoveryState(state) {
      kept.discovery = state;
    },
    authorizationUrl: () => kept.url ?? new URL("about:blank"),
    accessToken: () => kept.tokens?.access_token ?? "",
  };
}
