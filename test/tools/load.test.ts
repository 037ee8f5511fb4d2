/** A large site under a burst: one sign-in, lists shared, memory bounded, requests counted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { walkedAgent } from "./walked-agent.ts";

const IN_FLIGHT = 32;
const BURSTS = 1;
/** Far above what a burst's rows weigh, far below what keeping every burst's rows would cost. */
const MOST_GROWTH_MB = 200;

const TOOLS: readonly (readonly [tool: string, args: object])[] = [
  ["unifi_list_clients", { limit: 5 }],
  ["unifi_list_devices", { limit: 5 }],
  ["unifi_list_firewall_policies", {}],
];

test(`${IN_FLIGHT} calls at once on a site of 5,000 clients and 300 devices`, async (t) => {
  const simulator = await startSimulator({ persona: "unifi-os", scale: { clients: 5000, devices: 300 } });
  t.after(() => simulator.close());
  const agent = await walkedAgent(t, simulator);
  const requests = (since: number) => simulator.requests.slice(since).map(({ method, path }) => `${method} ${path}`);

  const heapMb = () => process.memoryUsage().heapUsed / 1024 / 1024;
  await agent.call("unifi_list_clients", "read", { limit: 5 });
  const heapBefore = heapMb();
  for (const [tool, args] of TOOLS) {
    const since = simulator.requests.length;
    await agent.call(tool, "read", { ...args });
    const alone = simulator.requests.length - since;

    const burstSince = simulator.requests.length;
    const answers = await Promise.all(Array.from({ length: IN_FLIGHT }, () => agent.call(tool, "read", { ...args })));
    const burst = requests(burstSince);

    t.diagnostic(`${tool}: ${alone} console requests alone, ${burst.length} for ${IN_FLIGHT} at once`);
    for (const answer of answers) assert.equal(answer.success, true, JSON.stringify(answer).slice(0, 300));
    assert.equal(new Set(burst).size, burst.length, "a burst asks for each list once");
    assert.ok(burst.length <= alone);
  }
  for (let burst = 0; burst < BURSTS; burst += 1) {
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, (_, at) => {
        const [tool, args] = TOOLS[at % TOOLS.length] ?? assert.fail();
        return agent.call(tool, "read", { ...args });
      }),
    );
  }
  const grown = heapMb() - heapBefore;
  t.diagnostic(`heap grew by ${Math.round(grown)} MB`);

  assert.equal(requests(0).filter((request) => request.endsWith("/login")).length, 1);
  assert.ok(grown < MOST_GROWTH_MB, `${grown} MB`);
});
