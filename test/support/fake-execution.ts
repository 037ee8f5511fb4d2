/** An Execution and a LoadedTools that remember what they were asked and answer what the test says. */
import type {
  BatchQuestion,
  BatchStart,
  ExecuteRequest,
  Execution,
  LoadedTools,
  Outcome,
  Visible,
} from "../../src/mcp/execution.ts";
import type { Principal, Scope } from "../../src/principal.ts";

export function principal(over: Partial<Principal> = {}): Principal {
  return {
    subject: "ann",
    org: "acme",
    grant: "grant-1",
    client: "test",
    role: "admin",
    scopes: new Set<Scope>(["unifi:admin"]),
    locations: "all",
    expiresAtSeconds: Number.POSITIVE_INFINITY,
    ...over,
  };
}

export const TWO_LOCATIONS: Visible = {
  revision: "two",
  apps: new Set(["network"]),
  locations: [
    {
      id: "hq",
      name: "Head office",
      organisation: "Acme",
      status: "online",
      apps: ["network"],
      agent_version: "0.1.0",
    },
    {
      id: "shop",
      name: "Shop",
      organisation: "Acme",
      status: "offline",
      offline_since: "2026-11-01T00:00:00.000Z",
      apps: ["network"],
    },
  ],
  foreign: [],
  lacking: new Set(),
};

export function jsonOutcome(value: unknown, over: Partial<Outcome> = {}): Outcome {
  return { isError: false, type: "json", body: Buffer.from(JSON.stringify(value)), ...over };
}

export interface FakeExecution extends Execution {
  readonly asked: ExecuteRequest[];
  readonly batches: BatchStart[];
  readonly cancelledBatches: string[];
  readonly questions: { readonly question: BatchQuestion; readonly waitMs: number }[];
  view: Visible;
  /** Replaced by tests that need another answer. */
  answer: Execution["execute"];
}

export function fakeExecution(view: Visible = TWO_LOCATIONS): FakeExecution {
  const fake: FakeExecution = {
    asked: [],
    batches: [],
    cancelledBatches: [],
    questions: [],
    view,
    answer: async ({ tool }) => jsonOutcome({ location: "hq", success: true, tool }),
    visible: () => fake.view,
    execute(request, asking) {
      fake.asked.push(request);
      return fake.answer(request, asking);
    },
    async batch(request) {
      fake.batches.push(request);
      const jobs = request.operations.map(({ tool }, index) => ({ index, tool, jobId: `job-${index}` }));
      return jsonOutcome({ success: true, batchId: "batch-1", jobs, errors: null, message: `${jobs.length} started` });
    },
    async cancelBatch(batchId) {
      fake.cancelledBatches.push(batchId);
      return jsonOutcome({ success: true, batchId });
    },
    async batchStatus(question, waitMs) {
      fake.questions.push({ question, waitMs });
      return jsonOutcome({ status: "done", started: "2026-11-30T00:00:00Z", result: { success: true }, error: null });
    },
  };
  return fake;
}

export function fakeLoadedTools(limit = 40): LoadedTools {
  const byGrant = new Map<string, readonly string[]>();
  const listeners = new Set<(org: string, grant: string) => void>();
  const keyOf = ({ org, grant }: Principal) => `${org} ${grant}`;
  return {
    of: (who) => byGrant.get(keyOf(who)) ?? [],
    async add(who, names) {
      const after = [...new Set([...(byGrant.get(keyOf(who)) ?? []), ...names])].slice(0, limit);
      byGrant.set(keyOf(who), after);
      for (const listener of listeners) listener(who.org, who.grant);
      return after;
    },
    changed(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
