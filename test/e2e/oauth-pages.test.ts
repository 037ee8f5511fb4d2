/** The pages in a real browser, without scripts: from the client's request to its callback, and the first start. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { chromium, type Page } from "playwright-core";
import { createFirstStart } from "../../src/oauth/first-start.ts";
import { createEmbeddedStore } from "../../src/store/embedded.ts";
import { ensureSetup } from "../../src/store/setup.ts";
import { authorizePath, codeForm, createFixture, NAME, PASSWORD, register, token } from "../support/oauth-fixture.ts";

const CHROMIUM = "/usr/bin/chromium";
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

async function openBrowser(t: TestContext) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
  t.after(() => browser.close());
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  return { page, complaints };
}

/** A client's loopback listener: resolves with the query of its callback. */
async function openClient(t: TestContext) {
  const server = createServer((_request, response) => response.end("You may close this window."));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo; // listening on TCP
  return { redirect: `http://127.0.0.1:${port}/callback` };
}

/** The public URL must be known before the server listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // listening on TCP
  server.close();
  await once(server, "close");
  return port;
}

async function press(page: Page, button: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: button, exact: true }).click()]);
}

test("a person connects an app by clicking through the pages, and it gets its code", async (t) => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const { app, authorization, logged } = await createFixture(t, { options: { publicUrl: origin } });
  await app.listen({ port, host: "127.0.0.1" });
  const { redirect } = await openClient(t);
  const clientId = String((await register(app, { redirect_uris: [redirect] })).body.client_id);
  const { page, complaints } = await openBrowser(t);

  await page.goto(origin + authorizePath(clientId, { redirect_uri: redirect, resource: `${origin}/mcp` }));
  await page.getByText("This app runs on your own computer.").waitFor();
  await press(page, "Continue");
  await page.getByLabel("Name").fill(NAME);
  await page.getByLabel("Password").fill("not the password");
  await press(page, "Sign in");
  await page.getByRole("alert").getByText("Name or password is wrong.").waitFor();
  await page.getByLabel("Password").fill(PASSWORD);
  await press(page, "Sign in");
  await page.getByLabel("Read and change").check();
  await page.getByLabel("Only these").check();
  await page.getByLabel("Cabin").check();
  await press(page, "Allow");
  const back = new URL(page.url());
  const form = { ...codeForm(clientId, back.searchParams.get("code") ?? ""), redirect_uri: redirect };
  const { body } = await token(app, form);
  const principal = await authorization.verify(body.access_token ?? "");

  assert.equal(back.origin + back.pathname, redirect);
  assert.deepEqual(principal.locations, ["cabin"]);
  assert.deepEqual([...principal.scopes], ["unifi:read", "unifi:write"]);
  assert.deepEqual(
    complaints.filter((text) => /Content Security Policy/.test(text)),
    [],
  );
  assert.deepEqual(logged, []);
});

test("the set-up link makes the first account and shows the agent's command, once", async (t) => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const store = createEmbeddedStore({ path: ":memory:", now: Date.now });
  const parts = { store, random: randomBytes, now: Date.now };
  const setup = createFirstStart({ ...parts, agentCommand: (text) => `unifi-edge agent --token ${text}` });
  const link = (await ensureSetup(store, { ...parts, publicUrl: origin }))?.link ?? "";
  const { app } = await createFixture(t, { store, withAccount: false, options: { publicUrl: origin, setup } });
  t.after(() => store.close());
  await app.listen({ port, host: "127.0.0.1" });
  const { page } = await openBrowser(t);

  await page.goto(link);
  await page.getByLabel("Your name for signing in").fill("grace");
  await page.getByLabel("Password").fill("a long enough password");
  await press(page, "Create");
  const command = await page.locator("pre").textContent();
  await page.goto(link);

  assert.match(command ?? "", /^unifi-edge agent --token uee_[\w-]{43}$/);
  assert.equal(await page.locator("h1").textContent(), "This link no longer works");
});
