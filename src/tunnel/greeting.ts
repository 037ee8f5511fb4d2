/** The gateway's half of hello, welcome, ready: what a fresh link is before it is a connection. */
import { randomUUID } from "node:crypto";
import { EdgeError } from "../errors.ts";
import type { AgentDescription } from "./calls.ts";
import { encodeFrame } from "./codec.ts";
import type { FieldsOf, Frame } from "./frame.ts";
import { AGENT_CALLS, AGENT_STREAMS, ARGUMENTS_BYTES, CLOSE, HELLO_BYTES, RESULT_BYTES } from "./limits.ts";
import type { Link } from "./link.ts";
import type { Timing } from "./timing.ts";
import type { KnownAgent } from "./upgrade.ts";

export interface GreetingOptions {
  readonly link: Link;
  readonly agent: KnownAgent;
  readonly timing: Timing;
  /** Greater than `lastEpoch` and than any that the store has seen of this agent. */
  nextEpoch(agent: KnownAgent, lastEpoch: number): Promise<number>;
  ready(description: AgentDescription, epoch: number): void;
  /** No epoch could be given; the link has been ended. */
  failed(error: unknown): void;
}

/** Returns the taker of the link's frames until `ready`. It throws PROTOCOL_ERROR for anything out of turn. */
export function greet(options: GreetingOptions): (frame: Frame) => void {
  let description: AgentDescription | undefined;
  let epoch: number | undefined;
  return (frame) => {
    if (frame.t === "hello" && description === undefined) {
      description = describe(frame, options.agent);
      welcome(frame, options).then(
        (given) => {
          epoch = given;
        },
        (error: unknown) => {
          options.link.end(CLOSE.later, "the gateway's store did not answer; try again");
          options.failed(error);
        },
      );
    } else if (frame.t === "ready" && description !== undefined && frame.epoch === epoch) {
      options.ready(description, frame.epoch);
    } else {
      throw new EdgeError("PROTOCOL_ERROR", `${frame.t} came before its turn.`);
    }
  };
}

function describe(hello: FieldsOf<"hello">, agent: KnownAgent): AgentDescription {
  if (hello.agent_id !== agent.agentId)
    throw new EdgeError("PROTOCOL_ERROR", "hello names another agent than the key.");
  if (Buffer.byteLength(JSON.stringify(hello)) > HELLO_BYTES) {
    throw new EdgeError("PROTOCOL_ERROR", `hello may have ${HELLO_BYTES} bytes.`);
  }
  return {
    agentId: hello.agent_id,
    journalId: hello.journal_id,
    bootId: hello.boot_id,
    version: hello.version,
    manifestDigest: hello.manifest_digest,
    apps: hello.apps,
    consoles: hello.consoles,
  };
}

async function welcome(hello: FieldsOf<"hello">, options: GreetingOptions): Promise<number> {
  const epoch = await options.nextEpoch(options.agent, hello.last_epoch);
  options.link.send(
    encodeFrame("welcome", {
      epoch,
      session: randomUUID(),
      server_time: options.timing.wallClock(),
      limits: {
        arguments_bytes: ARGUMENTS_BYTES,
        result_bytes: RESULT_BYTES,
        streams: AGENT_STREAMS,
        calls: AGENT_CALLS,
      },
      // every outcome that is still open is wanted: the caller's intent waits for it in the store
      resend: hello.open.filter(({ state }) => state === "done").map(({ id }) => id),
      forget: [],
    }),
  );
  return epoch;
}
