/**
 * `npm run bench`: what requests cost, as ratios to a bare Fastify route with the same bytes, in one run. Absolute times
 * of a shared machine mean little; CPU per request against the yardstick, round by round, does. Bare against bare is the
 * control. Exits with 1 when a target is missed.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { postMcp, startWorld } from "../support/world.ts";
import { CASES, type Case, INDEX_BYTES_PER_TOOL, LAZY_LIST_BYTES } from "./cases.ts";
import { type Load, measure, median, type Reading } from "./measure.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
/** At most as many as one principal may have waiting at one place. */
const CONNECTIONS = 8;

interface Row {
  readonly name: string;
  readonly bytes: number;
  readonly bareMicros: number;
  readonly gateway: number;
  readonly both: number | undefined;
  readonly requests: number;
  readonly control: number;
  readonly missed: boolean;
}

const endings: (() => Promise<void> | void)[] = [];
try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  for (const end of endings.reverse()) await end();
}

async function run(): Promise<boolean> {
  const world = await startWorld(
    { after: (end) => void endings.push(end as () => Promise<void>) },
    { gateway: { UNIFI_EDGE_REQUESTS_PER_SECOND: "100000" } },
  );
  const token = await world.token();
  const cases: Case[] = [];
  for (const each of CASES) {
    const { status, text } = await postMcp(world.mcpUrl, token, each.method, each.params);
    if (status !== 200 || text.includes('"isError":true')) throw new Error(`${each.name}: ${text.slice(0, 300)}`);
    cases.push({ ...each, answer: text });
  }
  const bare = fork(new URL("./bare.ts", import.meta.url), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  endings.push(() => void bare.kill());
  bare.send(cases.map(({ name, answer }) => ({ name, answer })));
  const [barePort] = (await once(bare, "message")) as [number];

  const agent = world.agents.get("house");
  const pids = { gateway: world.gateway.pid, agent: agent?.pid ?? 0 };
  const rows: Row[] = [];
  for (const each of cases) {
    const common = { ...requestOf(each, token), connections: CONNECTIONS, seconds: SECONDS };
    const ours: Load = { ...common, url: world.mcpUrl.href, pids };
    const theirs: Load = { ...common, url: `http://127.0.0.1:${barePort}/${each.name}`, pids: { bare: bare.pid ?? 0 } };
    rows.push(await compare(each, ours, theirs));
  }
  print(rows);
  return printSizes(cases) && rows.every((row) => !row.missed);
}

/** One warm-up, then rounds in which ours and the yardstick take turns, so that a drifting machine hits both. */
async function compare(each: Case, ours: Load, theirs: Load): Promise<Row> {
  await measure(ours);
  await measure(theirs);
  const rounds: { ours: Reading; bare: Reading; again: Reading }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ bare: await measure(theirs), ours: await measure(ours), again: await measure(theirs) });
  }
  const cpu = ({ cpuMicros }: Reading, ...names: string[]) =>
    names.reduce((sum, name) => sum + (cpuMicros[name] ?? 0), 0);
  const bareOf = (round: (typeof rounds)[number]) => (cpu(round.bare, "bare") + cpu(round.again, "bare")) / 2;
  const gateway = median(rounds.map((round) => cpu(round.ours, "gateway") / bareOf(round)));
  const both =
    each.limits.both === undefined
      ? undefined
      : median(rounds.map((round) => cpu(round.ours, "gateway", "agent") / bareOf(round)));
  return {
    name: each.name,
    bytes: Buffer.byteLength(each.answer),
    bareMicros: median(rounds.map(bareOf)),
    gateway,
    both,
    requests: median(
      rounds.map(
        (round) => (2 * round.ours.requestsPerSecond) / (round.bare.requestsPerSecond + round.again.requestsPerSecond),
      ),
    ),
    control: median(rounds.map((round) => cpu(round.bare, "bare") / cpu(round.again, "bare"))),
    missed: gateway > each.limits.gateway || (both ?? 0) > (each.limits.both ?? Number.POSITIVE_INFINITY),
  };
}

function requestOf(each: Case, token: string): Pick<Load, "headers" | "body"> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": each.method,
      authorization: `Bearer ${token}`,
      ...(typeof each.params.name === "string" ? { "mcp-name": each.params.name } : {}),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: each.method, params: { ...each.params, _meta } }),
  };
}

function print(rows: readonly Row[]): void {
  console.log(
    `\nServer CPU per request and requests/s, relative to a bare Fastify route with the same bytes (authorization on, ${ROUNDS} rounds of ${SECONDS} s, medians)\n`,
  );
  console.table(
    rows.map(({ name, bytes, bareMicros, gateway, both, requests, control, missed }) => ({
      case: name,
      bytes,
      "bare µs": bareMicros.toFixed(0),
      "gateway ×": gateway.toFixed(2),
      "gateway+agent ×": both?.toFixed(2) ?? "",
      "requests/s ×": requests.toFixed(2),
      "bare/bare": control.toFixed(2),
      target: missed ? "MISSED" : "met",
    })),
  );
}

/** Counted on the HTTP body, where every quote inside the text block is escaped. */
function printSizes(cases: readonly Case[]): boolean {
  const list = cases.find((each) => each.name === "tools-list");
  const index = cases.find((each) => each.name === "tool-index");
  const listBytes = Buffer.byteLength(list?.answer ?? "");
  const indexBytes = Buffer.byteLength(index?.answer ?? "");
  const { result } = JSON.parse(index?.answer ?? "{}") as { result: { content: { text: string }[] } };
  const { count } = JSON.parse(result.content[0]?.text ?? "{}") as { count: number };
  const perTool = indexBytes / count;
  console.log(
    `lazy tools/list: ${listBytes} bytes (at most ${LAZY_LIST_BYTES}); compact index: ${perTool.toFixed(1)} bytes a tool over ${count} tools (under ${INDEX_BYTES_PER_TOOL})`,
  );
  return listBytes <= LAZY_LIST_BYTES && perTool < INDEX_BYTES_PER_TOOL;
}
