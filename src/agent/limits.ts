/** The agent's bounds, and the small outside things (timer, log) that its parts are handed. */
import { MAX_ANSWER_BYTES } from "./cap.ts";

/** Runs `run` after `delayMs`; the returned function calls it off. */
export type Timer = (delayMs: number, run: () => void) => () => void;

export interface AgentLog {
  info(facts: Readonly<Record<string, unknown>>, message: string): void;
  warn(facts: Readonly<Record<string, unknown>>, message: string): void;
}

export interface AgentLimits {
  /** Calls at once, outside batches. */
  readonly calls: number;
  /** Writes among them, outside batches. */
  readonly writes: number;
  /** Operations of batches at once, and writes among them. */
  readonly batchOperations: number;
  readonly batchWrites: number;
  readonly answerBytes: number;
  /** How long close() waits for writes that are under way. */
  readonly closeMs: number;
}

export const AGENT_LIMITS: AgentLimits = {
  calls: 32,
  writes: 8,
  batchOperations: 32,
  batchWrites: 8,
  answerBytes: MAX_ANSWER_BYTES,
  closeMs: 10_000,
};
