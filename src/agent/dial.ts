/** Keeps one link to the gateway: dials, greets, serves, and comes back with full jitter. It slows down, it never gives up. */
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { asEdgeError, EdgeError } from "../errors.ts";
import { AgentEnd } from "../tunnel/agent-end.ts";
import type { AgentSession } from "../tunnel/agent-session.ts";
import type { AgentPort } from "../tunnel/calls.ts";
import { encodeFrame } from "../tunnel/codec.ts";
import { keyThumbprint } from "../tunnel/enrolment.ts";
import type { FieldsOf, Frame } from "../tunnel/frame.ts";
import { CLOSE, HANDSHAKE_MS, LINK_TIMINGS, type LinkTimings, MESSAGE_BYTES } from "../tunnel/limits.ts";
import { Link, type LinkEnd } from "../tunnel/link.ts";
import type { TunnelLog } from "../tunnel/log.ts";
import { connectUrl, makeConnectProof, NONCE_HEADER, SUBPROTOCOLS } from "../tunnel/proof.ts";
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

export interface DialOptions {
  readonly gatewayUrl: string;
  readonly identity: AgentIdentity;
  readonly port: AgentPort;
  /** `write` resolves once the epoch is on disk. */
  readonly lastEpoch: { read(): number | Promise<number>; write(epoch: number): void | Promise<void> };
  /** PEM file with the authority of the gateway's certificate, where that is not a public one. */
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

const REFUSAL_BYTES = 16 * 1024;
const MAX_DOUBLINGS = 16;

export function dial(options: DialOptions): Dialer {
  const { timing, log, random } = options;
  const backoff = options.backoff ?? BACKOFF;
  const end = new AgentEnd(options.port, timing);
  let state: DialState = { phase: "waiting", sinceMs: timing.wallClock() };
  let failures = 0;
  let giveUp: () => void = () => undefined;
  let cancelWait = timing.after(random() * backoff.firstMs, () => connect());

  return {
    state: () => state,
    close() {
      enter("closed");
      cancelWait();
      giveUp();
    },
  };

  function enter(phase: DialState["phase"], reason?: string): void {
    state = { phase, sinceMs: timing.wallClock(), ...(reason === undefined ? {} : { reason }) };
  }

  function isClosed(): boolean {
    return state.phase === "closed";
  }

  function connect(nonce?: string): void {
    if (isClosed()) return;
    enter("connecting");
    openSocket(nonce).catch((error: unknown) => setBack({ reason: asEdgeError(error).message }));
  }

  function setBack(setback: Setback): void {
    if (isClosed()) return;
    giveUp = () => undefined;
    const jitterMs = random() * Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(failures, MAX_DOUBLINGS));
    failures += 1;
    const delayMs = setback.revoked === true ? backoff.revokedMs : (setback.retryAfterMs ?? 0) + jitterMs;
    enter(setback.revoked === true ? "revoked" : "waiting", setback.reason);
    log.warn(
      { delayMs: Math.round(delayMs) },
      setback.revoked === true
        ? `${setback.reason} The gateway revoked this agent's key: enrol again with a new token.`
        : `Not connected to the gateway: ${setback.reason}`,
    );
    cancelWait = timing.after(delayMs, () => connect());
  }

  async function openSocket(nonce: string | undefined): Promise<void> {
    const { identity, gatewayUrl } = options;
    const proof = await makeConnectProof(
      {
        agentId: identity.agent_id,
        thumbprint: await keyThumbprint(identity.jwk),
        gatewayUrl,
        nowMs: timing.wallClock(),
        ...(nonce === undefined ? {} : { nonce }),
      },
      identity.jwk,
    );
    const ca = options.caFile === undefined ? undefined : await readFile(options.caFile);
    if (isClosed()) return;
    const url = connectUrl(gatewayUrl);
    url.protocol = url.protocol === "http:" ? "ws:" : "wss:";
    const socket = new WebSocket(url, [...SUBPROTOCOLS], {
      headers: { authorization: `DPoP ${proof}` },
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MESSAGE_BYTES,
      perMessageDeflate: false,
      ...(ca === undefined ? {} : { ca }),
    });
    giveUp = () => socket.terminate();
    // the first of the three decides; terminate() after a refusal raises an error that is no news
    let decided = false;
    const decide = (run: () => void) => {
      if (!decided) {
        decided = true;
        run();
      }
    };
    socket.on("error", (error) => decide(() => setBack({ reason: `The gateway was not reached: ${error.message}.` })));
    socket.once("unexpected-response", (_request, response: IncomingMessage) =>
      decide(() => refused(response, nonce, () => socket.terminate())),
    );
    socket.once("open", () => decide(() => void greet(socket).catch(() => socket.terminate())));
  }

  /** A refused upgrade answers in plain HTTP; a 401 on the first try only brings the nonce. */
  function refused(response: IncomingMessage, nonce: string | undefined, done: () => void): void {
    readRefusal(response).then(
      (words) => {
        done();
        const status = response.statusCode ?? 0;
        const fresh = response.headers[NONCE_HEADER];
        if (status === 401 && nonce === undefined && typeof fresh === "string") {
          connect(fresh);
          return;
        }
        const retryAfterSeconds = Number(response.headers["retry-after"]);
        setBack({
          reason: `The gateway refused (HTTP ${status}). ${words}`.trim(),
          revoked: status === 403,
          ...(retryAfterSeconds > 0 ? { retryAfterMs: retryAfterSeconds * 1000 } : {}),
        });
      },
      () => {
        done();
        setBack({ reason: "The gateway's refusal could not be read." });
      },
    );
  }

  async function greet(socket: WebSocket): Promise<void> {
    let session: AgentSession | undefined;
    let welcomed = false;
    const cancelHandshake = timing.after(HANDSHAKE_MS, () => link.end(CLOSE.slow, "welcome took too long"));
    let cancelStable: () => void = () => undefined;
    const link: Link = new Link({
      socket,
      peer: "gateway",
      timing,
      timings: options.timings ?? LINK_TIMINGS,
      random,
      frame(frame: Frame) {
        if (session !== undefined) session.frame(frame);
        else if (frame.t === "welcome" && !welcomed) {
          welcomed = true;
          ready(frame).catch(() => link.end(CLOSE.later, "the epoch could not be stored"));
        } else throw new EdgeError("PROTOCOL_ERROR", `${frame.t} came before its turn.`);
      },
      chunk: (chunk) => session?.chunk(chunk),
      ended(linkEnd) {
        cancelHandshake();
        cancelStable();
        if (session !== undefined) end.detach(session);
        setBack(setbackOf(linkEnd));
      },
    });
    giveUp = () => link.end(1001, "the agent stops");
    const open = end.open();
    const { agentId, journalId, bootId, version, manifestDigest, apps, consoles } = options.port.describe();
    link.send(
      encodeFrame("hello", {
        agent_id: agentId,
        journal_id: journalId,
        boot_id: bootId,
        last_epoch: await options.lastEpoch.read(),
        version,
        features: [],
        manifest_digest: manifestDigest,
        apps: [...apps],
        consoles: [...consoles],
        open,
      }),
    );

    async function ready(welcome: FieldsOf<"welcome">): Promise<void> {
      await options.lastEpoch.write(welcome.epoch);
      cancelHandshake();
      if (!link.send(encodeFrame("ready", { epoch: welcome.epoch }))) return;
      session = end.attach(link, open, welcome);
      enter("connected");
      cancelStable = timing.after(backoff.stableMs, () => {
        failures = 0;
      });
      log.info({ epoch: welcome.epoch }, "connected to the gateway");
    }
  }
}

function setbackOf(end: LinkEnd): Setback {
  return {
    reason: `The link ended (${end.code}${end.reason === "" ? "" : `: ${end.reason}`}).`,
    revoked: end.code === CLOSE.revoked,
  };
}

/** The words in a refusal's JSON body; a proxy's own page has none that help. */
async function readRefusal(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of response) {
    text += String(part);
    if (text.length > REFUSAL_BYTES) break;
  }
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== "object" || body === null) return "";
    return ["error", "hint"]
      .map((name) => (body as Record<string, unknown>)[name] ?? "")
      .join(" ")
      .trim();
  } catch {
    return "";
  }
}
