/** Serves `GET /health` of an agent on loopback, for probes of its host and of its pod. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { EdgeError } from "../errors.ts";
import type { HealthAnswer } from "./health.ts";

const LOOPBACK = "127.0.0.1";
/** A probe is one line: whoever takes longer than this is none. */
const REQUEST_TIMEOUT_MS = 5000;
const MAX_CONNECTIONS = 16;

export interface HealthServer {
  /** As bound, also where port 0 was asked. */
  readonly port: number;
  close(): Promise<void>;
}

/** Throws CONFIG_INVALID where the port cannot be had. */
export async function serveHealth(health: () => Promise<HealthAnswer>, port: number): Promise<HealthServer> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const known = request.url === "/health" && (request.method === "GET" || request.method === "HEAD");
    const answer: Promise<{ status: number; body: object }> = known
      ? health()
      : Promise.resolve({ status: 404, body: { status: "error", error: "Only GET /health is served here." } });
    void answer.then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
      response.end(JSON.stringify(body));
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listening(server, port).catch((cause: Error) => {
    throw new EdgeError("CONFIG_INVALID", `UNIFI_EDGE_HEALTH_PORT ${port} cannot be used: ${cause.message}.`, {
      cause,
    });
  });
  return {
    // listening on TCP, so the address is never a path
    port: (server.address() as AddressInfo).port,
    close: () => closed(server),
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, LOOPBACK, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
