/** The register's own id and birth: tokens older than it are refused, so an emptied register fails closed. */
import Type, { type Static } from "typebox";
import { registerKey } from "./keys.ts";
import type { RandomBytes } from "./password-hash.ts";
import type { Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

const Register = Type.Object({ id: Type.String(), bornAtMs: Type.Number() });
export type Register = Static<typeof Register>;
const readRegister = recordReader("register", Register);
const ID_BYTES = 12;

/** Reads it; the first replica to start makes it, the others find the same. */
export async function openRegister(
  store: Store,
  { random, now }: { random: RandomBytes; now: () => number },
): Promise<Register> {
  const key = registerKey();
  const fresh: Register = { id: random(ID_BYTES).toString("base64url"), bornAtMs: now() };
  await store.commit({ if: [{ key, is: "absent" }], set: [{ key, value: JSON.stringify(fresh) }] });
  return readRegister(await store.get(key)) ?? fresh;
}
