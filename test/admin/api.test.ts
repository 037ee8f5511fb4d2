/** The administration API, asked as a client asks. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import Fastify from "fastify";
import { ADMIN_PREFIX, type AgentAnswer } from "../../src/admin/answers.ts";
import { type AdminParts, buildAdminApi } from "../../src/admin/api.ts";
import { administrationTokens } from "../../src/admin/guard.ts";
import type { Decision } from "../../src/audit/audit.ts";
import { findAccessToken, issueAccessToken } from "../../src/store/access-tokens.ts";
import { redeemEnrolment } from "../../src/store/enrolment.ts";
import { findGrant, saveGrant } from "../../src/store/grants.ts";
import { claimOwner, releaseOwner } from "../../src/store/owners.ts";
import { createPlaces } from "../../src/store/places.ts";
import type { Store } from "../../src/store/store.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { countingRandom, fakeClock } from "../support/deterministic.ts";
import { describeOnEveryStore, type OpenStore } from "../support/stores.ts";

const PASSWORD = "correct horse battery";

async function start(t: TestContext, open: OpenStore, more: Partial<AdminParts> = {}) {
  const store = await open(t);
  const decisions: Decision[] = [];
  const revoked: string[] = [];
  const parts = { random: countingRandom(), now: fakeClock(Date.now()) };
  const app = buildAdminApi({
    store,
    ...parts,
    publicUrl: "https://edge.example.com",
    version: "1.2.3",
    audit: { record: (decision) => decisions.push(decision) },
    log: Fastify().log,
    revokeGrant: async (grant) => void revoked.push(grant),
    agentsConnected: () => 2,
    ...more,
  });
  t.after(() => app.close());
  const ask = async (method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object) => {
    const url = `${ADMIN_PREFIX}${path}`;
    const response = await app.inject({ method, url, ...(body === undefined ? {} : { payload: body }) });
    return { status: response.statusCode, body: response.json() };
  };
  return { store, app, ask, decisions, revoked, ...parts };
}

async function withLocation(t: TestContext, open: OpenStore) {
  const admin = await start(t, open);
  await admin.ask("POST", "/organisations", { name: "Acme" });
  await admin.ask("POST", "/organisations/acme/locations", { name: "North" });
  return admin;
}

function enrol(store: Store, token: string, key: string) {
  const tokenHash = createHash("sha256").update(token).digest("hex");
  const jwk = { kty: "OKP", crv: "Ed25519", x: key } as const;
  return redeemEnrolment(store, { tokenHash, thumbprint: key, jwk }, { random: randomBytes, now: Date.now });
}

describeOnEveryStore("Administration API", (open) => {
  test("organisations and locations are made, listed, renamed and removed", async (t) => {
    const { ask, store } = await withLocation(t, open);
    const seen = { apps: ["network"] as const, agentVersion: "1.0.0", manifestDigest: "d", offlineSinceMs: 0 };
    await createPlaces(store).saveStatus("acme", "north", seen);

    const renamed = await ask("PATCH", "/organisations/acme/locations/north", { name: "North Pole" });
    const listed = await ask("GET", "/organisations/acme/locations");
    const removed = await ask("DELETE", "/organisations/acme/locations/north");
    const left = await ask("GET", "/organisations/acme/locations");

    assert.deepEqual([renamed.body, removed.body], [{ done: true }, { done: true }]);
    assert.deepEqual(listed.body, [
      {
        id: "north",
        name: "North Pole",
        created: listed.body[0].created,
        status: "offline",
        offline_since: "1970-01-01T00:00:00.000Z",
        apps: ["network"],
        agent_version: "1.0.0",
      },
    ]);
    assert.deepEqual(left.body, []);
  });

  test("a location is online while a gateway holds its agent, not because a killed one once said so", async (t) => {
    const { ask, store } = await withLocation(t, open);
    await createPlaces(store).saveStatus("acme", "north", {
      apps: ["network"],
      agentVersion: "1.0.0",
      manifestDigest: "d",
    });
    const status = async () => (await ask("GET", "/organisations/acme/locations")).body[0].status;

    const left = await status();
    const owner = { replica: "one", address: "https://edge.example.com", agentId: "agt_1", epoch: 1 };
    await claimOwner(store, "acme", "north", owner);
    const held = await status();
    await releaseOwner(store, "acme", "north", owner);

    assert.deepEqual([left, held, await status()], ["offline", "online", "offline"]);
  });

  test("an enrolment token comes with the ready command and enrols an agent", async (t) => {
    const { ask, store } = await withLocation(t, open);

    const issued = await ask("POST", "/organisations/acme/locations/north/enrolment-tokens", { uses: 2 });
    const agent = await enrol(store, issued.body.token, "key-1");
    const listed = await ask("GET", "/organisations/acme/agents");

    assert.equal(
      issued.body.agent_command,
      `UNIFI_EDGE_GATEWAY=https://edge.example.com UNIFI_EDGE_TOKEN=${issued.body.token} unifi-edge agent`,
    );
    assert.deepEqual(
      listed.body.map(({ id, location, state, key }: AgentAnswer) => ({ id, location, state, key })),
      [{ id: agent.agentId, location: "north", state: "active", key: "key-1" }],
    );
  });

  test("a held agent is approved and takes over; removing the location revokes it", async (t) => {
    const { ask, store } = await withLocation(t, open);
    const issued = await ask("POST", "/organisations/acme/locations/north/enrolment-tokens", { uses: 2 });
    await enrol(store, issued.body.token, "old");
    const held = await enrol(store, issued.body.token, "new");

    const approved = await ask("POST", `/organisations/acme/agents/${held.agentId}/approve`);
    await ask("DELETE", "/organisations/acme/locations/north");
    const after = await ask("GET", "/organisations/acme/agents");

    const states = (agents: AgentAnswer[]) => agents.map(({ key, state }) => `${key} ${state}`).sort();
    assert.deepEqual(states(approved.body), ["new active", "old revoked"]);
    assert.deepEqual(states(after.body), ["new revoked", "old revoked"]);
  });

  test("accounts get roles, new passwords, and go; no answer shows a password or its hash", async (t) => {
    const { ask } = await withLocation(t, open);

    const made = await ask("POST", "/accounts", { name: "Ann", password: PASSWORD });
    await ask("PUT", "/organisations/acme/members/ann", { role: "operator" });
    const listed = await ask("GET", "/accounts");
    const changed = await ask("PUT", "/accounts/ANN/password", { password: "another good password" });
    await ask("PUT", "/organisations/acme/members/ann", { role: null });
    const without = await ask("GET", "/accounts");
    await ask("DELETE", "/accounts/Ann");

    assert.equal(made.status, 201);
    assert.deepEqual(listed.body, [
      { id: made.body.id, name: "Ann", created: made.body.created, roles: { acme: "operator" } },
    ]);
    assert.deepEqual(changed.body, { done: true });
    assert.deepEqual(without.body[0].roles, {});
    assert.deepEqual((await ask("GET", "/accounts")).body, []);
  });

  test("a personal access token is issued to a member, listed without itself, and revoked with its grant", async (t) => {
    const { ask, revoked } = await withLocation(t, open);
    await ask("POST", "/accounts", { name: "ann", password: PASSWORD });
    const wanted = { owner: "ann", label: "n8n", scopes: ["unifi:read"], locations: ["north"], ttl_seconds: 86_400 };

    const refused = await ask("POST", "/organisations/acme/access-tokens", wanted);
    await ask("PUT", "/organisations/acme/members/ann", { role: "viewer" });
    const issued = await ask("POST", "/organisations/acme/access-tokens", wanted);
    const nowhere = await ask("POST", "/organisations/acme/access-tokens", { ...wanted, locations: ["south"] });
    const listed = await ask("GET", "/organisations/acme/access-tokens");
    const gone = await ask("DELETE", `/organisations/acme/access-tokens/${issued.body.id}`);
    const again = await ask("DELETE", `/organisations/acme/access-tokens/${issued.body.id}`);

    assert.deepEqual([refused.status, issued.status, nowhere.status], [400, 201, 404]);
    assert.match(issued.body.token, /^uep_/);
    assert.deepEqual(
      { ...listed.body[0], created: "", ends: "" },
      {
        id: issued.body.id,
        label: "n8n",
        owner: "ann",
        locations: ["north"],
        scopes: ["unifi:read"],
        created: "",
        ends: "",
      },
    );
    assert.equal(JSON.stringify(listed.body).includes(issued.body.token), false);
    assert.deepEqual([gone.status, again.status], [200, 404]);
    assert.deepEqual(revoked, [`pat:${issued.body.id}`]);
  });

  test("grants are listed and revoked in their organisation only", async (t) => {
    const { ask, store, revoked, now } = await withLocation(t, open);
    await ask("POST", "/organisations", { name: "Other" });
    const grant = {
      id: "g1",
      subject: "acc_gone",
      org: "acme",
      client: "c1",
      clientName: "Claude",
      locations: "all" as const,
      scopes: ["unifi:read"],
      createdAtMs: now(),
      endsAtMs: now() + 60_000,
    };
    await saveGrant(store, grant, now());

    const listed = await ask("GET", "/organisations/acme/grants");
    const foreign = await ask("DELETE", "/organisations/other/grants/g1");
    const own = await ask("DELETE", "/organisations/acme/grants/g1");

    assert.deepEqual([listed.body[0].client, listed.body[0].subject], ["Claude", "acc_gone"]);
    assert.deepEqual([foreign.status, own.status], [404, 200]);
    assert.deepEqual(revoked, ["g1"]);
  });

  test("who is no longer a member loses every token and grant of that organisation", async (t) => {
    const { ask, store, revoked, now } = await withLocation(t, open);
    const { id: subject } = (await ask("POST", "/accounts", { name: "ann", password: PASSWORD })).body;
    await ask("PUT", "/organisations/acme/members/ann", { role: "viewer" });
    const wanted = { owner: "ann", label: "n8n", scopes: ["unifi:read"], locations: "all", ttl_seconds: 86_400 };
    const issued = await ask("POST", "/organisations/acme/access-tokens", wanted);
    const grant = {
      org: "acme",
      client: "c1",
      clientName: "Claude",
      locations: "all" as const,
      scopes: ["unifi:read"],
    };
    const times = { createdAtMs: now(), endsAtMs: now() + 60_000 };
    await saveGrant(store, { ...grant, ...times, id: "hers", subject }, now());
    await saveGrant(store, { ...grant, ...times, id: "another's", subject: "acc_other" }, now());

    await ask("PUT", "/organisations/acme/members/ann", { role: null });

    assert.deepEqual(revoked, ["hers", `pat:${issued.body.id}`]);
    assert.deepEqual((await ask("GET", "/organisations/acme/access-tokens")).body, []);
  });

  test("consent for a location that is removed does not pass to a later one of the same id", async (t) => {
    const { ask, store, revoked, now } = await withLocation(t, open);
    await ask("POST", "/organisations/acme/locations", { name: "South" });
    await ask("POST", "/accounts", { name: "ann", password: PASSWORD });
    await ask("PUT", "/organisations/acme/members/ann", { role: "viewer" });
    const wanted = { owner: "ann", label: "n8n", scopes: ["unifi:read"], ttl_seconds: 86_400 };
    const only = (await ask("POST", "/organisations/acme/access-tokens", { ...wanted, locations: ["north"] })).body;
    const both = (await ask("POST", "/organisations/acme/access-tokens", { ...wanted, locations: ["north", "south"] }))
      .body;
    const grant = { subject: "acc", org: "acme", client: "c1", clientName: "Claude", scopes: ["unifi:read"] };
    const times = { createdAtMs: now(), endsAtMs: now() + 60_000 };
    await saveGrant(store, { ...grant, ...times, id: "g-north", locations: ["north"] }, now());
    await saveGrant(store, { ...grant, ...times, id: "g-both", locations: ["south", "north"] }, now());
    await saveGrant(store, { ...grant, ...times, id: "g-all", locations: "all" }, now());

    await ask("DELETE", "/organisations/acme/locations/north");

    assert.deepEqual(revoked, ["g-north", `pat:${only.id}`]);
    assert.deepEqual((await findGrant(store, "g-both"))?.locations, ["south"]);
    assert.equal((await findGrant(store, "g-all"))?.locations, "all");
    assert.equal(await findAccessToken(store, only.token, now()), undefined);
    assert.deepEqual((await findAccessToken(store, both.token, now()))?.locations, ["south"]);
  });

  test("status tells version, store and how many agents are connected", async (t) => {
    const { ask, store, now } = await withLocation(t, open);

    const { body } = await ask("GET", "/status");

    assert.deepEqual(body, {
      version: "1.2.3",
      public_url: "https://edge.example.com",
      store: store.kind,
      started: new Date(now()).toISOString(),
      organisations: 1,
      agents_connected: 2,
    });
  });

  test("metrics are answered as Prometheus reads them", async (t) => {
    const metrics = createMetrics();
    metrics.counter("edge_calls_total", "Calls.").add();
    const { app } = await start(t, open, { metrics });

    const { headers, body } = await app.inject("/metrics");

    assert.equal(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    assert.match(body, /^edge_calls_total 1$/m);
  });

  const REFUSED = [
    ["an unknown organisation", "GET", "/organisations/nope/locations", undefined, 404, "NOT_FOUND"],
    ["an unknown location", "DELETE", "/organisations/acme/locations/nope", undefined, 404, "LOCATION_UNKNOWN"],
    ["an unknown route", "GET", "/nope", undefined, 404, "NOT_FOUND"],
    ["an unknown field", "POST", "/organisations", { name: "B", colour: "red" }, 400, "ARGUMENTS_INVALID"],
    ["a number for a name", "POST", "/organisations", { name: 7 }, 400, "ARGUMENTS_INVALID"],
    ["a taken id", "POST", "/organisations", { name: "acme" }, 400, "ARGUMENTS_INVALID"],
    ["a short password", "POST", "/accounts", { name: "bob", password: "short" }, 400, "ARGUMENTS_INVALID"],
    ["an unknown account", "PUT", "/organisations/acme/members/bob", { role: "admin" }, 404, "NOT_FOUND"],
    ["an unknown role", "PUT", "/organisations/acme/members/ann", { role: "king" }, 400, "ARGUMENTS_INVALID"],
    ["a large body", "POST", "/organisations", { name: "x".repeat(70_000) }, 413, "TOO_LARGE"],
  ] as const;
  for (const [what, method, path, payload, status, code] of REFUSED) {
    test(`${what} is refused in words`, async (t) => {
      const { ask } = await withLocation(t, open);

      const answer = await ask(method, path, payload);

      assert.deepEqual([answer.status, answer.body.code, answer.body.success], [status, code, false]);
      assert.ok(answer.body.error.length > 10);
    });
  }

  test("every change is audited with who did it and never with its body; reads are not", async (t) => {
    const { ask, decisions } = await start(t, open);

    await ask("POST", "/organisations", { name: "Acme" });
    await ask("POST", "/accounts", { name: "ann", password: "short" });
    await ask("GET", "/organisations");

    assert.deepEqual(
      decisions.map(({ tool, verdict, principal }) => [principal.subject, tool, verdict]),
      [
        ["local operator", "admin POST /admin/v1/organisations", "allowed"],
        ["local operator", "admin POST /admin/v1/accounts", "denied"],
      ],
    );
    assert.equal(JSON.stringify(decisions).includes("short"), false);
  });

  test("on its own port every request needs a bearer that holds", async (t) => {
    const authenticate = async (bearer: string) => (bearer === "good" ? "acc_1" : undefined);
    const { app, decisions } = await start(t, open, { authenticate });
    const ask = (authorization?: string) =>
      app.inject({
        method: "POST",
        url: `${ADMIN_PREFIX}/organisations`,
        payload: { name: "Acme" },
        headers: authorization === undefined ? {} : { authorization },
      });

    const statuses = [await ask(), await ask("Basic good"), await ask("Bearer bad"), await ask("Bearer good")];

    assert.deepEqual(
      statuses.map(({ statusCode }) => statusCode),
      [401, 401, 401, 201],
    );
    assert.equal(decisions.at(-1)?.principal.subject, "acc_1");
  });

  test("on its own port administration tokens open everything but issuing; other tokens open nothing", async (t) => {
    const local = await withLocation(t, open);
    const authenticate = administrationTokens(local.store, local.now);
    const remote = await start(t, async () => local.store, { authenticate });
    const ask = (method: "GET" | "POST", path: string, token: string) =>
      remote.app.inject({ method, url: path, headers: { authorization: `Bearer ${token}` } });
    const owner = { owner: "acc_1", org: "acme", locations: "all", scopes: ["unifi:admin"], label: "n8n" } as const;
    const personal = await issueAccessToken(local.store, { ...owner, ttlMs: 60_000 }, local);
    const issued = (await local.ask("POST", "/admin-tokens", { label: "CI" })).body;

    const read = await ask("GET", `${ADMIN_PREFIX}/organisations`, issued.token);
    const mint = await remote.app.inject({
      method: "POST",
      url: `${ADMIN_PREFIX}/admin-tokens`,
      payload: { label: "more" },
      headers: { authorization: `Bearer ${issued.token}` },
    });
    const refused = [
      await ask("GET", `${ADMIN_PREFIX}/organisations`, personal.token),
      await ask("GET", "/nope", "x"),
      await ask("GET", "/metrics", "x"),
    ];
    await local.ask("DELETE", `/admin-tokens/${issued.id}`);
    const after = await ask("GET", `${ADMIN_PREFIX}/organisations`, issued.token);

    assert.deepEqual([read.statusCode, mint.statusCode, after.statusCode], [200, 403, 401]);
    assert.match(mint.json().error, /own socket only/);
    for (const { statusCode, body } of refused) assert.deepEqual([statusCode, body], [401, after.body]);
  });
});
