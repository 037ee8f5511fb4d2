/** Requests to `/mcp` byte by byte, for what no client would send. */
import { once } from "node:events";
import { request } from "node:http";
import type { Answer } from "./world.ts";

/** Well formed, and signed by nobody whom we know. */
export const FOREIGN_JWT = [
  { alg: "ES256", typ: "at+jwt", kid: "other" },
  { iss: "https://other.example", aud: "https://other.example/mcp", sub: "eve" },
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .concat(Buffer.alloc(64).toString("base64url"))
  .join(".");

const ENVELOPE =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
/** `tools/list` of the newer era. */
export const LIST = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${ENVELOPE}}}`;

/** `unifi_execute` with exactly these arguments, as JSON text. */
export const callRequest = (args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"unifi_execute","arguments":${args},${ENVELOPE}}}`;

/** Well formed, and nested so many levels. */
export function deepRequest(levels: number): string {
  return callRequest(`{"tool":"unifi_list_clients","arguments":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`);
}

/** One POST of the newer era with exactly this body. `name` is the tool called, if any. */
export async function post(
  url: URL,
  body: string,
  headers: Record<string, string | undefined>,
  name?: string,
): Promise<Answer> {
  const given = Object.entries({
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": name === undefined ? "tools/list" : "tools/call",
    "mcp-name": name,
    ...headers,
  }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await fetch(url, { method: "POST", headers: given, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

/** Announces a body and sends none of it: an answer can only come from who did not wait for it. */
export async function announce(url: URL, token: string, bytes: number): Promise<Answer> {
  const sent = request(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}`, "content-length": bytes },
  });
  sent.flushHeaders();
  const [response] = await once(sent, "response");
  let text = "";
  for await (const chunk of response) text += String(chunk);
  sent.destroy();
  return { status: response.statusCode, json: JSON.parse(text) };
}
