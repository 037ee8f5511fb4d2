/** What the agent keeps over all its links: which writes run, and outcomes that no gateway has taken. */
import { AgentSession, type Outcome, type Outcomes } from "./agent-session.ts";
import type { AgentPort, CallRequest } from "./calls.ts";
import type { FieldsOf } from "./frame.ts";
import { KEPT_RESULTS, OPEN_IDS } from "./limits.ts";
import type { Link } from "./link.ts";
import type { Timing } from "./timing.ts";

/** Lives as long as the agent's process, over all its links. */
export class AgentEnd implements Outcomes {
  readonly #port: AgentPort;
  readonly #timing: Timing;
  /** Writes that run, by id, and outcomes that no gateway has taken, oldest first. The journal has them as well. */
  readonly #running = new Set<string>();
  readonly #kept = new Map<string, Outcome>();
  #session: AgentSession | undefined;

  constructor(port: AgentPort, timing: Timing) {
    this.#port = port;
    this.#timing = timing;
  }

  /** For `hello.open`. */
  open(): FieldsOf<"hello">["open"] {
    return [
      ...[...this.#kept.keys()].map((id) => ({ id, state: "done" as const })),
      ...[...this.#running].map((id) => ({ id, state: "running" as const })),
    ].slice(0, OPEN_IDS);
  }

  /**
   * The link is ready: calls may come, and what waited is sent: what the gateway asked for, and what ended since
   * `hello` told it what was `open`. Returns the taker of the link's messages.
   */
  attach(link: Link, hello: FieldsOf<"hello">["open"], welcome: FieldsOf<"welcome">): AgentSession {
    for (const id of welcome.forget) this.#kept.delete(id);
    const session = new AgentSession(this.#port, this.#timing, link, this);
    this.#session = session;
    const told = new Set(hello.filter(({ state }) => state === "done").map(({ id }) => id));
    const wanted = new Set(welcome.resend);
    for (const [id, kept] of this.#kept) if (wanted.has(id) || !told.has(id)) session.sendLate(id, kept);
    return session;
  }

  detach(session: AgentSession): void {
    session.ended();
    if (this.#session === session) this.#session = undefined;
  }

  started(request: CallRequest): void {
    if (request.kind === "write") this.#running.add(request.id);
  }

  /** A write's outcome is kept until acknowledged; one whose link is gone is sent on the present one. */
  finished(request: CallRequest, outcome: Outcome, from: AgentSession): void {
    if (request.kind !== "write") return;
    this.#running.delete(request.id);
    this.#kept.set(request.id, outcome);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_RESULTS && oldest !== undefined) this.#kept.delete(oldest);
    const session = this.#session;
    if (session !== undefined && session !== from && !session.serves(request.id)) session.sendLate(request.id, outcome);
  }

  acknowledged(id: string, delivered: boolean): void {
    this.#kept.delete(id);
    this.#port.acknowledge(id, delivered);
  }
}
