/** Both SDK clients against the deployed product, unaided from a bare 401: sign-in, every meta-tool, more rights, refresh. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Choice } from "../../src/cli/demo/person.ts";
import { type Application, FLAVOURS, isUnauthorized, openApplication } from "../support/sdk-application.ts";
import { type Answer, PERSON, startWorld, type World } from "../support/world.ts";

const MAY_WRITE: Choice = { ...PERSON, access: "unifi:write" };
const MAY_DELETE: Choice = { ...PERSON, access: "unifi:admin" };

const META = [
  "unifi_tool_index",
  "unifi_execute",
  "unifi_batch",
  "unifi_batch_status",
  "unifi_load_tools",
  "unifi_list_locations",
];

const execute = (application: Application, tool: string, args: object, location = "house"): Promise<Answer> =>
  application.call("unifi_execute", { tool, arguments: args, location });

test("every SDK client does the whole flow unaided", { timeout: 120_000 }, async (t) => {
  const world = await startWorld(t, {
    places: [
      { name: "House" },
      { name: "Office", console: { persona: "standalone", sites: [{ name: "default", data: "office" }] } },
    ],
  });
  const open = async (flavour: (typeof FLAVOURS)[number], choice: Choice) => {
    const application = await openApplication(flavour, world.mcpUrl, world.person, choice);
    t.after(() => application.client.close());
    return application;
  };
  const bystander = await open("v1", { ...PERSON, access: "unifi:read" });
  // a sign-in each: the pages let one address in ten times a minute
  const applications = new Map<string, Application>();

  for (const flavour of FLAVOURS) {
    await t.test(`${flavour}: lists, searches, reads, previews, confirms, runs a batch and loads tools`, async () => {
      const application = await open(flavour, MAY_WRITE);
      applications.set(flavour, application);
      await flow(world, application, flavour);

      const told = application.nextChange();
      await application.call("unifi_load_tools", { tools: ["unifi_list_networks"] });
      await told;
      const { tools } = await application.client.listTools();

      assert.deepEqual(
        tools.map(({ name }) => name),
        [...META, "unifi_list_networks"],
      );
      assert.equal(application.changes(), 1);
      assert.equal(bystander.changes(), 0);
    });
  }

  for (const flavour of ["v1", "v2 legacy"] as const) {
    await t.test(`${flavour}: a token refreshed in mid-session keeps the session and its stream`, async () => {
      const application = applied(applications, flavour);
      const session = application.sessionId();
      const before = application.tokens();
      before.access_token = `${before.access_token.slice(0, -4)}AAAA`;

      const places = await application.call("unifi_list_locations", {});
      const told = application.nextChange();
      await application.call("unifi_load_tools", { tools: ["unifi_list_clients"] });
      await told;

      assert.equal(places.count, 2);
      assert.notEqual(application.tokens().access_token, before.access_token);
      assert.ok(session);
      assert.equal(application.sessionId(), session);
      assert.equal(application.askedPeople(), 1);
    });
  }

  for (const flavour of ["v2 auto", "v2 legacy"] as const) {
    await t.test(`${flavour}: steps up for a delete when the person agrees, and goes on where it was`, async () => {
      const application = applied(applications, flavour);
      const id = await recordFor(application, flavour);
      const session = application.sessionId();

      await assert.rejects(execute(application, "unifi_delete_dns_record", { record_id: id }), isUnauthorized);
      await application.agree(MAY_DELETE);
      const gone = await deleted(application, id);

      assert.equal(gone.success, true);
      assert.equal(application.askedPeople(), 2);
      assert.equal(application.sessionId(), session);
      assert.equal(application.tokens().scope, "unifi:read unifi:write unifi:admin");
    });
  }

  await t.test("v1: cannot step up; it is told in words what the person can do, and that works", async () => {
    const narrow = applied(applications, "v1");
    const id = await recordFor(narrow, "v1");

    const refused = await execute(narrow, "unifi_delete_dns_record", { record_id: id });
    const again = await execute(narrow, "unifi_delete_dns_record", { record_id: id });
    const wide = await open("v1", MAY_DELETE);
    const gone = await deleted(wide, id);

    for (const answer of [refused, again]) {
      assert.equal(answer.code, "INSUFFICIENT_SCOPE");
      assert.equal(answer.executed, "no");
      assert.match(answer.hint, /Connect again and choose “Read, change and delete”/);
    }
    assert.equal(gone.success, true);
    assert.equal(wide.tokens().scope, "unifi:read unifi:write unifi:admin");
  });

  await t.test("v1: a personal access token as bearer needs no sign-in", async (t) => {
    const client = new ClientV1({ name: "script", version: "1" });
    const headers = { authorization: `Bearer ${await world.token(["unifi:read"])}` };
    const transport = new TransportV1(world.mcpUrl, { requestInit: { headers } });
    // exactOptionalPropertyTypes: the SDK's own transport lacks `| undefined` on its sessionId
    await client.connect(transport as unknown as Parameters<typeof client.connect>[0]);
    t.after(() => client.close());
    const call = async (tool: string, args: object) => {
      const request = { name: "unifi_execute", arguments: { tool, arguments: args, location: "house" } };
      const { content } = (await client.callTool(request)) as { content: { text: string }[] };
      return JSON.parse(content[0]?.text ?? "") as Answer;
    };

    const read = await call("unifi_list_networks", {});
    const refused = await call("unifi_delete_dns_record", { record_id: "1" });

    assert.equal(read.success, true);
    assert.equal(refused.code, "INSUFFICIENT_SCOPE");
    assert.match(refused.hint, /personal access token/);
  });
});

/** What every client does after sign-in. Each flavour makes a record of its own. */
async function flow(world: World, application: Application, flavour: string): Promise<void> {
  const { tools } = await application.client.listTools();
  const index = await application.call("unifi_tool_index", { search: "dns record" });
  const read = await application.call("unifi_execute", { tool: "unifi_list_networks" });
  const record = recordOf(flavour);
  const effects = world.consoles.get("house")?.effects.size;
  const preview = await execute(application, "unifi_create_dns_record", { record_data: record });
  const untouched = world.consoles.get("house")?.effects.size;
  const created = await execute(application, "unifi_create_dns_record", { record_data: record, confirm: true });
  const batch = await application.call("unifi_batch", {
    operations: ["house", "office"].map((location) => ({ tool: "unifi_get_system_info", location })),
  });
  const status = await application.call("unifi_batch_status", { batchId: batch.batchId, wait_seconds: 20 });

  assert.deepEqual(
    tools.map(({ name }) => name),
    META,
  );
  assert.ok(index.tools.some(({ name }: { name: string }) => name === "unifi_create_dns_record"));
  assert.deepEqual(
    read.locations.map((place: Answer) => [place.location, place.success]),
    [
      ["house", true],
      ["office", true],
    ],
  );
  assert.equal(preview.requires_confirmation, true);
  assert.equal(untouched, effects);
  assert.equal(created.success, true);
  assert.deepEqual(
    status.jobs.map((job: Answer) => [job.location, job.status]),
    [
      ["house", "done"],
      ["office", "done"],
    ],
  );
  assert.equal(application.askedPeople(), 1);
}

function applied(applications: ReadonlyMap<string, Application>, flavour: string): Application {
  const application = applications.get(flavour);
  assert.ok(application, `${flavour} did not get as far as this`);
  return application;
}

const recordOf = (flavour: string) => ({
  key: `${flavour.replace(" ", "-")}.lan.example`,
  value: "192.0.2.9",
  record_type: "A",
});

/** The id of the record that the flavour made before. */
async function recordFor(application: Application, flavour: string): Promise<string> {
  const { records } = await execute(application, "unifi_list_dns_records", {});
  return records.find(({ key }: Answer) => key === recordOf(flavour).key).id;
}

async function deleted(application: Application, id: string): Promise<Answer> {
  const question = await execute(application, "unifi_delete_dns_record", { record_id: id });
  return execute(application, "unifi_delete_dns_record", { record_id: id, confirm_token: question.confirm_token });
}
