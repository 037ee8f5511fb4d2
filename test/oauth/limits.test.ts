/** Limits and headers of the OAuth routes, and that they stay there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import Fastify from "fastify";
import { createFixture, register, token } from "../support/oauth-fixture.ts";

test("a flood of registrations from one address is refused, and nothing else is", async (t) => {
  const { app } = await createFixture(t);

  const statuses: number[] = [];
  for (let sent = 0; sent < 31; sent += 1) statuses.push((await register(app)).status);

  assert.deepEqual([statuses.indexOf(429), statuses.at(-2), statuses.length], [30, 201, 31]);
  assert.equal((await token(app, { grant_type: "authorization_code" })).status, 400);
});

test("a flood of posted forms from one address is refused with a page", async (t) => {
  const { app } = await createFixture(t);
  const post = () => app.inject({ method: "POST", url: "/oauth/interaction/x", payload: {} });
  for (let sent = 0; sent < 30; sent += 1) assert.equal((await post()).statusCode, 400);

  const limited = await post();

  assert.equal(limited.statusCode, 429);
  assert.match(limited.body, /Too many requests/);
});

test("other routes beside the plugin get none of its limits, headers, parsers or cookies", async (t) => {
  const { authorization } = await createFixture(t);
  const app = Fastify();
  t.after(() => app.close());
  await app.register(authorization.plugin);
  app.post("/mcp", async (request) => ({ body: request.body, cookies: "cookies" in request }));

  const answers = await Promise.all(
    Array.from({ length: 300 }, () => app.inject({ method: "POST", url: "/mcp", payload: { a: 1 } })),
  );
  const form = await app.inject({
    method: "POST",
    url: "/mcp",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: "a=1",
  });

  assert.ok(answers.every(({ statusCode }) => statusCode === 200));
  assert.deepEqual(answers[0]?.json().body, { a: 1 });
  assert.deepEqual(Object.keys(answers[0]?.headers ?? {}).sort(), [
    "connection",
    "content-length",
    "content-type",
    "date",
  ]);
  assert.equal(form.statusCode, 415);
});

test("a registration or form that is too long is refused before it is read", async (t) => {
  const { app } = await createFixture(t);

  const registration = await app.inject({
    method: "POST",
    url: "/oauth/register",
    payload: { client_name: "x".repeat(20_000) },
  });
  const form = await app.inject({
    method: "POST",
    url: "/oauth/interaction/x",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: `name=${"x".repeat(40_000)}`,
  });

  assert.deepEqual([registration.statusCode, form.statusCode], [413, 413]);
});
