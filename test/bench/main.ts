/**
 * `npm run bench`: what requests cost, as ratios to a bare Fastify route that parses the same request and sends the same
 * bytes, in one run. Absolute times of a shared machine mean little; CPU per request against the yardstick, round by
 * round, does. Bare against bare is the control. Exits with 1 when a target is missed.
 * `npm run bench -- tool-index` measures only the cases that are named.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { postMcp, startWorld, type World } from "../support/world.ts";
import { CASES, type Case, MEMORY_PLACE, TLS_PLACE } from "./cases.ts";
import { type Load, measure, median, type Reading } from "./measure.ts";
import { printTable, type Row, sizesMeetTargets } from "./report.ts";
import { searchMeetsTargets } from "./search.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1.5);
/** At most 8 calls of one grant may wait at one place, so several grants share the connections. */
const GRANTS = 3;
const CONNECTIONS = 8 * GRANTS;

type End = () => Promise<void> | void;

const endings: End[] = [];
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void endAll().finally(() => process.exit(1)));
}
try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  await endAll();
}

/** Newest first, each once. */
async function endAll(): Promise<void> {
  for (let end = endings.pop(); end !== undefined; end = endings.pop()) await end();
}

async function run(): Promise<boolean> {
  const world = await startWorld(
    { after: (end) => void endings.push(end as End) }, // it ignores the test's context
    {
      gateway: { UNIFI_EDGE_REQUESTS_PER_SECOND: "100000" },
      places: [{ name: TLS_PLACE }, { name: MEMORY_PLACE, program: new URL("./agent.ts", import.meta.url) }],
    },
  );
  const tokens: string[] = [];
  for (let grant = 0; grant < GRANTS; grant++) tokens.push(await world.token());
  const cases: Case[] = [];
  for (const each of CASES) cases.push({ ...each, answer: await answerTo(each, world, tokens[0] ?? "") });
  const bare = fork(new URL("./bare.ts", import.meta.url), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  endings.push(() => void bare.kill());
  bare.send(cases.map(({ name, answer }) => ({ name, answer })));
  const [barePort] = (await once(bare, "message")) as [number];

  const wanted = process.argv.slice(2);
  const rows: Row[] = [];
  for (const each of cases.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const agent = each.place === undefined ? undefined : world.agents.get(each.place)?.pid;
    const common = { ...requestOf(each, tokens), connections: CONNECTIONS, seconds: SECONDS };
    const ours: Load = {
      ...common,
      url: world.mcpUrl.href,
      pids: { gateway: world.gateway.pid, ...(agent === undefined ? {} : { agent }) },
    };
    const theirs: Load = { ...common, url: `http://127.0.0.1:${barePort}/${each.name}`, pids: { bare: bare.pid ?? 0 } };
    rows.push(await compare(each, ours, theirs));
  }
  printTable(rows, {
    rounds: ROUNDS,
    seconds: SECONDS,
    connections: CONNECTIONS,
    load: loadavg()[0] ?? 0,
  });
  const sizesMet = sizesMeetTargets(cases);
  const searchMet = searchMeetsTargets();
  return sizesMet && searchMet && rows.every((row) => row.target !== "MISSED");
}

/** Throws when the answer is a refusal: there would be nothing to compare. */
async function answerTo(each: Omit<Case, "answer">, world: World, token: string): Promise<string> {
  const { status, text } = await postMcp(world.mcpUrl, token, each.method, each.params);
  if (status !== 200 || text.includes('"isError":true')) throw new Error(`${each.name}: ${text.slice(0, 300)}`);
  return text;
}

/** One warm-up, then rounds in which ours and the yardstick take turns, so that a drifting machine hits both. */
async function compare(each: Case, ours: Load, theirs: Load): Promise<Row> {
  // the compiler needs some ten thousand requests to be done
  await measure({ ...ours, seconds: 2 * SECONDS });
  await measure(theirs);
  const rounds: { ours: Reading; bare: Reading; again: Reading }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ bare: await measure(theirs), ours: await measure(ours), again: await measure(theirs) });
  }
  const over = (value: (round: (typeof rounds)[number]) => number) => median(rounds.map(value));
  const bareMicros = ({ bare, again }: (typeof rounds)[number]) => (cpu(bare, "bare") + cpu(again, "bare")) / 2;
  const gateway = over((round) => cpu(round.ours, "gateway") / bareMicros(round));
  const both =
    each.place === undefined ? undefined : gateway + over((round) => cpu(round.ours, "agent") / bareMicros(round));
  return {
    name: each.name,
    note: each.note,
    bytes: Buffer.byteLength(each.answer),
    bareMicros: over(bareMicros),
    gateway,
    both,
    requests: over(
      ({ ours: { requestsPerSecond }, bare, again }) =>
        (2 * requestsPerSecond) / (bare.requestsPerSecond + again.requestsPerSecond),
    ),
    control: over(({ bare, again }) => cpu(again, "bare") / cpu(bare, "bare")),
    target: verdict(each, gateway, both),
  };
}

function verdict({ limits }: Case, gateway: number, both: number | undefined): Row["target"] {
  if (limits === undefined) return "";
  const missed = gateway > limits.gateway || (both ?? 0) > (limits.both ?? Number.POSITIVE_INFINITY);
  return missed ? "MISSED" : "met";
}

function cpu({ cpuMicros }: Reading, name: string): number {
  return cpuMicros[name] ?? 0;
}

function requestOf(each: Case, tokens: readonly string[]): Pick<Load, "headers" | "body"> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    headers: tokens.map((token) => ({
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": each.method,
      authorization: `Bearer ${token}`,
      ...(typeof each.params.name === "string" ? { "mcp-name": each.params.name } : {}),
    })),
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: each.method, params: { ...each.params, _meta } }),
  };
}
