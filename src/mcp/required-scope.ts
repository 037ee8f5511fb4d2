/** Which scope a request needs, read from its body before the answer is opened: an HTTP 403 can then ask for it. */
import type { Catalog } from "../catalog/catalog.ts";
import { APPS, PREFIX_OF_APP } from "../catalog/manifest.ts";
import { ACTIONS_OF_ROLE, type Principal, SCOPE_OF_ACTION, SCOPES, type Scope } from "../principal.ts";
import { isRecord, isRequest } from "./json-rpc.ts";

const EXECUTES = new Set(APPS.map((app) => `${PREFIX_OF_APP[app]}_execute`));
const BATCHES = new Set(APPS.map((app) => `${PREFIX_OF_APP[app]}_batch`));

/** Judges each operation; a batch needs the strongest of them. */
const MAX_JUDGED = 500;

/**
 * The scope, or undefined where reading suffices. Never throws: what is malformed is told by the answer itself.
 * With a role that may not do it anyway the answer is undefined too: stepping up would not help.
 */
export function requiredScope(catalog: Catalog, body: unknown, role?: Principal["role"]): Scope | undefined {
  if (!isRequest(body) || body.method !== "tools/call") return undefined;
  const { name, arguments: args } = body.params ?? {};
  const needed = callsIn(name, args).flatMap(({ tool, args: own }) => {
    if (catalog.get(tool) === undefined) return [];
    const action = catalog.actionOf(tool, own);
    return role !== undefined && !ACTIONS_OF_ROLE[role].includes(action) ? [] : [SCOPE_OF_ACTION[action]];
  });
  const strongest = SCOPES.findLast((scope) => needed.includes(scope));
  return strongest === "unifi:read" ? undefined : strongest;
}

interface NamedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

function callsIn(name: unknown, args: unknown): readonly NamedCall[] {
  if (typeof name !== "string") return [];
  const given = recordOf(args);
  if (EXECUTES.has(name)) return namedCall(given);
  if (!BATCHES.has(name)) return [{ tool: name, args: given }];
  const operations = parsed(given.operations ?? given.calls);
  return Array.isArray(operations)
    ? operations.slice(0, MAX_JUDGED).flatMap((operation) => namedCall(recordOf(operation)))
    : [];
}

function namedCall(given: Readonly<Record<string, unknown>>): readonly NamedCall[] {
  const tool = given.tool ?? given.tool_name ?? given.name;
  return typeof tool === "string" ? [{ tool, args: recordOf(given.arguments ?? given.args) }] : [];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  const read = parsed(value);
  return isRecord(read) ? read : {};
}

function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
