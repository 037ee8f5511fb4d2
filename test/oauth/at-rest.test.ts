/** What reaches the store: nothing that would let a thief of it in. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createSealing } from "../../src/oauth/sealing.ts";
import { loadSigningKeys } from "../../src/oauth/signing-keys.ts";
import { createEmbeddedStore } from "../../src/store/embedded.ts";
import { signingKeysKey } from "../../src/store/keys.ts";
import type { Store } from "../../src/store/store.ts";
import {
  authorize,
  authorizePath,
  codeForm,
  createBrowser,
  createFixture,
  PASSWORD,
  register,
  SECRET,
  token,
} from "../support/oauth-fixture.ts";
import { describeOnEveryStore } from "../support/stores.ts";

/** The store, and all that was ever written to it. */
function recording(store: Store): { store: Store; written: string[] } {
  const written: string[] = [];
  const recorded: Store = {
    ...store,
    commit: (commit) => {
      written.push(JSON.stringify(commit));
      return store.commit(commit);
    },
  };
  return { store: recorded, written };
}

test("codes, tokens, passwords, client secrets and private keys are never written as they are", async (t) => {
  const { store, written } = recording(createEmbeddedStore({ path: ":memory:", now: Date.now }));
  t.after(() => store.close());
  const { app } = await createFixture(t, { store });
  const { body: client } = await register(app, { token_endpoint_auth_method: "client_secret_post" });
  const [clientId, clientSecret] = [String(client.client_id), String(client.client_secret)];
  const back = await authorize(createBrowser(app), authorizePath(clientId));
  const code = back.searchParams.get("code") ?? "";
  const { body: first } = await token(app, { ...codeForm(clientId, code), client_secret: clientSecret });
  const { body: second } = await token(app, {
    grant_type: "refresh_token",
    client_id: clientId,
    client_secret: clientSecret,
    refresh_token: first.refresh_token ?? "",
  });
  const [key] = await loadSigningKeys(store, createSealing(SECRET, randomBytes));

  const secrets = [
    code,
    clientSecret,
    PASSWORD,
    first.refresh_token,
    first.access_token,
    second.refresh_token,
    second.access_token,
    key?.d,
  ];
  for (const secret of secrets) {
    assert.ok(secret !== undefined && secret.length > 10);
    assert.deepEqual(
      written.filter((commit) => commit.includes(secret)),
      [],
    );
  }
  assert.ok(written.some((commit) => commit.includes(signingKeysKey())));
});

describeOnEveryStore("Signing keys", (open) => {
  test("replicas that start at once end with the same key", async (t) => {
    const store = await open(t);
    const sealing = createSealing(SECRET, randomBytes);

    const loaded = await Promise.all(Array.from({ length: 4 }, () => loadSigningKeys(store, sealing)));

    assert.equal(new Set(loaded.map((keys) => keys.map(({ kid }) => kid).join())).size, 1);
    assert.deepEqual(await loadSigningKeys(store, sealing), loaded[0]);
  });
});

test("what is sealed opens for its purpose and secret only", () => {
  const sealing = createSealing(SECRET, randomBytes);
  const sealed = sealing.seal("one", "text");
  const tampered = `${sealed.slice(0, -2)}${sealed.endsWith("AA") ? "BB" : "AA"}`;

  assert.equal(sealing.open("one", sealed), "text");
  assert.throws(() => sealing.open("two", sealed), { code: "CONFIG_INVALID" });
  assert.throws(() => sealing.open("one", tampered), { code: "CONFIG_INVALID" });
  assert.throws(() => createSealing("too short", randomBytes), { code: "CONFIG_INVALID" });
});
