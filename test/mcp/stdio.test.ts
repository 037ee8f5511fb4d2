/** `unifi-edge local` over stdio: both eras on a pair of streams, list_changed included. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { type JSONRPCMessage, ReadBuffer, type Transport } from "@modelcontextprotocol/server";
import { principal } from "../support/fake-execution.ts";
import { mcpEndpoint } from "../support/mcp-endpoint.ts";

/** The client's end of two pipes. */
function pipeTransport(input: PassThrough, output: PassThrough): Transport {
  const buffer = new ReadBuffer();
  const transport: Transport = {
    async start() {
      input.on("data", (chunk: Buffer) => {
        buffer.append(chunk);
        for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage())
          transport.onmessage?.(message);
      });
    },
    async send(message: JSONRPCMessage) {
      output.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      output.end();
      transport.onclose?.();
    },
  };
  return transport;
}

for (const mode of ["auto", "legacy"] as const) {
  test(`a client in ${mode} mode lists, executes, loads and is told over stdio`, async (t) => {
    const { mcp, execution, errors } = await mcpEndpoint(t, { flavour: "local" });
    const toServer = new PassThrough();
    const toClient = new PassThrough();
    const stop = mcp.stdio({ input: toServer, output: toClient }, principal());
    t.after(stop);
    const port = new PassThrough();
    const client = new ClientV2(
      { name: "stdio", version: "1" },
      {
        versionNegotiation: { mode },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void port.emit("changed") } },
      },
    );
    await client.connect(pipeTransport(toClient, toServer));
    t.after(() => client.close());

    const before = await client.listTools();
    const ran = await client.callTool({
      name: "unifi_execute",
      arguments: { tool: "unifi_list_clients", site: "lab" },
    });
    const told = once(port, "changed");
    await client.callTool({ name: "unifi_load_tools", arguments: { tools: ["unifi_list_clients"] } });
    await told;
    const after = await client.listTools();

    assert.equal(client.getNegotiatedProtocolVersion(), mode === "auto" ? "2026-07-28" : "2025-11-25");
    assert.equal(before.tools.length, 5);
    assert.equal(ran.isError, undefined);
    assert.deepEqual(execution.asked, [{ tool: "unifi_list_clients", arguments: {}, site: "lab" }]);
    assert.equal(after.tools.at(-1)?.name, "unifi_list_clients");
    assert.deepEqual(errors, []);
  });
}
