/** A write's intent: stored before the write is sent, so that a re-issue meets its first outcome and never runs twice. */

export interface Intent {
  /** The call id that the agent's journal knows. */
  readonly id: string;
  /** A write is only ever resent to the journal that first got it (facts: tunnel 2.2). */
  readonly journalId: string;
  readonly fingerprint: string;
  readonly sentAtMs: number;
}

/** Made over the store; every method throws STORE_UNAVAILABLE when it cannot be reached. */
export interface Intents {
  /** The write with this call id, while it is unresolved or its answer was not delivered. */
  byId(org: string, id: string): Promise<Intent | undefined>;
  /** The newest unresolved or undelivered identical write. */
  twin(org: string, fingerprint: string): Promise<Intent | undefined>;
  open(org: string, intent: Intent): Promise<void>;
  /** The client has the answer: an identical write may run again. */
  settle(org: string, intent: Intent): Promise<void>;
}
