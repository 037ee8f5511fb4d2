/** The deny list: grants whose tokens must no longer be believed, in memory on every replica. */
import { deniedChannel, deniedGrantsKey } from "./keys.ts";
import type { Store } from "./store.ts";

export interface DeniedGrants {
  has(grant: string): boolean;
  /** Stored before it returns; other replicas hear of it at once, or see it at their next poll. */
  deny(grant: string, untilMs: number): Promise<void>;
  /** Reads the whole list again. Throws STORE_UNAVAILABLE. */
  poll(): Promise<void>;
  close(): Promise<void>;
}

export interface DeniedGrantsOptions {
  readonly now: () => number;
  /** Called once for every grant that becomes denied here, whoever denied it. */
  readonly onDenied: (grant: string) => void;
}

/** Subscribes and reads the list once. The caller polls about every second: a published hint may be lost. */
export async function openDeniedGrants(store: Store, { now, onDenied }: DeniedGrantsOptions): Promise<DeniedGrants> {
  const denied = new Map<string, number>();

  function learn(grant: string, untilMs: number): void {
    const isNew = !denied.has(grant);
    denied.set(grant, untilMs);
    if (isNew) onDenied(grant);
  }

  async function poll(): Promise<void> {
    for (const [grant, until] of await store.getMap(deniedGrantsKey())) {
      if (Number(until) > now()) learn(grant, Number(until));
    }
    for (const [grant, untilMs] of denied) if (untilMs <= now()) denied.delete(grant);
  }

  async function deny(grant: string, untilMs: number): Promise<void> {
    const ended = [...(await store.getMap(deniedGrantsKey()))].filter(([, until]) => Number(until) <= now());
    const others = ended.map(([id]) => id).filter((id) => id !== grant);
    await store.commit({
      putFields: [{ key: deniedGrantsKey(), fields: { [grant]: String(untilMs) } }],
      removeFields: [{ key: deniedGrantsKey(), fields: others }],
    });
    learn(grant, untilMs);
    // Denied it is, whether or not the others hear of it now: they poll.
    await store.publish(deniedChannel(), JSON.stringify([grant, untilMs])).catch(() => undefined);
  }

  const unsubscribe = await store.subscribe(deniedChannel(), (message) => {
    const [grant, untilMs] = readHint(message);
    if (grant !== undefined && untilMs > now()) learn(grant, untilMs);
  });
  await poll();
  return { has: (grant) => (denied.get(grant) ?? 0) > now(), deny, poll, close: unsubscribe };
}

function readHint(message: string): [string | undefined, number] {
  try {
    const hint: unknown = JSON.parse(message);
    if (Array.isArray(hint) && typeof hint[0] === "string" && typeof hint[1] === "number") return [hint[0], hint[1]];
  } catch {
    // A hint that cannot be read is a lost hint: the poll will find it.
  }
  return [undefined, 0];
}
