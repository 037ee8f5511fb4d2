/** One commit as one Lua script: the script, and a commit written as its keys and arguments. */
import { createHash } from "node:crypto";
import type { Commit } from "./store.ts";

/**
 * Arguments are a flat list of words, read from the left: first the count of conditions, then each condition, then
 * each effect. A key is written as its position in KEYS. Values stay raw strings: cjson would cost time and break
 * on text that is no UTF-8. Commands of Redis 7.0 and Valkey only.
 */
export const COMMIT_SCRIPT = `
local at = 0
local function word() at = at + 1; return ARGV[at] end
local function key() return KEYS[tonumber(word())] end
local function expire(k, ttl) if ttl ~= '' then redis.call('PEXPIRE', k, ttl) end end
for _ = 1, tonumber(word()) do
  local of, k = word(), key()
  local f = of == 'field' and word() or nil
  local is = word()
  if is == 'equals' then
    if (f and redis.call('HGET', k, f) or not f and redis.call('GET', k)) ~= word() then return 0 end
  else
    local found = f and redis.call('HEXISTS', k, f) or not f and redis.call('EXISTS', k)
    if found ~= (is == 'present' and 1 or 0) then return 0 end
  end
end
while at < #ARGV do
  local effect, k = word(), key()
  if effect == 'delete' then redis.call('DEL', k)
  elseif effect == 'set' then
    redis.call('SET', k, word())
    expire(k, word())
  elseif effect == 'put' then
    local ttl = word()
    for _ = 1, tonumber(word()) do redis.call('HSET', k, word(), word()) end
    expire(k, ttl)
  else
    for _ = 1, tonumber(word()) do redis.call('HDEL', k, word()) end
  end
end
return 1
`;

export const COMMIT_SHA1 = createHash("sha1").update(COMMIT_SCRIPT).digest("hex");

/** Redis takes whole milliseconds above zero; a shorter life is the shortest it can give. */
export function wholeTtlMs(ttlMs: number): number {
  return Math.max(1, Math.ceil(ttlMs));
}

/** The commit as the script's KEYS and ARGV. Order of effects: delete, set, removeFields, putFields. */
export function encodeCommit(commit: Commit): { keys: readonly string[]; words: readonly string[] } {
  const positions = new Map<string, number>();
  const at = (key: string) => {
    const known = positions.get(key);
    if (known !== undefined) return String(known);
    positions.set(key, positions.size + 1);
    return String(positions.size);
  };
  const ttl = (ttlMs: number | undefined) => (ttlMs === undefined ? "" : String(wholeTtlMs(ttlMs)));
  const conditions = commit.if ?? [];

  const words = [
    String(conditions.length),
    ...conditions.flatMap((condition) => [
      ...(condition.field === undefined ? ["key", at(condition.key)] : ["field", at(condition.key), condition.field]),
      ...("is" in condition ? [condition.is] : ["equals", condition.equals]),
    ]),
    ...(commit.delete ?? []).flatMap((key) => ["delete", at(key)]),
    ...(commit.set ?? []).flatMap(({ key, value, ttlMs }) => ["set", at(key), value, ttl(ttlMs)]),
    ...(commit.removeFields ?? []).flatMap(({ key, fields }) => ["remove", at(key), String(fields.length), ...fields]),
    ...(commit.putFields ?? []).flatMap(({ key, fields, ttlMs }) => {
      const entries = Object.entries(fields);
      if (entries.length === 0) return [];
      return ["put", at(key), ttl(ttlMs), String(entries.length), ...entries.flat()];
    }),
  ];
  return { keys: [...positions.keys()], words };
}
