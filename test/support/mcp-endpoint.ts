/** The MCP server on a bare node:http server, as a gateway would mount it, with a fake behind it. */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { createCatalog } from "../../src/catalog/catalog.ts";
import type { Manifest } from "../../src/catalog/manifest.ts";
import { SELECT_ALL } from "../../src/catalog/selection.ts";
import type { LoadedTools } from "../../src/mcp/execution.ts";
import { createMcpServer, type McpServer, type McpServerOptions } from "../../src/mcp/server.ts";
import { SYSTEM_TIMERS } from "../../src/mcp/timers.ts";
import type { Principal } from "../../src/principal.ts";
import { type FakeExecution, fakeExecution, fakeLoadedTools, principal } from "./fake-execution.ts";
import { MANIFEST_FIXTURE } from "./manifest-fixture.ts";

export interface Endpoint {
  readonly url: URL;
  readonly mcp: McpServer;
  readonly execution: FakeExecution;
  readonly loaded: LoadedTools;
  /** Everything that was logged as an error. */
  readonly errors: { readonly details: object; readonly message: string }[];
  /** `body` as a value, or as the JSON text of one. */
  post(body: unknown, headers?: Readonly<Record<string, string>>, path?: string): Promise<Response>;
}

export interface EndpointOptions extends Partial<McpServerOptions> {
  readonly manifest?: Manifest;
  /** Who the bearer token is; `Bearer bob` and so on. Default: ann, for every request. */
  readonly who?: (token: string | undefined) => Principal;
}

export async function mcpEndpoint(t: TestContext, options: EndpointOptions = {}): Promise<Endpoint> {
  const execution = (options.execution as FakeExecution | undefined) ?? fakeExecution();
  const loaded = options.loaded ?? fakeLoadedTools();
  const errors: { details: object; message: string }[] = [];
  const { manifest = MANIFEST_FIXTURE, who = () => ann, ...over } = options;
  const mcp = createMcpServer({
    catalog: createCatalog(manifest),
    selection: SELECT_ALL,
    defaultMode: "lazy",
    contentMode: "full",
    flavour: "gateway",
    name: "unifi-mcp-edge",
    title: "UniFi MCP Edge",
    version: "0.0.0",
    sessionSecret: Buffer.alloc(32, 7),
    random: randomBytes,
    timers: SYSTEM_TIMERS,
    log: { error: (details, message) => errors.push({ details, message }), debug: () => {} },
    ...over,
    execution,
    loaded,
  });
  const server = createServer((req, res) => {
    void readBody(req).then((body) => {
      const { searchParams } = new URL(req.url ?? "/", "http://localhost");
      const query = Object.fromEntries(searchParams) as { mode?: string; apps?: string; readonly?: string };
      return mcp.handle({ req, res, body, principal: who(req.headers.authorization?.slice("Bearer ".length)), query });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(async () => {
    mcp.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);

  return {
    url,
    mcp,
    execution,
    loaded,
    errors,
    post: (body, headers = {}, path = "") =>
      fetch(new URL(path === "" ? url : `${url.href}${path}`), {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
  };
}

const ann = principal();

async function readBody(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

/** A request of the 2026-07-28 era: envelope and headers as the specification wants them. */
export function modernRequest(method: string, params: Readonly<Record<string, unknown>> = {}, id: string | number = 1) {
  const name = params.name ?? params.uri;
  return {
    body: {
      jsonrpc: "2.0",
      id,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
          ...(params._meta as object | undefined),
        },
      },
    },
    headers: {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
    } as Record<string, string>,
  };
}
