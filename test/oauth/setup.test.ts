/** The set-up link: once, from one browser, and only when all that was typed is good. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type TestContext, test } from "node:test";
import { createFirstStart } from "../../src/oauth/first-start.ts";
import { listAccounts, members } from "../../src/store/accounts.ts";
import { createEmbeddedStore } from "../../src/store/embedded.ts";
import { listLocations } from "../../src/store/locations.ts";
import { listOrganisations } from "../../src/store/organisations.ts";
import { ensureSetup } from "../../src/store/setup.ts";
import { createBrowser, createFixture, ORIGIN } from "../support/oauth-fixture.ts";

const TYPED = { name: "grace", password: "a long enough password", organisation: "Our Home", location: "Attic" };

async function firstStart(t: TestContext) {
  const parts = { store: createEmbeddedStore({ path: ":memory:", now: Date.now }), random: randomBytes, now: Date.now };
  t.after(() => parts.store.close());
  const setup = createFirstStart({ ...parts, agentCommand: (text) => `start --token ${text}` });
  const link = (await ensureSetup(parts.store, { ...parts, publicUrl: ORIGIN }))?.link ?? "";
  const { app } = await createFixture(t, { store: parts.store, withAccount: false, options: { setup } });
  return { app, store: parts.store, link };
}

test("the link makes an account that administers its organisation, a location and an agent's command", async (t) => {
  const { app, store, link } = await firstStart(t);
  const browser = createBrowser(app);

  const done = await browser.submit("/setup", (await browser.get(link)).text, TYPED);

  const [account] = await listAccounts(store);
  const [organisation] = await listOrganisations(store);
  const [location] = await listLocations(store, "our-home");
  assert.match(done.text, /start --token uee_/);
  assert.match(done.text, /UNIFI_HOST.*UNIFI_USERNAME.*UNIFI_PASSWORD/s);
  assert.deepEqual([account?.name, organisation?.name, location?.name], ["grace", "Our Home", "Attic"]);
  assert.deepEqual([...(await members(store, "our-home"))], [[account?.id, "admin"]]);
});

test("of two browsers that use the link at once, one sets up and the other is told it is over", async (t) => {
  const { app, store, link } = await firstStart(t);
  const browsers = [createBrowser(app), createBrowser(app)];
  const pages = await Promise.all(browsers.map((browser) => browser.get(link)));

  const done = await Promise.all(
    browsers.map((browser, index) =>
      browser.submit("/setup", pages[index]?.text ?? "", { ...TYPED, name: `name${index}` }),
    ),
  );

  assert.deepEqual(done.map(({ status }) => status).sort(), [200, 410]);
  assert.equal((await listAccounts(store)).length, 1);
});

test("what was typed wrongly is said, and the link stays good", async (t) => {
  const { app, store, link } = await firstStart(t);
  const browser = createBrowser(app);
  const page = (await browser.get(link)).text;

  const short = await browser.submit("/setup", page, { ...TYPED, password: "short" });
  const unnamed = await browser.submit("/setup", page, { ...TYPED, organisation: "???" });
  const good = await browser.submit("/setup", page, TYPED);

  assert.equal(short.status, 400);
  assert.match(short.text, /A password has at least 10 characters/);
  assert.match(short.text, /value="Our Home"/);
  assert.equal(unnamed.status, 400);
  assert.equal(good.status, 200);
  assert.equal((await listAccounts(store)).length, 1);
});

test("as-csrf: a set-up form from another browser, or a guessed or spent link, sets nothing up", async (t) => {
  const { app, store, link } = await firstStart(t);
  const page = (await createBrowser(app).get(link)).text;

  const foreign = await createBrowser(app).submit("/setup", page, TYPED);
  const guessed = await createBrowser(app).get("/setup?token=ues_guess");
  const none = await createBrowser(app).get("/setup");

  assert.deepEqual([foreign.status, guessed.status, none.status], [403, 410, 410]);
  assert.deepEqual(await listAccounts(store), []);
});
