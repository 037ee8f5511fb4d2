/** Checks a batch's list: its size, its indices, and that every operation can come to its turn. */
import { EdgeError } from "../errors.ts";
import type { BatchOperation } from "../tunnel/calls.ts";

export const MAX_OPERATIONS = 500;

/** Throws TOO_LARGE or ARGUMENTS_INVALID, naming the operation. */
export function assertOrder(operations: readonly BatchOperation[]): void {
  if (operations.length === 0) throw new EdgeError("ARGUMENTS_INVALID", "A batch needs at least one operation.");
  if (operations.length > MAX_OPERATIONS) {
    throw new EdgeError(
      "TOO_LARGE",
      `A batch holds at most ${MAX_OPERATIONS} operations; this one has ${operations.length}.`,
      {
        hint: "Send it in several batches.",
      },
    );
  }
  const waits = new Map(operations.map(({ index, after }) => [index, new Set(after ?? [])]));
  if (waits.size < operations.length) throw new EdgeError("ARGUMENTS_INVALID", "Two operations have the same index.");
  for (const [index, after] of waits) {
    const unknown = [...after].find((other) => !waits.has(other));
    if (unknown === undefined) continue;
    throw new EdgeError(
      "ARGUMENTS_INVALID",
      `Operation ${index} waits for operation ${unknown}, which is not in the batch.`,
    );
  }
  const stuck = circleIn(waits);
  if (stuck !== undefined) {
    throw new EdgeError("ARGUMENTS_INVALID", `Operation ${stuck} waits, through others, for itself.`);
  }
}

/** An operation that no order can reach: those that wait for nobody are taken out until none is left (Kahn). */
function circleIn(waits: Map<number, Set<number>>): number | undefined {
  const dependents = new Map<number, number[]>();
  for (const [index, after] of waits) {
    for (const other of after) dependents.set(other, [...(dependents.get(other) ?? []), index]);
  }
  const free = [...waits].filter(([, after]) => after.size === 0).map(([index]) => index);
  for (let index = free.pop(); index !== undefined; index = free.pop()) {
    waits.delete(index);
    for (const dependent of dependents.get(index) ?? []) {
      const after = waits.get(dependent);
      after?.delete(index);
      if (after?.size === 0) free.push(dependent);
    }
  }
  return waits.keys().next().value;
}
