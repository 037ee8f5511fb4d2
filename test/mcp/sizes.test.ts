/** What the packaged catalogue costs a model's context, counted on the HTTP body. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadManifest } from "../../src/catalog/load.ts";
import { mcpEndpoint, modernRequest } from "../support/mcp-endpoint.ts";

const manifest = loadManifest(new URL("../../tools_manifest.json", import.meta.url));
const MAX_LAZY_LIST_BYTES = 4096;
const MAX_INDEX_BYTES_PER_TOOL = 111;

test("a lazy tools/list is at most 4 KB", async (t) => {
  const endpoint = await mcpEndpoint(t, { manifest, version: "10.10.10" });
  const { body, headers } = modernRequest("tools/list");

  const bytes = Buffer.byteLength(await (await endpoint.post(body, headers)).text());

  assert.ok(bytes <= MAX_LAZY_LIST_BYTES, `${bytes} bytes`);
});

test("the compact index costs less than 111 bytes a tool", async (t) => {
  const endpoint = await mcpEndpoint(t, { manifest });
  const { body, headers } = modernRequest("tools/call", { name: "unifi_tool_index" });

  const bytes = Buffer.byteLength(await (await endpoint.post(body, headers)).text());

  assert.ok(bytes / manifest.count < MAX_INDEX_BYTES_PER_TOOL, `${bytes / manifest.count} bytes a tool`);
});

test("every packaged tool can be listed, and its schema compiles at the first call", async (t) => {
  const endpoint = await mcpEndpoint(t, { manifest });
  const { body, headers } = modernRequest("tools/list");

  const answer = (await (await endpoint.post(body, headers, "?mode=eager")).json()) as {
    result: { tools: { name: string }[] };
  };
  const names = answer.result.tools.map(({ name }) => name);
  const codes = await Promise.all(
    manifest.tools.map(async (tool) => {
      const call = modernRequest("tools/call", {
        name: "unifi_execute",
        arguments: { tool: tool.name, arguments: { no_such_argument: 1 } },
      });
      const { result } = (await (await endpoint.post(call.body, call.headers)).json()) as {
        result: { content: { text: string }[] };
      };
      return JSON.parse(result.content[0]?.text ?? "").code;
    }),
  );

  for (const tool of manifest.tools) assert.ok(names.includes(tool.name));
  assert.deepEqual(new Set(codes), new Set(["ARGUMENTS_INVALID"]));
  assert.deepEqual(endpoint.errors, []);
});
