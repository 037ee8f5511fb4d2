/** Writes answers to a node:http response; `delivered` runs once the socket has taken all of it. */
import type { ServerResponse } from "node:http";

const JSON_TYPE = "application/json";

/** One JSON body, with its length, in one write. */
export function sendJson(
  res: ServerResponse,
  status: number,
  body: Buffer | string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  res.writeHead(status, { "Content-Type": JSON_TYPE, "Content-Length": bytes.byteLength, ...headers });
  res.end(bytes);
}

/** Node writes a one-byte string of up to 16 KiB, response head included, from the stack in one plain system call. */
const ONE_WRITE_BYTES = 15 * 1024;

/**
 * A 200 made of pieces. A small one leaves as one string together with the response's head, which costs half of what
 * writing a gathered list of buffers does; a large one is not copied.
 */
export function sendJsonPieces(res: ServerResponse, pieces: readonly Buffer[]): void {
  const bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  res.writeHead(200, { "Content-Type": JSON_TYPE, "Content-Length": bytes });
  if (bytes <= ONE_WRITE_BYTES) {
    // latin1 both ways: each byte is a character and a byte again, whatever it means in UTF-8
    let text = "";
    for (const piece of pieces) text += piece.toString("latin1");
    res.end(text, "latin1");
    return;
  }
  res.cork();
  for (const piece of pieces) res.write(piece);
  res.end();
}

export function sendEmpty(res: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): void {
  res.writeHead(status, { "Content-Length": 0, ...headers });
  res.end();
}

/** Runs when the whole answer was handed to the socket; never when the client left before. */
export function whenTaken(res: ServerResponse, delivered: (() => void) | undefined): void {
  if (delivered !== undefined) res.once("finish", delivered);
}

/** Aborts when the client closes before it has the answer. */
export function abortOnClose(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (res.destroyed && !res.writableFinished) controller.abort();
  res.once("close", () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}

export interface EventStream {
  /** One message, as the JSON text of it. Dropped when the client is gone. */
  send(message: string): void;
  end(): void;
}

export const KEEP_ALIVE_MS = 15_000;
/** A client that reads nothing is let go rather than buffered for. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** Server-sent events with comment keep-alives; `every` returns its canceller. */
export function openEventStream(
  res: ServerResponse,
  every: (intervalMs: number, run: () => void) => () => void,
  headers: Readonly<Record<string, string>> = {},
): EventStream {
  res.writeHead(200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
    ...headers,
  });
  res.flushHeaders();
  const write = (text: string) => {
    if (res.writableEnded || res.destroyed) return;
    if (res.writableLength > MAX_UNREAD_BYTES) res.destroy();
    else res.write(text);
  };
  const stop = every(KEEP_ALIVE_MS, () => write(": keep-alive\n\n"));
  res.once("close", stop);
  return {
    // JSON text has no raw line break, so a message is one data line
    send: (message) => write(`event: message\ndata: ${message}\n\n`),
    end() {
      stop();
      res.end();
    },
  };
}
