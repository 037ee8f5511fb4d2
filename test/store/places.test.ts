/** Organisations, locations, and what agents last said of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { locationsKey, manifestKey } from "../../src/store/keys.ts";
import {
  createLocation,
  getLocation,
  listLocations,
  removeLocation,
  renameLocation,
} from "../../src/store/locations.ts";
import { createOrganisation, getOrganisation, listOrganisations } from "../../src/store/organisations.ts";
import { createPlaces } from "../../src/store/places.ts";
import { describeOnEveryStore } from "../support/stores.ts";

const now = () => 1000;

describeOnEveryStore("Organisations and locations", (open) => {
  test("an organisation gets its id from its name", async (t) => {
    const store = await open(t);

    const made = await createOrganisation(store, { name: "  Müller & Söhne GmbH " }, now);

    assert.deepEqual(made, { id: "muller-sohne-gmbh", name: "Müller & Söhne GmbH", createdAtMs: 1000 });
    assert.deepEqual(await listOrganisations(store), [made]);
    assert.deepEqual(await getOrganisation(store, made.id), made);
  });

  test("of two creators of one organisation the second is refused", async (t) => {
    const store = await open(t);

    const results = await Promise.allSettled([
      createOrganisation(store, { name: "Acme" }, now),
      createOrganisation(store, { name: "ACME" }, now),
    ]);

    assert.deepEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    assert.equal((await listOrganisations(store)).length, 1);
  });

  test("an unknown organisation is refused with the valid ids", async (t) => {
    const store = await open(t);
    await createOrganisation(store, { id: "acme", name: "Acme" }, now);

    await assert.rejects(getOrganisation(store, "acne"), {
      code: "NOT_FOUND",
      details: { valid_organisations: ["acme"] },
    });
  });

  for (const id of ["", "-a", "a-", "A", "ä", "a:b", "a}b", "_", "x".repeat(41)]) {
    test(`the id ${JSON.stringify(id.slice(0, 8))} of ${id.length} characters is refused`, async (t) => {
      const store = await open(t);

      await assert.rejects(createOrganisation(store, { id, name: "Acme" }, now), { code: "ARGUMENTS_INVALID" });
    });
  }

  for (const name of ["", "   ", "two\nlines", "\u0007bell", "x".repeat(81)]) {
    test(`the name ${JSON.stringify(name.slice(0, 8))} of ${name.length} characters is refused`, async (t) => {
      const store = await open(t);

      await assert.rejects(createLocation(store, "acme", { id: "a", name }, now), { code: "ARGUMENTS_INVALID" });
    });
  }

  test("a location's name is unique in any case, in its organisation only", async (t) => {
    const store = await open(t);
    await createLocation(store, "acme", { id: "north", name: "Head Office" }, now);

    await assert.rejects(createLocation(store, "acme", { id: "south", name: "HEAD office" }, now), {
      code: "ARGUMENTS_INVALID",
    });
    await createLocation(store, "other", { id: "south", name: "HEAD office" }, now);

    assert.deepEqual(
      (await listLocations(store, "acme")).map(({ id }) => id),
      ["north"],
    );
  });

  test("a renamed location keeps its id, frees its old name and takes the new one", async (t) => {
    const store = await open(t);
    await createLocation(store, "acme", { id: "north", name: "Office" }, now);
    await createLocation(store, "acme", { id: "south", name: "Shop" }, now);

    await renameLocation(store, "acme", "north", "Headquarters");
    await renameLocation(store, "acme", "north", "HEADQUARTERS");
    await createLocation(store, "acme", { id: "east", name: "office" }, now);

    assert.equal((await getLocation(store, "acme", "north")).name, "HEADQUARTERS");
    await assert.rejects(renameLocation(store, "acme", "north", "shop"), { code: "ARGUMENTS_INVALID" });
    await assert.rejects(renameLocation(store, "acme", "west", "West"), {
      code: "LOCATION_UNKNOWN",
      details: { valid_locations: ["east", "north", "south"] },
    });
  });

  test("a removed location is gone with its name and status", async (t) => {
    const store = await open(t);
    const places = createPlaces(store);
    await createLocation(store, "acme", { id: "north", name: "Office" }, now);
    await places.saveStatus("acme", "north", { apps: ["network"], agentVersion: "1.0.0", manifestDigest: "d" });

    await removeLocation(store, "acme", "north");
    await createLocation(store, "acme", { id: "north", name: "Office" }, now);

    assert.deepEqual(await places.places("acme"), [{ id: "north", name: "Office" }]);
    await assert.rejects(removeLocation(store, "acme", "nowhere"), { code: "LOCATION_UNKNOWN" });
  });

  test("places tell what their agent last said", async (t) => {
    const store = await open(t);
    const places = createPlaces(store);
    await createOrganisation(store, { id: "acme", name: "Acme" }, now);
    await createLocation(store, "acme", { id: "north", name: "North" }, now);
    await createLocation(store, "acme", { id: "south", name: "South" }, now);
    const lastSeen = {
      apps: ["network", "protect"] as const,
      agentVersion: "1.0.0",
      manifestDigest: "abc",
      offlineSinceMs: 5,
    };

    await places.saveStatus("acme", "south", lastSeen);

    assert.deepEqual(await places.organisations(), [{ id: "acme", name: "Acme" }]);
    assert.deepEqual(await places.places("acme"), [
      { id: "north", name: "North" },
      { id: "south", name: "South", lastSeen },
    ]);
  });

  test("a manifest is kept by organisation and digest, byte by byte, and ends", async (t) => {
    const store = await open(t);
    const places = createPlaces(store);
    const bytes = Buffer.from('{"tools":["π"]}');

    await places.saveManifest("acme", "abc", bytes);

    assert.deepEqual(await places.manifest("acme", "abc"), bytes);
    assert.equal(await places.manifest("other", "abc"), undefined);
    assert.equal(await store.get(manifestKey("acme", "abc")), bytes.toString());
  });

  test("a damaged record is an error, not an absent one", async (t) => {
    const store = await open(t);

    await store.commit({ putFields: [{ key: locationsKey("acme"), fields: { north: '{"id":1}' } }] });

    await assert.rejects(listLocations(store, "acme"), {
      code: "INTERNAL",
      message: "The store holds a damaged location record.",
    });
  });
});
