/** Waits for work that others share, no longer than this caller wants to; the work itself goes on. */
import { EdgeError } from "../../errors.ts";

/** @throws EdgeError CANCELLED when the signal aborts first */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  const { promise: cancelled, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new EdgeError("CANCELLED", "The call was cancelled before its request was sent."));
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([cancelled, work]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
