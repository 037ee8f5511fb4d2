/** Keeps one link to the gateway and comes back with full jitter. It slows down, it never gives up. */
import { readFile } from "node:fs/promises";
import { asEdgeError, EdgeError } from "../errors.ts";
import { AgentEnd } from "../tunnel/agent-end.ts";
import { greetGateway, type LastEpoch } from "../tunnel/agent-greeting.ts";
import type { AgentPort } from "../tunnel/calls.ts";
import { type ConnectRefusal, connectToGateway } from "../tunnel/connect.ts";
import { CLOSE, LINK_TIMINGS, type LinkTimings } from "../tunnel/limits.ts";
import type { LinkEnd } from "../tunnel/link.ts";
import type { TunnelLog } from "../tunnel/log.ts";
import type { Timing } from "../tunnel/timing.ts";
import type { AgentIdentity } from "./identity.ts";

/** Milliseconds. A delay is drawn from 0 to min(capMs, baseMs·2ⁿ): many agents that lost one gateway come back spread. */
export interface Backoff {
  readonly firstMs: number;
  readonly baseMs: number;
  readonly capMs: number;
  /** A link that lived so long starts the count anew. */
  readonly stableMs: number;
  /** After a revocation: the operator may change their mind, so it asks now and then. */
  readonly revokedMs: number;
}

export const BACKOFF: Backoff = {
  firstMs: 3_000,
  baseMs: 1_000,
  capMs: 60_000,
  stableMs: 60_000,
  revokedMs: 3_600_000,
};
const MAX_DOUBLINGS = 16;
/** RFC 6455 §7.4.1: the end goes away. */
const GOING_AWAY = 1001;

export interface DialOptions {
  readonly gatewayUrl: string;
  readonly identity: AgentIdentity;
  readonly port: AgentPort;
  readonly lastEpoch: LastEpoch;
  /** PEM file with the authority of the gateway's certificate, read at every try. */
  readonly caFile?: string;
  readonly timing: Timing;
  readonly random: () => number;
  readonly log: TunnelLog;
  readonly timings?: LinkTimings;
  readonly backoff?: Backoff;
}

export interface DialState {
  readonly phase: "waiting" | "connecting" | "connected" | "revoked" | "closed";
  /** Unix milliseconds. */
  readonly sinceMs: number;
  /** Why it is not connected, in words. */
  readonly reason?: string;
}

export interface Dialer {
  state(): DialState;
  /** Ends the link and stops dialling. Writes that run go on in the port. */
  close(): void;
}

/** Why a try ended, and what that means for the next one. */
interface Setback {
  readonly reason: string;
  readonly retryAfterMs?: number;
  readonly revoked?: boolean;
}

export function dial(options: DialOptions): Dialer {
  const { timing, log, random, identity } = options;
  const backoff = options.backoff ?? BACKOFF;
  const end = new AgentEnd(options.port, timing);
  const closing = new AbortController();
  let state: DialState = { phase: "waiting", sinceMs: timing.wallClock() };
  let failures = 0;
  let cancelWait = timing.after(random() * backoff.firstMs, tryOnce);

  return {
    state: () => state,
    close() {
      enter("closed");
      cancelWait();
      closing.abort();
    },
  };

  function enter(phase: DialState["phase"], reason?: string): void {
    state = { phase, sinceMs: timing.wallClock(), ...(reason === undefined ? {} : { reason }) };
  }

  function tryOnce(): void {
    enter("connecting");
    connectAndServe().catch((error: unknown) => waitAfter({ reason: asEdgeError(error).message }));
  }

  async function connectAndServe(): Promise<void> {
    const attempt = await connectToGateway({
      gatewayUrl: options.gatewayUrl,
      agentId: identity.agent_id,
      key: identity.jwk,
      wallClock: timing.wallClock,
      signal: closing.signal,
      ...(options.caFile === undefined ? {} : { ca: await readAuthority(options.caFile) }),
    });
    if ("refusal" in attempt) {
      waitAfter(refused(attempt.refusal));
      return;
    }
    let cancelStable: () => void = () => undefined;
    const link = greetGateway({
      socket: attempt.socket,
      stream: attempt.stream,
      port: options.port,
      end,
      lastEpoch: options.lastEpoch,
      timing,
      timings: options.timings ?? LINK_TIMINGS,
      random,
      ready(epoch) {
        enter("connected");
        log.info({ epoch }, "connected to the gateway");
        cancelStable = timing.after(backoff.stableMs, () => {
          failures = 0;
        });
      },
      ended(linkEnd) {
        cancelStable();
        closing.signal.removeEventListener("abort", stop);
        waitAfter(lost(linkEnd));
      },
    });
    const stop = () => link.end(GOING_AWAY, "the agent stops");
    closing.signal.addEventListener("abort", stop, { once: true });
    if (closing.signal.aborted) stop();
  }

  function waitAfter({ reason, retryAfterMs = 0, revoked = false }: Setback): void {
    if (closing.signal.aborted) return;
    const jitterMs = random() * Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(failures, MAX_DOUBLINGS));
    failures += 1;
    const delayMs = revoked ? backoff.revokedMs : retryAfterMs + jitterMs;
    enter(revoked ? "revoked" : "waiting", reason);
    log.warn({ delayMs: Math.round(delayMs) }, `Not connected: ${reason}`);
    cancelWait = timing.after(delayMs, tryOnce);
  }
}

async function readAuthority(caFile: string): Promise<Buffer> {
  return readFile(caFile).catch((cause: unknown) => {
    throw new EdgeError("CONFIG_INVALID", `The authority file ${caFile} cannot be read.`, { cause });
  });
}

function refused({ status, words, retryAfterMs }: ConnectRefusal): Setback {
  return {
    reason: `The gateway refused (HTTP ${status}). ${words}`.trim(),
    revoked: status === 403,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function lost({ code, reason }: LinkEnd): Setback {
  if (code === CLOSE.revoked) {
    return { reason: "The gateway revoked this agent's key; enrol again with a new token.", revoked: true };
  }
  return { reason: `The link ended (${code}${reason === "" ? "" : `: ${reason}`}).` };
}
