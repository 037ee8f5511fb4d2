/** Waits for what no event tells: asks until it holds. */
import { setTimeout as delay } from "node:timers/promises";

const ASK_EVERY_MS = 25;
const PATIENCE_MS = 30_000;

/** Throws after half a minute, naming what did not come. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const endsAt = Date.now() + PATIENCE_MS;
  while (Date.now() < endsAt) {
    if (await holds()) return;
    await delay(ASK_EVERY_MS);
  }
  throw new Error(`After ${PATIENCE_MS / 1000} s still not so: ${what}`);
}
