/** Redaction: secrets go, by name, path and shape; what only looks like one stays. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { containsMarker, REDACTED, redact } from "../../src/redaction/redact.ts";
import { verdictOf } from "../../src/redaction/secret-names.ts";

/** Names of the controller's API, of headers, and of the other apps, whose values are secrets. */
const SECRETS = [
  ...["x_passphrase", "x_password", "x_authkey", "x_auth_key", "x_ca_key", "x_server_key", "x_dh_key", "x_iapp_key"],
  ...["x_shared_client_key", "x_vwirekey", "x_ssh_sha512passwd", "x_ssh_md5passwd", "x_ssh_password", "x_ssh_keys"],
  ...["x_inform_authkey", "x_secret", "x_wireguard_private_key", "x_openvpn_shared_secret_key", "x_mgmt_key", "x_wep"],
  ...["x_ipsec_pre_shared_key", "x_mesh_psk", "x_element_psk", "x_pptpc_password", "x_ca_crt", "x_server_crt"],
  ...["x_stripe_api_key", "x_merchantwarrior_apipassphrase", "x_authorize_transactionkey", "x_client_private_key"],
  ...[
    "x_paypal_signature",
    "x_certificate_pem",
    "x_anything_new",
    "password",
    "Password",
    "new_password",
    "adminPassword",
  ],
  ...["password2", "passphrase", "psk", "wpapsk", "secret", "client_secret", "radius_secret", "token", "guest_token"],
  ...["accessToken", "auth_token", "sso_token", "api_key", "apiKey", "apikey", "X-API-KEY", "google_maps_api_key"],
  ...["Authorization", "proxy-authorization", "cookie", "Set-Cookie", "mfa_cookie", "mfaCookie", "x-csrf-token"],
  ...["csrfToken", "private_key", "privateKey", "preshared_key", "pre_shared_key", "wireguard_client_preshared_key"],
  ...["authkey", "accessKey", "ssh_key", "encryption_key", "wep_key", "community", "snmp_community", "pin", "pin_code"],
  ...["lte_sim_pin", "puk", "otp", "totp", "totp_secret", "recovery_codes", "ubic_2fa_token", "lte_password"],
  ...["wireguard_client_configuration_file", "openvpn_configuration", "ovpn_file", "rtspUrl", "rtspUrlLQ", "rtspAlias"],
  ...["internalRtspAlias", "rtsps_url", "nfc_token", "credential_data", "unifises", "jwt", "session_key"],
];

/** Names with a telling word or prefix that hold nothing secret. */
const HARMLESS = [
  ...[
    "x",
    "y",
    "xy",
    "x_ssh_username",
    "x_mesh_essid",
    "x_element_essid",
    "x_ssh_hostkey_fingerprint",
    "x_fingerprint",
  ],
  ...["x_client_private_key_filename", "name", "key", "keys", "zone_key", "modelKey", "policyKey", "system_key"],
  ...["syslog_key", "public_key", "wireguard_public_key", "wireguard_client_peer_public_key", "token_type"],
  ...["token_count", "api_key_id", "apiKeyName", "password_revision", "passwordRevision", "pinCodeSettings"],
  ...["pin_code_length_range", "private_preshared_keys_enabled", "wpa_psk_radius", "group_rekey", "igmp_snooping"],
  ...["speedtest_ping", "ping_server", "spinning", "opinion", "keyboard", "monkey", "author", "authorizedGuestLimit"],
  ...[
    "authorizationMethod",
    "authorized_by",
    "auth_type",
    "authenticators",
    "auth_ids",
    "credential_id",
    "cookie_count",
  ],
  ...[
    "confirm_token",
    "next_token",
    "nextToken",
    "next_cursor",
    "secret_name",
    "is_cloud_key",
    "passthrough",
    "compass",
  ],
  ...["signature", "inner_alert_signature", "wireguard_interface", "openvpn_mode", "rtsp_port", "mac", "hostname"],
  ...["touch_pass", "bypass", "community_count", "kick_sta", "certificate", "fingerprint", "sae_psk_vlan_required"],
];

for (const name of SECRETS) {
  test(`${name} is a secret`, () => {
    assert.deepEqual(redact({ [name]: "value-1" }), { [name]: REDACTED });
  });
}

test("harmless look-alikes stay", () => {
  const wrong = HARMLESS.filter((name) => verdictOf(name) !== "open");

  assert.deepEqual(wrong, []);
});

test("whether a secret is set stays visible, what it is does not", () => {
  const answer = redact({
    x_passphrase: "",
    x_has_ssh_hostkey: true,
    x_aes_gcm: false,
    x_ssh_enabled: true,
    password: null,
    psk: [],
    pin: 1234,
    tokens: ["a"],
    secret: { value: "a" },
  });

  assert.deepEqual(answer, {
    x_passphrase: "",
    x_has_ssh_hostkey: true,
    x_aes_gcm: false,
    x_ssh_enabled: true,
    password: null,
    psk: [],
    pin: REDACTED,
    tokens: REDACTED,
    secret: REDACTED,
  });
});

test("lists of keys keep what stands beside each key", () => {
  const answer = redact({
    sae_psk: [{ psk: "abcdefgh", vlan: 20, mac: "02:00:00:00:00:01" }],
    private_preshared_keys: [{ password: "abcdefgh", networkconf_id: "n1" }],
    presharedKeys: ["abcdefgh"],
    authorization: { authorizedAt: "2026-01-01", expiresAt: "2026-01-02" },
  });

  assert.deepEqual(answer, {
    sae_psk: [{ psk: REDACTED, vlan: 20, mac: "02:00:00:00:00:01" }],
    private_preshared_keys: [{ password: REDACTED, networkconf_id: "n1" }],
    presharedKeys: REDACTED,
    authorization: { authorizedAt: "2026-01-01", expiresAt: "2026-01-02" },
  });
});

test("secrets are found at any depth, and the original is left alone", () => {
  const original = { data: [{ wlan: { x_passphrase: "abcdefgh", name: "Home" } }] };

  const answer = redact(original);

  assert.deepEqual(answer, { data: [{ wlan: { x_passphrase: REDACTED, name: "Home" } }] });
  assert.equal(original.data[0]?.wlan.x_passphrase, "abcdefgh");
});

test("field paths redact what no name tells, with * for rows and keys", () => {
  const answer = redact(
    { data: [{ code: "12345-67890", note: "n" }], map: { a: { code: 1 }, b: { code: 2 } }, code: "stays" },
    { paths: ["data.*.code", "map.b.code"] },
  );

  assert.deepEqual(answer, {
    data: [{ code: REDACTED, note: "n" }],
    map: { a: { code: 1 }, b: { code: REDACTED } },
    code: "stays",
  });
});

const SHAPED: readonly (readonly [string, string, string])[] = [
  ["a private key", "a -----BEGIN EC PRIVATE KEY-----\nMHc\n-----END EC PRIVATE KEY----- b", `a ${REDACTED} b`],
  ["a cut private key", "-----BEGIN PRIVATE KEY-----\nMHc", REDACTED],
  ["a signed token", "got eyJhbGciOiJI.eyJzdWIiOiIx.abc-_1 back", `got ${REDACTED} back`],
  ["an RTSP address", "see rtsps://10.0.0.1:7441/AbCd?enableSrtp now", `see ${REDACTED} now`],
  ["a URL with credentials", "http://bob:pw@10.0.0.1/x", `http://${REDACTED}@10.0.0.1/x`],
  ["a bearer header", "Authorization: Bearer abcdefgh12345", `Authorization: Bearer ${REDACTED}`],
  ["a WireGuard key", `PrivateKey = ${"A".repeat(43)}=`, `PrivateKey = ${REDACTED}`],
];

for (const [what, text, masked] of SHAPED) {
  test(`${what} is masked under any name`, () => {
    assert.deepEqual(redact({ note: text }), { note: masked });
  });
}

test("texts that only resemble a secret stay", () => {
  const texts = [
    "https://10.0.0.1/a@b",
    "eyJ",
    "mail bob@example.com",
    "Basic",
    "-----BEGIN CERTIFICATE-----",
    "02:00:5e",
  ];

  assert.deepEqual(redact(texts), texts);
});

test("what is too deep or no JSON value is redacted, dates become text", () => {
  let deep: unknown = "bottom";
  for (let level = 0; level < 100; level += 1) deep = { deep };

  assert.match(JSON.stringify(redact(deep)), /\*\*\*REDACTED\*\*\*/);
  assert.doesNotMatch(JSON.stringify(redact(deep)), /bottom/);
  assert.deepEqual(redact({ a: new Map([["k", 1]]), b: Buffer.from("x"), c: new Date(0) }), {
    a: REDACTED,
    b: REDACTED,
    c: "1970-01-01T00:00:00.000Z",
  });
});

test("a key named __proto__ stays a key", () => {
  const answer = redact(JSON.parse('{"__proto__": {"password": "p"}, "a": 1}'));

  assert.equal(JSON.stringify(answer), `{"__proto__":{"password":"${REDACTED}"},"a":1}`);
  assert.equal(Object.getPrototypeOf(answer), Object.prototype);
});

test("with maxText every text is cleaned and cut", () => {
  assert.deepEqual(redact({ name: "Guest\u0007\u202E-TV", long: "x".repeat(20) }, { maxText: 10 }), {
    name: "Guest-TV",
    long: `${"x".repeat(9)}…`,
  });
});

test("invisible marks do not hide a shape", () => {
  assert.deepEqual(redact({ note: "rt\u200bsps://10.0.0.1/AbCd" }, { maxText: 100 }), { note: REDACTED });
});

test("a marker sent back is found wherever it stands, and told by its path", () => {
  assert.equal(containsMarker({ a: [{ b: "x" }, { c: `y${REDACTED}` }] }), "a.1.c");
  assert.equal(containsMarker({ [REDACTED]: 1 }), REDACTED);
  assert.equal(containsMarker({ a: "***", b: [1, null, true] }), undefined);
});

test("names of every length and number are judged without growing memory for them", () => {
  for (let n = 0; n < 10_000; n += 1) verdictOf(`field_${n}_password`);

  assert.equal(verdictOf("field_9999_password"), "secret");
  assert.equal(verdictOf(`${"x".repeat(10_000)}`), "open");
});
