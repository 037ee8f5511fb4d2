/** Every named console lets an agent in, and each call answers or says plainly what that console lacks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CONSOLE_NAMES, consoleOptions } from "../../src/simulator/consoles.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { walkedAgent } from "../tools/walked-agent.ts";

const CALLS = [
  "unifi_list_clients",
  "unifi_list_events",
  "unifi_list_firewall_policies",
  "unifi_list_dns_records",
] as const;
/** What a console has no answer for. */
const LACKING: Readonly<Record<string, readonly string[]>> = { "standalone-7.4": ["unifi_list_dns_records"] };

for (const name of CONSOLE_NAMES) {
  test(`${name} answers the lists it has and names the ones it lacks`, async (t) => {
    const simulator = await startSimulator(consoleOptions(name));
    t.after(() => simulator.close());
    const agent = await walkedAgent(t, simulator);

    const lacking: string[] = [];
    for (const tool of CALLS) {
      const answer = await agent.call(tool, "read", {});
      if (tool === "unifi_list_firewall_policies") {
        const legacy = consoleOptions(name).firewall === "rules";
        assert.equal(JSON.stringify(answer).includes("unifi_list_legacy_firewall_rules"), legacy);
      }
      if (answer.success === true) continue;
      assert.match(JSON.stringify(answer), /Network version has no static-dns.*CONTROLLER_UNSUPPORTED/);
      lacking.push(tool);
    }

    assert.deepEqual(lacking, LACKING[name] ?? []);
    assert.equal(simulator.requests.filter(({ path }) => /\/api\/(auth\/)?login$/.test(path)).length, 1);
  });
}
