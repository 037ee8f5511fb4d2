/** The event log: paged by the console, rendered, and read in its older form where that is all there is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../../src/controller/controller.ts";
import { EdgeError } from "../../src/errors.ts";
import { FAKE_NOW_MS, fakeNetwork } from "../support/fake-network.ts";
import { LAPTOP } from "./fixture.ts";
import { read, withCode } from "./support.ts";

const ENTRIES = 250;

/** A log of numbered entries that keeps to the asked page. */
function logPage(body: unknown): unknown {
  const { pageNumber, pageSize } = body as { pageNumber: number; pageSize: number };
  const numbers = Array.from({ length: ENTRIES }, (_, index) => index).slice(
    pageNumber * pageSize,
    (pageNumber + 1) * pageSize,
  );
  return { data: numbers.map((number) => ({ id: String(number) })), total_element_count: ENTRIES };
}

const paged = { "POST /system-log/all": logPage };

function idsOf(answer: Row): readonly unknown[] {
  return (answer.events as readonly Row[]).map((row) => row.id);
}

test("only the pages that hold the asked entries are fetched", async () => {
  const { context, requests } = fakeNetwork({ answers: paged });

  const answer = await read(context, "unifi_list_events", { start: 150, limit: 80 });

  assert.deepEqual(
    requests.map(({ body }) => (body as Row).pageNumber),
    [1, 2],
  );
  assert.deepEqual([idsOf(answer).at(0), idsOf(answer).at(-1), idsOf(answer).length], ["150", "229", 80]);
  assert.deepEqual([answer.total, answer.truncated], [ENTRIES, true]);
  assert.match(String(answer.hint), /start=230/);
});

test("the last page ends the reading, and nothing is called cut", async () => {
  const { context, requests } = fakeNetwork({ answers: paged });

  const answer = await read(context, "unifi_list_events", { start: 200, limit: 1000 });

  assert.equal(requests.length, 1);
  assert.deepEqual([idsOf(answer).length, answer.total, answer.truncated], [50, ENTRIES, undefined]);
});

test("the window reaches back from now, and the console searches the text", async () => {
  const { context, requests } = fakeNetwork({ answers: paged });

  await read(context, "unifi_list_events", { within_hours: 2, event_type: "roam", limit: 5 });

  const asked = requests.map(({ body }) => body as Row);
  assert.deepEqual(
    asked.map(({ timestampFrom, timestampTo, searchText }) => [timestampFrom, timestampTo, searchText]),
    [[FAKE_NOW_MS - 7_200_000, FAKE_NOW_MS, "roam"]],
  );
});

test("names are put into the message, and the actor's address beside it", async () => {
  const entry = {
    id: "1",
    key: "CLIENT_JOINED",
    severity: "LOW",
    timestamp: FAKE_NOW_MS,
    message_raw: "{CLIENT} joined {WLAN} at {UNKNOWN}",
    parameters: { CLIENT: { id: LAPTOP, name: "Laptop", ip: "192.168.1.31" }, WLAN: { name: "Demo WiFi" } },
  };
  const { context } = fakeNetwork({
    answers: { "POST /system-log/all": () => ({ data: [entry], total_element_count: 1 }) },
  });

  const answer = await read(context, "unifi_list_events");

  assert.deepEqual(answer.events, [
    {
      id: "1",
      key: "CLIENT_JOINED",
      msg: "Laptop joined Demo WiFi at {UNKNOWN}",
      time: "2026-11-30T08:00:00.000Z",
      mac: LAPTOP,
      ip: "192.168.1.31",
      severity: "LOW",
    },
  ]);
});

test("a console without the system log is read in the older way, each time anew", async () => {
  const old = { _id: "9", key: "EVT_WU_Connected", msg: "joined", time: FAKE_NOW_MS, user: LAPTOP };
  let absent = true;
  const { context } = fakeNetwork({
    answers: {
      "POST /stat/event": () => [old],
      "POST /system-log/all": (body) => {
        if (absent) throw new EdgeError("CONTROLLER_UNSUPPORTED", "no such path");
        return logPage(body);
      },
    },
  });

  const older = await read(context, "unifi_list_events");
  absent = false;
  const newer = await read(context, "unifi_list_events", { limit: 1 });

  assert.deepEqual([idsOf(older), idsOf(newer)], [["9"], ["0"]]);
  assert.equal((older.events as readonly Row[])[0]?.mac, LAPTOP);
});

test("a log that cannot be read is an error, not an empty list", async () => {
  const down = () => {
    throw new EdgeError("CONTROLLER_UNREACHABLE", "down");
  };
  const { context } = fakeNetwork({ answers: { "POST /system-log/all": down } });

  await assert.rejects(read(context, "unifi_list_events"), withCode("CONTROLLER_UNREACHABLE"));
});
