import assert from "node:assert/strict";
import { test } from "node:test";
import { EdgeError } from "../../src/errors.ts";
import { chooseTargets } from "../../src/routing/locations.ts";
import { view } from "../support/fake-agents.ts";

const two = [view("home", "Ada's home"), view("office", "Office")];
const read = { tool: "unifi_list_clients", write: false, required: false };
const write = { tool: "unifi_block_client", write: true, required: false };

function ids(location: string | readonly string[] | undefined, wish = read) {
  return chooseTargets(two, { ...wish, location }).places.map((place) => place.id);
}

test("a read without location asks every visible place", () => {
  assert.deepEqual(ids(undefined), ["home", "office"]);
  assert.equal(chooseTargets(two, { ...read, location: undefined }).many, true);
});

test("a location is matched by id or exact name, whatever the case", () => {
  assert.deepEqual(ids("OFFICE"), ["office"]);
  assert.deepEqual(ids("ada's HOME"), ["home"]);
  assert.deepEqual(ids(["office", "home", "Office"]), ["office", "home"]);
});

test("an id wins over another place's name", () => {
  const places = [view("a", "b"), view("b", "c")];

  assert.deepEqual(
    chooseTargets(places, { ...read, location: "b" }).places.map((place) => place.id),
    ["b"],
  );
});

test("an unknown location is refused with the valid ones and never guessed", () => {
  assert.throws(
    () => ids("offic"),
    (error) =>
      error instanceof EdgeError &&
      error.code === "LOCATION_UNKNOWN" &&
      JSON.stringify(error.details).includes("home (Ada's home)"),
  );
});

test("a write needs exactly one location when two are visible", () => {
  for (const location of [undefined, "*", ["home", "office"]]) {
    assert.throws(
      () => ids(location, write),
      (error) => error instanceof EdgeError && error.code === "LOCATION_REQUIRED" && error.executed === "no",
    );
  }
  assert.deepEqual(ids(["office"], write), ["office"]);
});

test("a write may leave the location out when only one is visible", () => {
  const targets = chooseTargets([view("home")], { ...write, location: undefined });

  assert.deepEqual(
    targets.places.map((place) => place.id),
    ["home"],
  );
});

test("a fan-out asks at most twenty places, a longer explicit list is allowed", () => {
  const many = Array.from({ length: 21 }, (_, index) => view(`site-${index}`));

  assert.throws(
    () => chooseTargets(many, { ...read, location: "*" }),
    (error) => error instanceof EdgeError && error.code === "LOCATION_REQUIRED",
  );
  assert.equal(chooseTargets(many, { ...read, location: many.map((entry) => entry.id) }).places.length, 21);
});

test("UNIFI_REQUIRE_LOCATION turns the silent fan-out off", () => {
  assert.throws(
    () => chooseTargets(two, { ...read, required: true, location: undefined }),
    (error) => error instanceof EdgeError && error.code === "LOCATION_REQUIRED",
  );
  assert.equal(chooseTargets(two, { ...read, required: true, location: "*" }).places.length, 2);
});

test("nobody sees a place that consent left out", () => {
  assert.throws(
    () => chooseTargets([], { ...read, location: "home" }),
    (error) => error instanceof EdgeError && error.code === "LOCATION_UNKNOWN",
  );
});
