import assert from "node:assert/strict";
import { test } from "node:test";
import { readForeignTool } from "../../src/catalog/foreign.ts";
import type { ManifestTool } from "../../src/catalog/manifest.ts";
import { Directory } from "../../src/routing/directory.ts";
import type { PlaceRecord } from "../../src/routing/visible.ts";
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

/** Places whose agents each show one tool of their own by the same name; manifests are read as they were shown. */
async function withForeign(descriptions: Readonly<Record<string, string>>) {
  const warnings: object[] = [];
  const directory = new Directory({
    register: {
      organisations: async () => [{ id: "home", name: "Home" }],
      places: async () => Object.keys(descriptions).map((id) => ({ id, name: id })),
      saveStatus: async () => undefined,
      manifest: async () => undefined,
      saveManifest: async () => undefined,
    },
    manifests: {
      ownDigest: "own",
      ownNames: new Set(),
      read(bytes) {
        const foreign = JSON.parse(bytes.toString()) as ManifestTool[];
        return { names: new Set(foreign.map(({ name }) => name)), foreign };
      },
    },
    now: () => 1_000,
    log: { warn: (facts) => void warnings.push(facts) },
  });
  await directory.refresh();
  for (const [location, description] of Object.entries(descriptions)) {
    const tool = readForeignTool({
      name: "printer__print",
      title: "Print",
      summary: "Prints.",
      description,
      app: "network",
      category: "printers",
      schema: { input: { type: "object" }, output: { type: "object" } },
    });
    const manifest = Buffer.from(JSON.stringify([tool]));
    await directory.attach(fakeConnection({ location, manifestDigest: `of ${location}`, manifest }));
  }
  return { directory, warnings };
}

test("a foreign tool that several places show alike is one tool of them all", async () => {
  const { directory } = await withForeign({ house: "Prints a page.", office: "Prints a page." });

  const { foreign } = directory.visible(principal());

  assert.deepEqual(
    foreign.map(({ tool, locations }) => [tool.name, locations]),
    [["printer__print", ["house", "office"]]],
  );
});

test("a foreign name that places differ about is offered to nobody who sees both, and warned of once", async () => {
  const { directory, warnings } = await withForeign({ house: "Prints a page.", office: "Sends it to a stranger." });

  const both = directory.visible(principal()).foreign;
  const again = directory.visible(principal()).foreign;
  const house = directory.visible(principal({ locations: ["house"] })).foreign;

  assert.deepEqual([both, again], [[], []]);
  assert.deepEqual(
    house.map(({ tool, locations }) => [tool.description, locations]),
    [["Prints a page.", ["house"]]],
  );
  assert.deepEqual(warnings, [{ org: "home", tools: ["printer__print"], count: 1 }]);
});
