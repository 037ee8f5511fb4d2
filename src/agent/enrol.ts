/** Spends a one-time token for an identity: the key is made here, and only its public half leaves the machine. */
import { readFile } from "node:fs/promises";
import { Compile } from "typebox/compile";
import { Agent, fetch as fetchThrough } from "undici";
import { EdgeError } from "../errors.ts";
import { ENROL_PATH, EnrolAnswer, makeEnrolmentProof } from "../tunnel/enrolment.ts";
import { type AgentIdentity, enrolmentKey, writeIdentity } from "./identity.ts";

const checkAnswer = Compile(EnrolAnswer);
const ANSWER_BYTES = 16 * 1024;
const ENROL_TIMEOUT_MS = 30_000;

/** As much of `fetch` as enrolment uses: the global one fits, and undici's with an authority of its own. */
export type EnrolFetch = (
  url: URL,
  init: {
    readonly method: "POST";
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly redirect: "error";
    readonly signal: AbortSignal;
  },
) => Promise<{ readonly ok: boolean; readonly status: number; text(): Promise<string> }>;

/** The global fetch, or one that trusts the authority in `caFile` (PEM) instead of the public ones. */
export async function fetchTrusting(caFile: string | undefined): Promise<EnrolFetch> {
  if (caFile === undefined) return fetch;
  const ca = await readFile(caFile).catch((cause: unknown) => {
    throw new EdgeError("CONFIG_INVALID", `The authority file ${caFile} cannot be read.`, { cause });
  });
  const dispatcher = new Agent({ connect: { ca } });
  return (url, init) => fetchThrough(url, { ...init, dispatcher });
}

export interface EnrolOptions {
  /** The gateway's public URL. */
  readonly gatewayUrl: string;
  readonly token: string;
  readonly stateDir: string;
  readonly fetch: EnrolFetch;
}

/**
 * Writes and returns the identity. Repeating it with the same token after a lost answer is harmless.
 * Throws AGENT_OFFLINE (gateway not reached), UNAUTHENTICATED (refused, in the gateway's words) or PROTOCOL_ERROR.
 */
export async function enrol(options: EnrolOptions): Promise<AgentIdentity> {
  const gateway = new URL(options.gatewayUrl);
  const key = await enrolmentKey(options.stateDir);
  const { d: _secret, ...jwk } = key;
  const proof = await makeEnrolmentProof(options.token, key, gateway.origin);
  const url = new URL(`${gateway.pathname.replace(/\/$/, "")}${ENROL_PATH}`, gateway);
  const response = await options
    .fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: options.token, jwk, proof }),
      redirect: "error",
      signal: AbortSignal.timeout(ENROL_TIMEOUT_MS),
    })
    .catch((cause: unknown) => {
      throw new EdgeError("AGENT_OFFLINE", `The gateway at ${gateway.origin} was not reached.`, {
        hint: "Check the gateway URL, DNS, and that this machine may open outgoing HTTPS connections.",
        cause,
      });
    });

  const answer = parse((await response.text()).slice(0, ANSWER_BYTES));
  if (!response.ok) throw refusal(response.status, answer);
  if (!checkAnswer.Check(answer)) {
    throw new EdgeError("PROTOCOL_ERROR", `${url.href} did not answer like a UniFi MCP Edge gateway.`);
  }
  const identity: AgentIdentity = {
    agent_id: answer.agent_id,
    org: answer.org,
    location: answer.location,
    gateway: gateway.href,
    jwk: key,
  };
  await writeIdentity(options.stateDir, identity);
  return identity;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal(status: number, answer: unknown): EdgeError {
  const words = typeof answer === "object" && answer !== null && "error" in answer ? String(answer.error) : "";
  return new EdgeError("UNAUTHENTICATED", `The gateway refused the enrolment (HTTP ${status}). ${words}`.trim(), {
    hint: "Tokens are for one gateway and expire; ask its operator for a new one.",
  });
}
