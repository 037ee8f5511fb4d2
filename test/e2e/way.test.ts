/** The main way as it is deployed: gateway, two agents and two consoles, asked over HTTP. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callTool, startWorld } from "../support/world.ts";

for (const store of ["embedded", "redis"] as const) {
  test(`a read fans out and a write goes to one place (${store} store)`, async (t) => {
    const world = await startWorld(t, {
      store,
      places: [
        { name: "House" },
        { name: "Office", console: { persona: "standalone", sites: [{ name: "default", data: "office" }] } },
      ],
    });
    const token = await world.token();
    const execute = (tool: string, args: object, location?: string) =>
      callTool(world.mcpUrl, token, "unifi_execute", { tool, arguments: args, ...(location ? { location } : {}) });

    const read = await execute("unifi_list_networks", {});
    const refused = await execute("unifi_rename_client", { mac: "02:00:00:00:00:01", name: "x" });
    const clients = await execute("unifi_list_clients", {}, "house");
    const { mac } = clients.clients[0];
    const renamed = await execute(
      "unifi_rename_client",
      { mac_address: mac.toUpperCase().replaceAll(":", "-"), name: "Renamed", confirm: true },
      "house",
    );

    assert.deepEqual(
      read.locations.map((place: { location: string; success: boolean }) => [place.location, place.success]),
      [
        ["house", true],
        ["office", true],
      ],
    );
    assert.equal(refused.code, "LOCATION_REQUIRED");
    assert.equal(renamed.success, true);
    assert.equal([...(world.consoles.get("house")?.effects ?? [])].length, 1);
    assert.equal(world.consoles.get("office")?.effects.size, 0);
  });
}
