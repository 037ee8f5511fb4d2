/**
 * The table of all frames: who sends it, its fields, its rule. A text message is one JSON header `{t, …fields}`; a
 * binary message is a chunk of a body (codec.ts). Unknown frames and fields are ignored, so either end may be newer.
 */
import Type, { type Static, type TSchema } from "typebox";
import { BATCH_BYTES, BATCH_OPERATIONS, OPEN_IDS } from "./limits.ts";

export type Side = "gateway" | "agent";

const Id = Type.String({ minLength: 1, maxLength: 512 });
const Text = (maxLength: number) => Type.String({ maxLength });
/** Gateway streams are below 2^31, the agent's own (late results, operations) from there on. */
const Stream = Type.Integer({ minimum: 1, maximum: 0xffff_ffff });
export const FIRST_AGENT_STREAM = 0x8000_0000;
const Milliseconds = Type.Number({ minimum: 0, maximum: 1e15 });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Owner = Type.Object({ org: Text(256), subject: Text(512), grant: Text(512) });
const Kind = Type.Union([Type.Literal("read"), Type.Literal("write")]);
const App = Type.Union([Type.Literal("network"), Type.Literal("protect"), Type.Literal("access")]);
const Arguments = Type.Record(Type.String(), Type.Unknown());
const State = Type.Union([
  Type.Literal("queued"),
  Type.Literal("running"),
  Type.Literal("done"),
  Type.Literal("error"),
  Type.Literal("cancelled"),
]);
const Failure = Type.Object({
  code: Text(64),
  message: Text(4096),
  hint: Type.Optional(Text(4096)),
  executed: Type.Optional(Type.Union([Type.Literal("no"), Type.Literal("maybe"), Type.Literal("yes")])),
  retry_after_seconds: Type.Optional(Milliseconds),
  details: Type.Optional(Arguments),
});

interface FrameRow {
  readonly from: Side | "both";
  readonly fields: TSchema;
  readonly rule: string;
}

const RESERVED = Type.Object({});

export const FRAMES = {
  hello: {
    from: "agent",
    fields: Type.Object({
      agent_id: Id,
      journal_id: Id,
      boot_id: Id,
      last_epoch: Count,
      version: Text(64),
      features: Type.Array(Text(64), { maxItems: 64 }),
      manifest_digest: Type.String({ pattern: "^[0-9a-f]{64}$" }),
      apps: Type.Array(App, { maxItems: 3 }),
      consoles: Type.Array(Text(128), { maxItems: 64 }),
      open: Type.Array(Type.Object({ id: Id, state: Type.Union([Type.Literal("running"), Type.Literal("done")]) }), {
        maxItems: OPEN_IDS,
      }),
    }),
    rule: "First message of an agent. `open` names the writes whose outcome no gateway has taken yet.",
  },
  welcome: {
    from: "gateway",
    fields: Type.Object({
      epoch: Count,
      session: Id,
      server_time: Milliseconds,
      limits: Type.Object({ arguments_bytes: Count, result_bytes: Count, streams: Count, calls: Count }),
      resend: Type.Array(Id, { maxItems: OPEN_IDS }),
      forget: Type.Array(Id, { maxItems: OPEN_IDS }),
    }),
    rule: "Answers hello. The epoch is greater than any this agent ever had; `resend` are outcomes the gateway wants.",
  },
  ready: {
    from: "agent",
    fields: Type.Object({ epoch: Count }),
    rule: "The epoch is on the agent's disk. Only now do calls flow, and an older connection closes with 4409.",
  },
  call: {
    from: "gateway",
    fields: Type.Object({
      id: Id,
      stream: Stream,
      tool: Text(256),
      args: Arguments,
      kind: Kind,
      ttl_ms: Milliseconds,
      owner: Owner,
      console: Type.Optional(Text(128)),
      site: Type.Optional(Text(256)),
      repeat: Type.Optional(Type.Boolean()),
      trace: Type.Optional(Text(256)),
      /** The answer's share of a fan-out. */
      max_bytes: Type.Optional(Count),
    }),
    rule: "The ttl is what remains at this send, counted on the agent's monotonic clock; kind is a hint that the agent checks.",
  },
  accepted: {
    from: "agent",
    fields: Type.Object({ stream: Stream }),
    rule: "The journal row of the write or the whole batch is durable before this is sent.",
  },
  progress: {
    from: "agent",
    fields: Type.Object({
      stream: Stream,
      done: Type.Number(),
      total: Type.Optional(Type.Number()),
      note: Type.Optional(Text(512)),
    }),
    rule: "At most four a second and call; droppable, the last one wins.",
  },
  res: {
    from: "agent",
    fields: Type.Object({ id: Type.Optional(Id), stream: Stream, err: Type.Optional(Failure) }),
    rule: "With err: ends the stream without a body. Without: says whose late result the chunks of this stream are. An answer in time is chunks alone, the last flagged.",
  },
  ack: {
    from: "gateway",
    fields: Type.Object({ id: Id, delivered: Type.Boolean() }),
    rule: "Only after the outcome is stored; the agent keeps it until then.",
  },
  cancel: {
    from: "gateway",
    fields: Type.Object({ id: Id, what: Type.Union([Type.Literal("call"), Type.Literal("batch")]) }),
    rule: "Not started: CANCELLED, final. Started: a wish; the outcome decides.",
  },
  batch: {
    from: "gateway",
    fields: Type.Object({
      id: Id,
      stream: Stream,
      size: Type.Integer({ minimum: 2, maximum: BATCH_BYTES }),
      ttl_ms: Milliseconds,
      owner: Owner,
      confirm_token: Type.Optional(Text(512)),
    }),
    rule: "The operations follow as chunks. Answered by accepted (durable, runs on with the gateway gone), by a preview body, or by res with err.",
  },
  op: {
    from: "agent",
    fields: Type.Object({
      batch: Id,
      index: Count,
      tool: Text(256),
      state: State,
      owner: Owner,
      started_at: Type.Optional(Milliseconds),
      completed_at: Type.Optional(Milliseconds),
      stream: Type.Optional(Stream),
    }),
    rule: "Replayed after every ready until acknowledged. `stream` carries the result's body when there is one.",
  },
  "op.ack": {
    from: "gateway",
    fields: Type.Object({ batch: Id, index: Count }),
    rule: "The operation's state is stored.",
  },
  "manifest.get": {
    from: "gateway",
    fields: Type.Object({ stream: Stream }),
    rule: "Sent only when no manifest with the digest of hello is known; answered by chunks of at most 8 MiB.",
  },
  hb: {
    from: "both",
    fields: Type.Object({ at: Milliseconds }),
    rule: "Every 20 s ± 10 %. Any message counts as life; 45 s of silence ends the link on either side alone.",
  },
  "hb.ack": { from: "both", fields: Type.Object({ at: Milliseconds }), rule: "Echoes hb at once." },
  fence: {
    from: "gateway",
    fields: RESERVED,
    rule: "Reserved: an unknown id gets a tombstone, so a late call bounces and NEVER_EXECUTED is no guess.",
  },
  window: { from: "both", fields: RESERVED, rule: "Reserved: credit for a stream, or for all when 0." },
  goaway: { from: "gateway", fields: RESERVED, rule: "Reserved: reconnect elsewhere first, then let this link end." },
  event: { from: "agent", fields: RESERVED, rule: "Reserved: console events by number; an overflow is told as a gap." },
  "event.ack": { from: "gateway", fields: RESERVED, rule: "Reserved: events stored up to a number." },
  "key.next": { from: "agent", fields: RESERVED, rule: "Reserved: the next key, signed by the present one." },
} as const satisfies Record<string, FrameRow>;

export type FrameType = keyof typeof FRAMES;
export type FieldsOf<T extends FrameType> = Static<(typeof FRAMES)[T]["fields"]>;
export type Frame = { [T in FrameType]: { readonly t: T } & FieldsOf<T> }[FrameType];

/** The chunks of a `batch`, joined: what the agent checks before it journals anything. */
export const BatchOperations = Type.Array(
  Type.Object({
    index: Count,
    tool: Text(256),
    args: Arguments,
    console: Type.Optional(Text(128)),
    site: Type.Optional(Text(256)),
    after: Type.Optional(Type.Array(Count, { maxItems: BATCH_OPERATIONS })),
    deadlineMs: Type.Optional(Milliseconds),
    repeat: Type.Optional(Type.Boolean()),
  }),
  { minItems: 1, maxItems: BATCH_OPERATIONS },
);
