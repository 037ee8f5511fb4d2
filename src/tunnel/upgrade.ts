/** Judges an agent's upgrade request before any WebSocket exists, and refuses it in words. */
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { asEdgeError, EdgeError, failureResult } from "../errors.ts";
import type { AdmissionBucket } from "./admission.ts";
import { isFreshNonce, makeNonce } from "./nonce.ts";
import {
  CONNECT_PATH,
  NONCE_HEADER,
  type PublicKey,
  readConnectProof,
  SUBPROTOCOLS,
  verifyConnectProof,
} from "./proof.ts";
import type { Timing } from "./timing.ts";

/** What the register knows of an agent; organisation and location come from here, never from a frame. */
export interface KnownAgent {
  readonly agentId: string;
  readonly org: string;
  readonly location: string;
  readonly publicJwk: PublicKey;
  readonly state: "active" | "held" | "revoked";
}

export interface UpgradeRules {
  /** By RFC 7638 thumbprint of its key. */
  findAgent(thumbprint: string): Promise<KnownAgent | undefined>;
  /** Shared by all replicas. */
  readonly nonceSecret: string | Buffer;
  /** True the first time; a proof is good for one connection. */
  spendJti(jti: string): Promise<boolean>;
  /** The gateway's public URL: audience and address that a proof must name. */
  readonly origin: string;
  readonly timing: Timing;
  readonly random: () => number;
}

/** A held agent asks again this often; an operator's approval should be noticed soon. */
const HELD_RETRY_SECONDS = 30;

/** Resolves with the agent that proved its key. Throws the EdgeError that `refuseUpgrade` turns into an answer. */
export async function judgeUpgrade(
  request: IncomingMessage,
  rules: UpgradeRules,
  bucket: AdmissionBucket,
): Promise<KnownAgent> {
  if (!isAgentUpgrade(request) || request.method !== "GET") {
    throw new EdgeError("NOT_FOUND", `Agents connect with GET ${CONNECT_PATH}; nothing else is upgraded here.`);
  }
  if (chooseSubprotocol(request) === undefined) {
    throw new EdgeError("VERSION_UNSUPPORTED", `This gateway speaks ${SUBPROTOCOLS.join(", ")}.`, {
      hint: "Bring the agent to the gateway's version, or one version behind it.",
    });
  }
  const proof = readConnectProof(request.headers.authorization);
  if (proof.nonce === undefined || !isFreshNonce(rules.nonceSecret, proof.nonce, rules.timing.wallClock())) {
    throw new EdgeError("UNAUTHENTICATED", `Sign again with the nonce of the ${NONCE_HEADER} header.`, {
      details: { use_dpop_nonce: true },
    });
  }
  const retryAfterSeconds = bucket.take(rules.timing.now(), rules.random);
  if (retryAfterSeconds !== undefined) {
    throw new EdgeError("OVERLOADED", "Too many agents connect at this moment.", { retryAfterSeconds });
  }
  const agent = await rules.findAgent(proof.thumbprint);
  if (agent === undefined || agent.agentId !== proof.agentId) {
    throw new EdgeError("UNAUTHENTICATED", "No agent with this id and key is enrolled here.", {
      hint: "Enrol again with a new token.",
    });
  }
  await verifyConnectProof(proof, agent.publicJwk, rules.origin);
  if (!(await rules.spendJti(proof.jti))) {
    throw new EdgeError("UNAUTHENTICATED", "This key proof has been used already.");
  }
  refuseUnlessActive(agent);
  return agent;
}

/** Every agent's first try ends in one: no news for a log. */
export function isNonceChallenge(thrown: unknown): boolean {
  return thrown instanceof EdgeError && thrown.details?.use_dpop_nonce === true;
}

function refuseUnlessActive(agent: KnownAgent): void {
  if (agent.state === "revoked") {
    throw new EdgeError("PERMISSION_DENIED", "This agent's key is revoked.", { hint: "Enrol again with a new token." });
  }
  if (agent.state === "held") {
    throw new EdgeError("AGENT_CONFLICT", `This key waits for an operator's approval at ${agent.location}.`, {
      hint: "Another agent is enrolled for this location; approve this one or revoke the other.",
      retryAfterSeconds: HELD_RETRY_SECONDS,
    });
  }
}

/** For an HTTP server's `shouldUpgradeCallback`: other upgrade wishes (h2c of curl, say) are served as plain requests. */
export function isAgentUpgrade(request: IncomingMessage): boolean {
  return request.url?.split("?")[0] === CONNECT_PATH;
}

/** The newest of the offered subprotocols that we speak. */
export function chooseSubprotocol(request: IncomingMessage): string | undefined {
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  return SUBPROTOCOLS.find((name) => offered.includes(name));
}

/** Answers in plain HTTP and ends the socket. A 401 always carries a fresh nonce. */
export function refuseUpgrade(socket: Duplex, thrown: unknown, rules: UpgradeRules): void {
  const error = asEdgeError(thrown);
  const body = JSON.stringify(failureResult(error));
  const headers = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? "Refused"}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "cache-control: no-store",
    "connection: close",
  ];
  if (error.status === 401) {
    headers.push('www-authenticate: DPoP error="use_dpop_nonce"');
    headers.push(`${NONCE_HEADER}: ${makeNonce(rules.nonceSecret, rules.timing.wallClock())}`);
  }
  if (error.status === 426) headers.push("upgrade: websocket", `sec-websocket-protocol: ${SUBPROTOCOLS.join(", ")}`);
  if (error.retryAfterSeconds !== undefined) headers.push(`retry-after: ${error.retryAfterSeconds}`);
  // the peer may be gone already, which is no error of ours
  socket.on("error", () => undefined);
  socket.end(`${headers.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
