/** `unifi_api_call`: any path of the Network console's own site, for what no named tool does (design 3.3). */
import { Type } from "typebox";
import type { HttpMethod, Row } from "../../controller/controller.ts";
import { EdgeError } from "../../errors.ts";
import { invalid } from "../arguments.ts";
import { isRow } from "../rows.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import {
  type ApiPath,
  assertPlainQuery,
  checkApiPath,
  MAX_ENDPOINT_LENGTH,
  namesIntegrationSite,
} from "./api-call-path.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const satisfies readonly HttpMethod[];

interface Request {
  readonly method: HttpMethod;
  readonly path: string;
  /** Body of a write; undefined = none. */
  readonly body: unknown;
}

interface Arguments {
  readonly endpoint: string;
  readonly method?: string;
  readonly params?: Row | string;
}

async function requestOf({ network }: ToolContext, args: Arguments): Promise<Request> {
  const method = (args.method ?? "GET") as HttpMethod; // one of METHODS by the schema
  const params = paramsOf(args.params);
  const place = namesIntegrationSite(args.endpoint)
    ? { site: network.site, integrationSiteId: await network.integrationSiteId() }
    : { site: network.site };
  const checked = checkApiPath(args.endpoint, method, place);
  if (method === "GET") return { method, path: withQuery(checked, params), body: undefined };
  return { method, path: withQuery(checked, undefined), body: params };
}

/** An object (or list, for bodies), also as JSON text. */
function paramsOf(params: Row | string | undefined): unknown {
  if (params === undefined || params === "") return undefined;
  if (typeof params !== "string") return params;
  let value: unknown;
  try {
    value = JSON.parse(params);
  } catch {
    throw invalid("params is text that is not JSON.");
  }
  if (isRow(value) || Array.isArray(value)) return value;
  throw invalid("params must be a JSON object.");
}

/** The parameters of a GET are its query; lists repeat their name. */
function withQuery({ path, query }: ApiPath, params: unknown): string {
  if (Array.isArray(params)) throw invalid("The params of a GET must be an object.");
  const given = Object.entries(isRow(params) ? params : {}).flatMap(([name, value]) => queryPairs(name, value));
  assertPlainQuery(given);
  const search = new URLSearchParams();
  for (const [name, value] of [...query, ...given]) search.append(name, value);
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

function queryPairs(name: string, value: unknown): readonly (readonly [string, string])[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (items.some((item) => typeof item === "object")) {
    throw invalid("The params of a GET are texts, numbers and true or false.");
  }
  return items.map((item) => [name, String(item)] as const);
}

const OUTPUT = {
  site: Type.Optional(Type.String()),
  method: Type.Optional(Type.String()),
  path: Type.Optional(Type.String()),
  data: Type.Optional(Type.Unknown()),
};

export default [
  defineTool({
    name: "unifi_api_call",
    title: "Call the console's API",
    summary: "Call a Network API path that no other tool covers.",
    asks: [
      "call the api directly",
      "raw api request",
      "an endpoint without a tool",
      "custom rest call",
      "send a get to the controller",
      "something no tool covers",
      "undocumented endpoint",
      "query the console by path",
    ],
    description:
      "Calls a path of the Network console that no named tool covers (resource unifi://api-reference lists them). GET reads; any other method is a write that is previewed first and needs the preview's confirm_token. Prefer a named tool: it checks its fields and reads the result back.",
    app: "network",
    category: "api_call",
    permission: { category: "api_call", action: "delete" },
    annotations: { idempotentHint: false, destructiveHint: true },
    confirm: "token",
    classedBy: { argument: "method", read: ["GET"] },
    input: {
      endpoint: Type.String({
        description: "Path, e.g. /api/s/{site}/stat/sta; {site} stands for the call's site",
        minLength: 1,
        maxLength: MAX_ENDPOINT_LENGTH,
      }),
      method: Type.Optional(
        Type.Enum([...METHODS], { type: "string", description: "GET reads, the others write", default: "GET" }),
      ),
      params: Type.Optional(
        Type.Unsafe<Row | string>({
          type: ["object", "string"],
          description: "Query of a GET, body of any other method: an object or its JSON text",
        }),
      ),
    },
    output: OUTPUT,
    aliases: { path: "endpoint", url: "endpoint", body: "params", data: "params", parameters: "params" },
    reads: [],
    async run(context, args) {
      const { method, path } = await requestOf(context, args);
      if (method !== "GET") throw new EdgeError("INTERNAL", "A write of unifi_api_call came as a read.");
      return { site: context.network.site, method, path, data: await context.network.raw("GET", path) };
    },
    async plan(context, args) {
      const { method, path, body } = await requestOf(context, args);
      if (method === "GET") throw new EdgeError("INTERNAL", "A read of unifi_api_call came as a write.");
      const proposed = { method, path, ...(body === undefined ? {} : { body }) };
      return {
        action: "command",
        resourceType: "api_call",
        resourceId: `${method} ${path}`,
        proposed,
        warnings: ["The body goes to the console as it stands: no field is checked and nothing is read back."],
        async apply() {
          return { method, path, data: await context.network.raw(method, path, body) };
        },
      };
    },
  }),
];
