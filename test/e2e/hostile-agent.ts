/** Part of bad-input.test.ts: an agent that speaks the tunnel badly harms nobody but its own place. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { TestContext } from "node:test";
import type { WebSocket } from "ws";
import { readIdentity } from "../../src/agent/identity.ts";
import { connectToGateway } from "../../src/tunnel/connect.ts";
import { until } from "../support/until.ts";
import { type Answer, callTool, ORG, type World } from "../support/world.ts";

const RECORD = { key: "nas.example", value: "192.0.2.1", record_type: "A" };

/** A real key in the hands of somebody who speaks the tunnel badly: the office's agent makes way for them. */
export async function hostileAgent(t: TestContext, world: World, token: string): Promise<void> {
  await world.agents.get("office")?.kill();
  const identity = await readIdentity(world.stateDirs.get("office") ?? "");
  assert.ok(identity);
  const dial = async (): Promise<WebSocket> => {
    const attempt = await connectToGateway({
      gatewayUrl: world.publicUrl,
      agentId: identity.agent_id,
      key: identity.jwk,
      wallClock: Date.now,
      signal: t.signal,
    });
    assert.ok("socket" in attempt, "the gateway refused the key");
    attempt.socket.on("error", () => undefined);
    t.after(() => attempt.socket.terminate());
    return attempt.socket;
  };
  const hello = (bootId: string) =>
    JSON.stringify({
      t: "hello",
      agent_id: identity.agent_id,
      journal_id: "j",
      boot_id: bootId,
      last_epoch: 1,
      version: "9",
      features: [],
      manifest_digest: "0".repeat(64),
      apps: ["network"],
      consoles: [],
      open: [],
    });
  const becomeReady = async (bootId: string): Promise<WebSocket> => {
    const socket = await dial();
    socket.send(hello(bootId));
    const [welcome] = await once(socket, "message");
    socket.send(JSON.stringify({ t: "ready", epoch: JSON.parse(String(welcome)).epoch }));
    return socket;
  };
  const closed = async (socket: WebSocket): Promise<number> => ((await once(socket, "close")) as [number])[0];
  const house = () => callTool(world.mcpUrl, token, "unifi_execute", { tool: "unifi_list_sites", location: "house" });

  const MESSAGES: readonly (readonly [string, string | Buffer, number])[] = [
    ["what is not JSON", "{nope", 4400],
    ["a frame that only a gateway sends", '{"t":"call"}', 4400],
    ["a frame without its fields", '{"t":"op","batch":"b"}', 4400],
    ["a deep header", `{"t":"hb","at":1,"x":${"[".repeat(1000)}${"]".repeat(1000)}}`, 4400],
    ["a short chunk", Buffer.from([1, 0, 0]), 4400],
    ["2 MB in one message", "x".repeat(2 * 1024 * 1024), 1009],
  ];
  for (const [name, message, code] of MESSAGES) {
    await t.test(`an agent that sends ${name} loses its link, and only that`, async () => {
      const socket = await becomeReady(`boot-${name}`);
      const end = closed(socket);
      socket.send(message);

      assert.equal(await end, code);
      assert.equal((await house()).success, true);
    });
  }

  await t.test(
    "an agent that reports on another place's batch, or in frames of tomorrow, changes nothing",
    async () => {
      const operations = [{ tool: "unifi_get_system_info", location: "house" }];
      const { batchId } = await callTool(world.mcpUrl, token, "unifi_batch", { operations });
      await callTool(world.mcpUrl, token, "unifi_batch_status", { batchId, wait_seconds: 20 });
      const socket = await becomeReady("boot-liar");
      const owner = { org: ORG, grant: "g", subject: "s", client: "c" };
      socket.send('{"t":"frame-of-tomorrow","x":1}');
      socket.send(JSON.stringify({ t: "op", batch: batchId, index: 0, tool: "x", state: "error", owner }));
      const beat = once(socket, "message");
      socket.send(JSON.stringify({ t: "hb", at: 7 }));
      await beat;

      const status = await callTool(world.mcpUrl, token, "unifi_batch_status", { batchId });

      assert.equal(status.jobs[0].status, "done");
      assert.equal(status.jobs[0].location, "house");
      socket.terminate();
    },
  );

  await t.test("of two agents with one key the newest wins; while they take turns, writes there are held", async () => {
    const first = await becomeReady("twin-a");
    const end = closed(first);
    const second = await becomeReady("twin-b");
    const code = await end;
    const { locations } = await callTool(world.mcpUrl, token, "unifi_list_locations", {});
    const secondEnd = closed(second);
    await becomeReady("twin-a");
    await secondEnd;
    await becomeReady("twin-b");
    await until("the conflict is seen", () => world.gateway.output().includes("two agents use one key in turn"));

    const write = await callTool(world.mcpUrl, token, "unifi_execute", {
      tool: "unifi_create_dns_record",
      arguments: { record_data: RECORD, confirm: true },
      location: "office",
    });

    assert.equal(code, 4409);
    assert.equal(locations.find(({ id }: Answer) => id === "office").status, "online");
    assert.equal(write.code, "AGENT_CONFLICT");
    assert.match(write.hint, /Stop one of them/);
    assert.equal(write.executed, "no");
    assert.equal((await house()).success, true);
  });
}
