/** The agent's half of hello, welcome, ready, on a socket that has just opened. */
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { EdgeError } from "../errors.ts";
import type { AgentEnd } from "./agent-end.ts";
import type { AgentSession } from "./agent-session.ts";
import type { AgentPort } from "./calls.ts";
import { encodeFrame } from "./codec.ts";
import type { FieldsOf } from "./frame.ts";
import { CLOSE, HANDSHAKE_MS, type LinkTimings } from "./limits.ts";
import { Link, type LinkEnd } from "./link.ts";
import type { Timing } from "./timing.ts";

/** The highest epoch this agent was ever given; `write` resolves once it is on disk. */
export interface LastEpoch {
  read(): number | Promise<number>;
  write(epoch: number): void | Promise<void>;
}

export interface AgentGreetingOptions {
  readonly socket: WebSocket;
  readonly stream: Duplex;
  readonly port: AgentPort;
  readonly end: AgentEnd;
  readonly lastEpoch: LastEpoch;
  readonly timing: Timing;
  readonly timings: LinkTimings;
  readonly random: () => number;
  ready(epoch: number): void;
  ended(end: LinkEnd): void;
}

/** Says hello and serves from ready on, until the link ends. */
export function greetGateway(options: AgentGreetingOptions): Link {
  const { port, end, lastEpoch, timing } = options;
  const open = end.open();
  let session: AgentSession | undefined;
  let welcomed = false;
  const callOff = timing.after(HANDSHAKE_MS, () => link.end(CLOSE.slow, "welcome took too long"));
  const link: Link = new Link({
    socket: options.socket,
    stream: options.stream,
    peer: "gateway",
    timing,
    timings: options.timings,
    random: options.random,
    frame(frame) {
      if (session !== undefined) session.frame(frame);
      else if (frame.t === "welcome" && !welcomed) {
        welcomed = true;
        becomeReady(frame).catch(() => link.end(CLOSE.later, "the epoch could not be stored"));
      } else throw new EdgeError("PROTOCOL_ERROR", `${frame.t} came before its turn.`);
    },
    chunk: (chunk) => session?.chunk(chunk),
    ended(linkEnd) {
      callOff();
      if (session !== undefined) end.detach(session);
      options.ended(linkEnd);
    },
  });
  sayHello().catch(() => link.end(CLOSE.later, "the last epoch could not be read"));
  return link;

  async function sayHello(): Promise<void> {
    const { agentId, journalId, bootId, version, manifestDigest, apps, consoles } = port.describe();
    link.mustSend(
      encodeFrame("hello", {
        agent_id: agentId,
        journal_id: journalId,
        boot_id: bootId,
        last_epoch: await lastEpoch.read(),
        version,
        features: [],
        manifest_digest: manifestDigest,
        apps: [...apps],
        consoles: [...consoles],
        open,
      }),
    );
  }

  /** The epoch is on disk before the gateway may send a write under it. */
  async function becomeReady(welcome: FieldsOf<"welcome">): Promise<void> {
    await lastEpoch.write(welcome.epoch);
    callOff();
    if (!link.send(encodeFrame("ready", { epoch: welcome.epoch }))) return;
    session = end.attach(link, open, welcome);
    options.ready(welcome.epoch);
  }
}
