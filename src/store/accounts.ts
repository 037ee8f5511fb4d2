/** Local accounts and who holds which role in which organisation. */
import Type, { type Static } from "typebox";
import { EdgeError } from "../errors.ts";
import { ROLES, type Role } from "../principal.ts";
import { accountByNameKey, accountsKey, membersKey } from "./keys.ts";
import { hashPassword, type RandomBytes } from "./password-hash.ts";
import type { Commit, Store } from "./store.ts";
import { recordReader } from "./stored-record.ts";

const AccountRecord = Type.Object({
  id: Type.String(),
  /** As the person writes it; found by its lower-case form. */
  name: Type.String(),
  email: Type.Optional(Type.String()),
  passwordHash: Type.String(),
  createdAtMs: Type.Number(),
});
type AccountRecord = Static<typeof AccountRecord>;
const readAccount = recordReader("account", AccountRecord);

/** An account without its password's hash. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  readonly createdAtMs: number;
}

export const NAME_PATTERN = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,63}$/u;
export const PASSWORD_MIN_LENGTH = 10;
/** Longer ones cost hashing time and add nothing. */
export const PASSWORD_MAX_LENGTH = 256;
const ID_BYTES = 12;

export interface NewAccount {
  readonly name: string;
  readonly password: string;
  readonly email?: string;
}

export interface CreateAccountParts {
  readonly random: RandomBytes;
  readonly now: () => number;
  /** What has to hold, and is used up, in the same step: a set-up token. */
  readonly spending?: Required<Pick<Commit, "if" | "delete">>;
  /** Says why the step was refused; by default, that the name is taken. */
  readonly refused?: () => EdgeError;
}

/** Creates a local account. Throws ARGUMENTS_INVALID for a taken or odd name, or a password that is too short. */
export async function createAccount(store: Store, account: NewAccount, parts: CreateAccountParts): Promise<Account> {
  const { random, now, spending = { if: [], delete: [] } } = parts;
  const name = account.name.trim().normalize("NFC");
  checkName(name);
  checkPassword(account.password);
  const record: AccountRecord = {
    id: `acc_${random(ID_BYTES).toString("base64url")}`,
    name,
    ...(account.email === undefined ? {} : { email: account.email }),
    passwordHash: await hashPassword(account.password, random),
    createdAtMs: now(),
  };
  const nameKey = accountByNameKey(name.toLowerCase());
  const created = await store.commit({
    if: [{ key: nameKey, is: "absent" }, ...spending.if],
    set: [{ key: nameKey, value: record.id }],
    putFields: [{ key: accountsKey(), fields: { [record.id]: JSON.stringify(record) } }],
    delete: spending.delete,
  });
  if (created) return withoutHash(record);
  throw parts.refused?.() ?? new EdgeError("ARGUMENTS_INVALID", `There is already an account named ${name}.`);
}

/** All accounts, by name. */
export async function listAccounts(store: Store): Promise<Account[]> {
  const fields = await store.getMap(accountsKey());
  const accounts = [...fields.values()].flatMap((text) => readAccount(text) ?? []);
  return accounts.map(withoutHash).sort((one, other) => one.name.localeCompare(other.name));
}

/** The account of this id, or undefined. */
export async function findAccount(store: Store, id: string): Promise<Account | undefined> {
  const record = readAccount(await store.getField(accountsKey(), id));
  return record && withoutHash(record);
}

/** The account of this login name in any case, with its hash, for sign-in only. */
export async function findAccountForSignIn(store: Store, name: string): Promise<AccountRecord | undefined> {
  const id = await store.get(accountByNameKey(name.trim().normalize("NFC").toLowerCase()));
  return id === undefined ? undefined : readAccount(await store.getField(accountsKey(), id));
}

/** Sets a new password. Throws NOT_FOUND for an unknown name. */
export async function setPassword(store: Store, name: string, password: string, random: RandomBytes): Promise<void> {
  checkPassword(password);
  const record = await existing(store, name);
  const changed: AccountRecord = { ...record, passwordHash: await hashPassword(password, random) };
  await store.commit({
    if: [{ key: accountByNameKey(record.name.toLowerCase()), equals: record.id }],
    putFields: [{ key: accountsKey(), fields: { [record.id]: JSON.stringify(changed) } }],
  });
}

/** Removes the account and its roles in these organisations: its tokens stop with its membership. */
export async function removeAccount(store: Store, name: string, organisations: readonly string[]): Promise<void> {
  const record = await existing(store, name);
  for (const org of organisations) await setMember(store, org, record.id, undefined);
  await store.commit({
    delete: [accountByNameKey(record.name.toLowerCase())],
    removeFields: [{ key: accountsKey(), fields: [record.id] }],
  });
}

/** Gives an account a role in an organisation; undefined takes it away. */
export async function setMember(store: Store, org: string, accountId: string, role: Role | undefined): Promise<void> {
  const key = membersKey(org);
  await store.commit(
    role === undefined
      ? { removeFields: [{ key, fields: [accountId] }] }
      : { putFields: [{ key, fields: { [accountId]: role } }] },
  );
}

/** Account id → role of everybody in the organisation. */
export async function members(store: Store, org: string): Promise<ReadonlyMap<string, Role>> {
  const fields = await store.getMap(membersKey(org));
  return new Map([...fields].flatMap(([id, role]) => (isRole(role) ? [[id, role] as const] : [])));
}

/** The account's role in the organisation, or undefined when it has none. */
export async function roleOf(store: Store, org: string, accountId: string): Promise<Role | undefined> {
  const role = await store.getField(membersKey(org), accountId);
  return role !== undefined && isRole(role) ? role : undefined;
}

function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text);
}

async function existing(store: Store, name: string): Promise<AccountRecord> {
  const record = await findAccountForSignIn(store, name);
  if (record === undefined) throw new EdgeError("NOT_FOUND", `There is no account named ${name}.`);
  return record;
}

function checkName(name: string): void {
  if (NAME_PATTERN.test(name)) return;
  throw new EdgeError(
    "ARGUMENTS_INVALID",
    "A name has 1 to 64 letters, digits or . _ @ + - and starts with a letter or digit.",
  );
}

function checkPassword(password: string): void {
  if (password.length < PASSWORD_MIN_LENGTH) {
    throw new EdgeError("ARGUMENTS_INVALID", `A password has at least ${PASSWORD_MIN_LENGTH} characters.`);
  }
  if (password.length > PASSWORD_MAX_LENGTH) {
    throw new EdgeError("ARGUMENTS_INVALID", `A password has at most ${PASSWORD_MAX_LENGTH} characters.`);
  }
}

function withoutHash({ passwordHash: _, ...account }: AccountRecord): Account {
  return account;
}
