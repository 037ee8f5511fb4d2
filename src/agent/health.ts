/** The light server's `/health`: connected, reachable and signed in, asked at most once in ten seconds. */
import type { ConsoleStatus } from "../controller/controller.ts";
import type { ConsolePlace } from "./prepared.ts";

const CACHE_MS = 10_000;

export interface HealthAnswer {
  readonly status: 200 | 503;
  readonly body:
    | { readonly status: "ok"; readonly controller: string; readonly site: string; readonly write_enabled: boolean }
    | { readonly status: "error"; readonly error: string };
}

export interface HealthDeps {
  readonly consoles: ReadonlyMap<string, ConsolePlace>;
  readonly writesAllowed: boolean;
  readonly monotonicNow: () => number;
}

/** What each state is called in the error; the console's own reason follows. */
const WORDS: Readonly<Record<Exclude<ConsoleStatus["state"], "connected">, string>> = {
  not_connected: "not connected",
  unreachable: "controller unreachable",
  bad_credentials: "bad credentials",
  backing_off: "sign-in is backing off",
};

/** Speaks of the first console. Callers within ten seconds share one answer, also while it is being asked for. */
export function createHealth(deps: HealthDeps): () => Promise<HealthAnswer> {
  let cached: { readonly untilMs: number; readonly answer: Promise<HealthAnswer> } | undefined;
  return () => {
    if (cached === undefined || deps.monotonicNow() >= cached.untilMs) {
      cached = { untilMs: deps.monotonicNow() + CACHE_MS, answer: ask(deps) };
    }
    return cached.answer;
  };
}

async function ask(deps: HealthDeps): Promise<HealthAnswer> {
  const place = deps.consoles.values().next().value;
  if (place === undefined) return failed("no console is configured");
  try {
    const status = await place.network.status();
    if (status.state !== "connected") return failed(`${WORDS[status.state]}: ${status.reason}`);
    return {
      status: 200,
      body: { status: "ok", controller: place.address, site: place.defaultSite, write_enabled: deps.writesAllowed },
    };
  } catch (error) {
    return failed(`controller unreachable: ${error instanceof Error ? error.message : "unknown reason"}`);
  }
}

function failed(error: string): HealthAnswer {
  return { status: 503, body: { status: "error", error } };
}
