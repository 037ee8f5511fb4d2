/** A small manifest with one tool of every kind that the catalogue and the MCP server tell apart. */
import type { JsonSchema, Manifest, ManifestTool, ToolAnnotations } from "../../src/catalog/manifest.ts";

const READ: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const WRITE: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
const DESTRUCTIVE: ToolAnnotations = { ...WRITE, destructiveHint: true, idempotentHint: true };

const CONFIRMATION = { confirm: { type: "boolean" }, confirm_token: { type: "string" } };

/** The input schema of `tools/tool.ts`: closed objects of described properties. */
export function inputOf(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

type Facts = Pick<ManifestTool, "name" | "summary"> & Partial<ManifestTool> & { readonly input?: JsonSchema };

/** A tool of the network app, `read` unless said otherwise. */
export function manifestTool({ input = inputOf({}), ...facts }: Facts): ManifestTool {
  return {
    title: facts.summary,
    description: `${facts.summary}. For tests.`,
    app: "network",
    category: "clients",
    permission_category: "clients",
    permission_action: "read",
    annotations: READ,
    confirm: "none",
    schema: {
      input,
      output: { type: "object", properties: { success: { type: "boolean" } }, required: ["success"] },
    },
    ...facts,
  };
}

const TOOLS: readonly ManifestTool[] = [
  manifestTool({
    name: "unifi_list_clients",
    summary: "List connected clients",
    input: inputOf({
      limit: { type: "integer", minimum: 1, maximum: 1000 },
      fields: { type: "array", items: { type: "string" } },
    }),
    aliases: { max: "limit" },
  }),
  manifestTool({
    name: "unifi_block_client",
    summary: "Block a client from the network",
    permission_action: "update",
    annotations: WRITE,
    confirm: "flag",
    macs: ["mac"],
    input: inputOf({ mac: { type: "string" }, ...CONFIRMATION }, ["mac"]),
  }),
  manifestTool({
    name: "unifi_list_dns_records",
    summary: "List DNS records",
    category: "dns",
    permission_category: "dns",
    aliases: { name: "key" },
    input: inputOf({ key: { type: "string" } }),
  }),
  manifestTool({
    name: "unifi_create_dns_record",
    summary: "Create a DNS record",
    category: "dns",
    permission_category: "dns",
    permission_action: "create",
    annotations: WRITE,
    confirm: "flag",
    aliases: { name: "key" },
    input: inputOf(
      {
        key: { type: "string", minLength: 1 },
        record_type: { type: "string", enum: ["A", "AAAA", "CNAME"] },
        value: { type: "string" },
        options: { type: "object", properties: { ttl: { type: "integer" } }, additionalProperties: false },
        ...CONFIRMATION,
      },
      ["key", "value"],
    ),
  }),
  manifestTool({
    name: "unifi_delete_dns_record",
    summary: "Delete a DNS record",
    category: "dns",
    permission_category: "dns",
    permission_action: "delete",
    annotations: DESTRUCTIVE,
    confirm: "token",
    input: inputOf({ record_id: { type: "string" }, ...CONFIRMATION }, ["record_id"]),
  }),
  manifestTool({
    name: "unifi_reboot_device",
    summary: "Restart a device",
    category: "devices",
    permission_category: "devices",
    permission_action: "update",
    annotations: DESTRUCTIVE,
    confirm: "token",
    macs: ["macs"],
    input: inputOf({ macs: { type: "array", items: { type: "string" } }, ...CONFIRMATION }, ["macs"]),
  }),
  manifestTool({
    name: "unifi_api_call",
    summary: "Call a console API path",
    category: "system",
    permission_category: "api_calls",
    permission_action: "update",
    classed_by: { argument: "method", read: ["GET"] },
    annotations: DESTRUCTIVE,
    confirm: "token",
    input: inputOf(
      { endpoint: { type: "string" }, method: { type: "string", default: "GET" }, params: { type: "object" } },
      ["endpoint"],
    ),
  }),
];

export const MANIFEST_FIXTURE: Manifest = {
  format: 1,
  generated_by: "test",
  count: TOOLS.length,
  reference: {
    network: [
      {
        method: "GET",
        path: "/proxy/network/v2/api/site/{site}/static-dns",
        purpose: "DNS records",
        tools: ["unifi_list_dns_records"],
      },
    ],
  },
  tools: TOOLS,
};
