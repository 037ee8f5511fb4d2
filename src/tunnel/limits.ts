/** Every bound and interval of the tunnel; bytes and milliseconds. The agent hears the ones that bind it in `welcome`. */

const KIB = 1024;
const MIB = 1024 * KIB;

/** Largest WebSocket message either end accepts; `ws` closes with 1009 above it. */
export const MESSAGE_BYTES = MIB;
export const MESSAGE_FRAGMENTS = 64;
/** Body bytes in one binary message, so that control never waits behind bulk. */
export const CHUNK_BYTES = 64 * KIB;
export const HELLO_BYTES = 64 * KIB;
/** Nesting that a header may have; recursion in later readers stays harmless. */
export const HEADER_DEPTH = 64;
export const ARGUMENTS_BYTES = 256 * KIB;
export const RESULT_BYTES = 8 * MIB;
/** A batch's operations as JSON; above the largest request that the gateway's HTTP side lets in. */
export const BATCH_BYTES = 8 * MIB;
export const BATCH_OPERATIONS = 500;

/** Streams that are open at one agent (calls in flight and calls whose caller has gone), and running calls. */
export const AGENT_STREAMS = 64;
export const AGENT_CALLS = 32;
/** Bytes of unfinished bodies that one peer may make us hold. */
export const ASSEMBLY_BYTES = 32 * MIB;
/** Bodies that wait for a slow reader; past it the link is ended and the agent replays after its return. */
export const QUEUED_BODY_BYTES = 64 * MIB;
/** What may lie in the socket's own buffer: bulk stops at the first, everything at the second. */
export const BULK_BUFFER_BYTES = 256 * KIB;
export const SOCKET_BUFFER_BYTES = 4 * MIB;

/** Undelivered write results that an agent keeps for its next link; the journal has them beyond that. */
export const KEPT_RESULTS = 64;
/** Ids in `hello.open`. */
export const OPEN_IDS = 1000;

/** Handshakes that are being checked at one time by one replica, and connections admitted a second. */
export const HANDSHAKES_AT_ONCE = 256;
export const ADMISSIONS_PER_SECOND = 200;
export const PROOF_BYTES = 4 * KIB;
export const NONCE_TTL_MS = 120_000;

export interface LinkTimings {
  /** Mean interval of heartbeats; each is moved by up to 10 % either way. */
  readonly heartbeatMs: number;
  /** Silence after which the peer counts as gone. */
  readonly deadMs: number;
  /** No byte could be handed to the network for so long: ended. */
  readonly stuckMs: number;
  /** How often a link looks at its clock. */
  readonly lookMs: number;
}

/** 20 s stays under the idle cut of common proxies (60 s nginx and ALB, 100 s Cloudflare). */
export const LINK_TIMINGS: LinkTimings = { heartbeatMs: 20_000, deadMs: 45_000, stuckMs: 30_000, lookMs: 5_000 };

/** From the accepted upgrade to `ready`. */
export const HANDSHAKE_MS = 10_000;
/** The agent ends a call at its ttl; its answer gets this long to arrive. */
export const ANSWER_GRACE_MS = 500;
/** After a close frame the peer gets this long before the socket is destroyed. */
export const CLOSE_GRACE_MS = 1_000;
export const BATCH_ANSWER_MS = 15_000;
export const MANIFEST_MS = 15_000;
/** A call whose caller has gone is forgotten this long after its ttl. */
export const ABANDONED_MS = 60_000;
/** At most four progress frames a second and call. */
export const PROGRESS_MS = 250;
export const FLAPPING_WINDOW_MS = 600_000;

/** Close codes of our own (RFC 6455 §7.4.2 leaves 4000-4999 to applications). */
export const CLOSE = {
  /** The gateway is being closed. */
  restart: 1012,
  /** Try again later: the store did not answer. */
  later: 1013,
  protocol: 4400,
  revoked: 4403,
  /** The handshake took too long. */
  slow: 4408,
  /** A newer connection of the same agent took over. */
  replaced: 4409,
  version: 4426,
} as const;
