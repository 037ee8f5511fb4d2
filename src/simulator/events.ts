/** The event sockets: `wss …/wss/s/{site}/events`, text frames, a text "ping" is answered "pong" (unifi-api.md 3.3). */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Row } from "./exchange.ts";
import type { Session } from "./sessions.ts";

const MAX_FRAME_BYTES = 64 * 1024;
const MAX_SOCKETS = 1000;

/** Close code of a socket whose session ended, or that a test drops. */
const GOING_AWAY = 1001;

export interface EventSockets {
  /** Completes the upgrade; the socket lives no longer than its session. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, siteName: string, session: Session): void;
  /** Sends `{meta:{rc,message},data}` to every socket of the site. */
  publish(siteName: string, key: string, rows: readonly Row[]): void;
  /** Sends a raw text frame to every socket: empty ones occur (home-assistant/core#110146). */
  sendRaw(text: string): void;
  endSession(session: Session): void;
  dropAll(): void;
  readonly size: number;
}

export function createEventSockets(): EventSockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });
  const places = new Map<WebSocket, { readonly siteName: string; readonly session: Session }>();

  return {
    accept(request, socket, head, siteName, session) {
      if (places.size >= MAX_SOCKETS) {
        refuseUpgrade(socket, 503);
        return;
      }
      server.handleUpgrade(request, socket, head, (webSocket) => {
        places.set(webSocket, { siteName, session });
        webSocket.on("close", () => places.delete(webSocket));
        webSocket.on("error", () => webSocket.terminate());
        webSocket.on("message", (data) => {
          if (String(data) === "ping") webSocket.send("pong");
        });
      });
    },

    publish(siteName, key, rows) {
      const frame = JSON.stringify({ meta: { rc: "ok", message: key }, data: rows });
      for (const [webSocket, place] of places) if (place.siteName === siteName) webSocket.send(frame);
    },

    sendRaw(text) {
      for (const webSocket of places.keys()) webSocket.send(text);
    },

    endSession(session) {
      for (const [webSocket, place] of places) if (place.session === session) webSocket.close(GOING_AWAY);
    },

    dropAll() {
      for (const webSocket of places.keys()) webSocket.terminate();
    },

    get size() {
      return places.size;
    },
  };
}

/** Answers an upgrade with a plain HTTP status and ends the connection. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
