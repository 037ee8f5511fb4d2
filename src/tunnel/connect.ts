/** The agent's signed upgrade: one nonce, one proof, and a socket or the gateway's words of refusal. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type ClientOptions, WebSocket } from "ws";
import { EdgeError } from "../errors.ts";
import { keyThumbprint } from "./enrolment.ts";
import { HANDSHAKE_MS, MESSAGE_BYTES, MESSAGE_FRAGMENTS } from "./limits.ts";
import { connectUrl, makeConnectProof, NONCE_HEADER, type PrivateKey, SUBPROTOCOLS } from "./proof.ts";

export interface ConnectParts {
  readonly gatewayUrl: string;
  readonly agentId: string;
  readonly key: PrivateKey;
  /** PEM of the authority that signed the gateway's certificate, where that is not a public one. */
  readonly ca?: Buffer;
  readonly wallClock: () => number;
  readonly signal: AbortSignal;
}

export interface ConnectRefusal {
  readonly status: number;
  /** The gateway's own, empty where something else answered. */
  readonly words: string;
  readonly nonce?: string;
  readonly retryAfterMs?: number;
}

/** `stream` is what the WebSocket runs over. */
type Attempt = { readonly socket: WebSocket; readonly stream: Duplex } | { readonly refusal: ConnectRefusal };

const REFUSAL_BYTES = 16 * 1024;
const RETRY_AFTER_SECONDS = 3_600;

/** Asks without a nonce first; the 401 brings one. Throws AGENT_OFFLINE when no gateway answered. */
export async function connectToGateway(parts: ConnectParts): Promise<Attempt> {
  const first = await attempt(parts);
  if ("socket" in first || first.refusal.status !== 401 || first.refusal.nonce === undefined) return first;
  return attempt(parts, first.refusal.nonce);
}

/** `maxFragments` is newer than the type package. */
type SocketOptions = ClientOptions & { readonly maxFragments: number };

async function attempt(parts: ConnectParts, nonce?: string): Promise<Attempt> {
  const { gatewayUrl, agentId, key, ca, signal } = parts;
  const proof = await makeConnectProof(
    {
      agentId,
      thumbprint: await keyThumbprint(key),
      gatewayUrl,
      nowMs: parts.wallClock(),
      ...(nonce === undefined ? {} : { nonce }),
    },
    key,
  );
  signal.throwIfAborted();
  const url = connectUrl(gatewayUrl);
  url.protocol = url.protocol === "http:" ? "ws:" : "wss:";
  const options: SocketOptions = {
    headers: { authorization: `DPoP ${proof}` },
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MESSAGE_BYTES,
    maxFragments: MESSAGE_FRAGMENTS,
    perMessageDeflate: false,
    ...(ca === undefined ? {} : { ca }),
  };
  const socket = new WebSocket(url, [...SUBPROTOCOLS], options);
  const giveUp = () => socket.terminate();
  signal.addEventListener("abort", giveUp, { once: true });
  return new Promise<Attempt>((resolve, reject) => {
    // stays: terminate() after a refusal raises an error that is no news
    socket.on("error", (cause) => {
      reject(new EdgeError("AGENT_OFFLINE", `The gateway was not reached: ${cause.message}.`, { cause }));
    });
    socket.once("unexpected-response", (_request, response: IncomingMessage) => {
      readRefusal(response)
        .then((refusal) => resolve({ refusal }), reject)
        .finally(giveUp);
    });
    socket.once("upgrade", ({ socket: stream }: IncomingMessage) => {
      socket.once("open", () => resolve({ socket, stream }));
    });
  }).finally(() => signal.removeEventListener("abort", giveUp));
}

async function readRefusal(response: IncomingMessage): Promise<ConnectRefusal> {
  let text = "";
  for await (const part of response) {
    text += String(part);
    if (text.length > REFUSAL_BYTES) break;
  }
  const nonce = response.headers[NONCE_HEADER];
  const retryAfterSeconds = Number(response.headers["retry-after"]);
  return {
    status: response.statusCode ?? 0,
    words: wordsOf(text),
    ...(typeof nonce === "string" ? { nonce } : {}),
    ...(retryAfterSeconds > 0 ? { retryAfterMs: Math.min(retryAfterSeconds, RETRY_AFTER_SECONDS) * 1000 } : {}),
  };
}

/** A proxy's own page has no words that help. */
function wordsOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== "object" || body === null) return "";
    const { error, hint } = body as { error?: unknown; hint?: unknown };
    return [error, hint].filter((words) => typeof words === "string").join(" ");
  } catch {
    return "";
  }
}
