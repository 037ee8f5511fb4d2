import assert from "node:assert/strict";
import { test } from "node:test";
import { Directory, type PlaceRecord } from "../../src/routing/directory.ts";
import { fakeConnection, principal } from "../support/fake-agents.ts";

const BROKEN = Buffer.from("no manifest at all");

/** Two organisations; the first one's only agent showed something that is no manifest. */
function setUp() {
  const places = new Map<string, PlaceRecord[]>([
    [
      "hostile",
      [{ id: "den", name: "Den", lastSeen: { apps: ["network"], agentVersion: "9", manifestDigest: "broken" } }],
    ],
    ["home", [{ id: "house", name: "House" }]],
  ]);
  const stored = new Map<string, Buffer>([["broken", BROKEN]]);
  const warnings: string[] = [];
  const directory = new Directory({
    register: {
      organisations: async () => [...places.keys()].map((id) => ({ id, name: id })),
      places: async (org) => places.get(org) ?? [],
      saveStatus: async () => undefined,
      manifest: async (_org, digest) => stored.get(digest),
      saveManifest: async (_org, digest, bytes) => void stored.set(digest, bytes),
    },
    manifests: {
      ownDigest: "own",
      ownNames: new Set(["unifi_list_clients"]),
      read(bytes) {
        JSON.parse(bytes.toString());
        return { names: new Set<string>(), foreign: [] };
      },
    },
    now: () => 1_000,
    log: { warn: (_facts, message) => void warnings.push(message) },
  });
  return { directory, places, stored, warnings };
}

test("one organisation's unreadable manifest neither stops the start nor hides what changes elsewhere", async () => {
  const { directory, places, warnings } = setUp();

  await directory.refresh();
  const before = directory.visible(principal({ org: "home" })).locations.map(({ id }) => id);
  places.set("home", [
    { id: "house", name: "House" },
    { id: "barn", name: "Barn" },
  ]);
  await directory.refresh();
  const after = directory.visible(principal({ org: "home" })).locations.map(({ id }) => id);

  assert.deepEqual(before, ["house"]);
  assert.deepEqual(after, ["house", "barn"]);
  assert.ok(warnings.length > 0);
});

test("what an agent shows is stored only when it is a manifest", async () => {
  const { directory, stored } = setUp();
  await directory.refresh();

  await directory.attach(
    fakeConnection({ location: "house", manifestDigest: "also-broken", manifest: Buffer.from("[") }),
  );

  assert.equal(stored.has("also-broken"), false);
});

test("a place that was made a moment ago can be asked as soon as its agent is attached", async () => {
  const { directory, places } = setUp();
  await directory.refresh();
  places.get("home")?.push({ id: "office", name: "Office" });

  await directory.attach(fakeConnection({ location: "office" }));

  assert.deepEqual(
    directory.visible(principal()).locations.map(({ id, status }) => [id, status]),
    [
      ["house", "offline"],
      ["office", "online"],
    ],
  );
});
