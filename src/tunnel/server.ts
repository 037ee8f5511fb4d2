/** The gateway's end: admits agents, keeps the newest connection of each, and lets go of it when its own socket ends. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";
import { EdgeError } from "../errors.ts";
import { AdmissionBucket } from "./admission.ts";
import type { AgentConnection, AgentDescription, CallResult, OperationUpdate } from "./calls.ts";
import type { Chunk } from "./codec.ts";
import { GatewayConnection } from "./connection.ts";
import { FlappingWatch } from "./flapping.ts";
import type { Frame } from "./frame.ts";
import { greet } from "./greeting.ts";
import {
  ADMISSIONS_PER_SECOND,
  CLOSE,
  HANDSHAKE_MS,
  HANDSHAKES_AT_ONCE,
  LINK_TIMINGS,
  type LinkTimings,
  MESSAGE_BYTES,
  MESSAGE_FRAGMENTS,
} from "./limits.ts";
import { Link, type LinkEnd } from "./link.ts";
import type { TunnelLog } from "./log.ts";
import {
  chooseSubprotocol,
  isNonceChallenge,
  judgeUpgrade,
  type KnownAgent,
  refuseUpgrade,
  type UpgradeRules,
} from "./upgrade.ts";

export interface TunnelServerOptions extends UpgradeRules {
  /** The agent's next epoch, one atomic step of the store: greater than `lastEpoch` and than the stored one. */
  nextEpoch(agent: KnownAgent, lastEpoch: number): Promise<number>;
  /** A connection is ready; `connection.closed` fires when it ends. */
  onConnection(connection: AgentConnection): void;
  /**
   * A batch's operation changed; acknowledge it once stored, it is replayed until then. Ids and owner are the agent's
   * word: check them against the batch's own record and `connection.location`.
   */
  onOperation(connection: AgentConnection, update: OperationUpdate): void;
  /**
   * The outcome of a write whose caller is gone; acknowledge it once stored. The id is the agent's word: check that its
   * intent was sent to `connection.location`.
   */
  onLateResult(connection: AgentConnection, id: string, result: CallResult | EdgeError): void;
  readonly log: TunnelLog;
  readonly admissionsPerSecond?: number;
  readonly timings?: LinkTimings;
  readonly handshakeMs?: number;
}

export interface TunnelServer {
  /** Listener of an HTTP server's `upgrade` event; refuses what is no agent. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ready connections of this process. */
  connections(): readonly AgentConnection[];
  /** Ends every link with 1012 and resolves when all sockets are gone. */
  close(): Promise<void>;
}

/** What takes a link's messages: the greeting first, the connection from `ready` on. */
interface Receiver {
  frame(frame: Frame): void;
  chunk(chunk: Chunk): void;
  ended(end: LinkEnd): void;
}

/** `maxFragments` is newer than the type package. */
type SocketOptions = ServerOptions & { readonly maxFragments: number };

export function createTunnelServer(options: TunnelServerOptions): TunnelServer {
  const { timing, log } = options;
  const socketOptions: SocketOptions = {
    noServer: true,
    clientTracking: true,
    maxPayload: MESSAGE_BYTES,
    maxFragments: MESSAGE_FRAGMENTS,
    // one compressed message makes an idle socket thirty times as heavy
    perMessageDeflate: false,
    handleProtocols: (_offered, request) => chooseSubprotocol(request) ?? false,
  };
  const sockets = new WebSocketServer(socketOptions);
  const bucket = new AdmissionBucket(options.admissionsPerSecond ?? ADMISSIONS_PER_SECOND, timing.now());
  const flapping = new FlappingWatch();
  const ready = new Map<string, GatewayConnection>();
  const links = new Set<Link>();
  let handshakes = 0;
  let closing = false;

  return {
    handleUpgrade(request, socket, head) {
      // until `ws` owns the socket, a reset must not become an uncaught error
      const swallow = () => undefined;
      socket.on("error", swallow);
      admit(request)
        .then((agent) => {
          socket.removeListener("error", swallow);
          sockets.handleUpgrade(request, socket, head, (webSocket) => greetAgent(webSocket, socket, agent));
        })
        .catch((error: unknown) => {
          if (!isNonceChallenge(error)) {
            log.info({ err: error, address: request.socket.remoteAddress }, "an agent's upgrade was refused");
          }
          refuseUpgrade(socket, error, options);
        });
    },
    connections: () => [...ready.values()],
    async close() {
      closing = true;
      const gone = [...sockets.clients].map((client) => new Promise((resolve) => client.once("close", resolve)));
      for (const link of links) link.end(CLOSE.restart, "the gateway restarts");
      sockets.close();
      await Promise.all(gone);
    },
  };

  async function admit(request: IncomingMessage): Promise<KnownAgent> {
    if (closing || handshakes >= HANDSHAKES_AT_ONCE) {
      throw new EdgeError("OVERLOADED", "This gateway takes no further agents at this moment.", {
        retryAfterSeconds: 1 + Math.floor(options.random() * 10),
      });
    }
    handshakes += 1;
    try {
      return await judgeUpgrade(request, options, bucket);
    } finally {
      handshakes -= 1;
    }
  }

  function greetAgent(socket: WebSocket, stream: Duplex, agent: KnownAgent): void {
    const tooSlow = timing.after(options.handshakeMs ?? HANDSHAKE_MS, () => {
      link.end(CLOSE.slow, "hello and ready took too long");
    });
    let receiver: Receiver = {
      frame: greet({
        get link() {
          return link;
        },
        agent,
        timing,
        nextEpoch: options.nextEpoch,
        ready(description, epoch) {
          tooSlow();
          receiver = takeOver(link, agent, description, epoch) ?? receiver;
        },
        failed: (error) => log.warn({ err: error, agent: agent.agentId }, "an agent could not be given an epoch"),
      }),
      chunk() {
        throw new EdgeError("PROTOCOL_ERROR", "A body came before ready.");
      },
      ended: tooSlow,
    };
    const link: Link = new Link({
      socket,
      stream,
      peer: "agent",
      timing,
      timings: options.timings ?? LINK_TIMINGS,
      random: options.random,
      frame: (frame) => receiver.frame(frame),
      chunk: (chunk) => receiver.chunk(chunk),
      ended(end) {
        links.delete(link);
        receiver.ended(end);
        log.info({ agent: agent.agentId, location: agent.location, code: end.code, reason: end.reason }, "agent left");
      },
    });
    links.add(link);
    if (closing) link.end(CLOSE.restart, "the gateway restarts");
  }

  /** The greater epoch wins; undefined when this link is the older one and was ended. */
  function takeOver(link: Link, agent: KnownAgent, description: AgentDescription, epoch: number): Receiver | undefined {
    const older = ready.get(agent.agentId);
    if (older !== undefined && older.epoch >= epoch) {
      link.end(CLOSE.replaced, "a newer connection of this agent is ready");
      return undefined;
    }
    flapping.note(agent.agentId, description.bootId, timing.now());
    const writesHeld = () => flapping.isConflict(agent.agentId, timing.now());
    if (writesHeld()) log.warn({ agent: agent.agentId }, "two agents use one key in turn; writes are held");
    const connection: GatewayConnection = new GatewayConnection({
      link,
      agent,
      description,
      epoch,
      timing,
      writesHeld,
      operation: (update) => guarded(() => options.onOperation(connection, update)),
      lateResult: (id, result) => guarded(() => options.onLateResult(connection, id, result)),
    });
    ready.set(agent.agentId, connection);
    older?.close(CLOSE.replaced, "a newer connection of this agent is ready");
    log.info({ agent: agent.agentId, location: agent.location, epoch, version: description.version }, "agent ready");
    guarded(() => options.onConnection(connection));
    return {
      frame: (frame) => connection.frame(frame),
      chunk: (chunk) => connection.chunk(chunk),
      ended(end) {
        // the late end of an old socket must not unroute the new one
        if (ready.get(agent.agentId) === connection) ready.delete(agent.agentId);
        connection.ended(end);
      },
    };
  }

  /** A defect of ours in a listener is no fault of the agent's, so its link stays. */
  function guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      log.warn({ err: error }, "a tunnel listener failed");
    }
  }
}
