/** What a console says when it says no: four shapes of failure body, brought to one, and each code's meaning for us. */
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { ErrorCode } from "../../errors.ts";
import { cleanText } from "../../redaction/redact.ts";

/** A failure body, whichever API wrote it. Texts are the console's: cleaned, for data fields only. */
export interface Refusal {
  readonly from: "v1" | "v2" | "integration" | "gateway";
  /** `api.err.X`, `api.x.y` of the integration API, or the gateway's own word. */
  readonly code: string | undefined;
  readonly message: string | undefined;
  /** Names of the fields that the console objects to. */
  readonly fields: readonly string[];
}

const V1 = Compile(
  Type.Object({
    meta: Type.Object({ rc: Type.String(), msg: Type.Optional(Type.String()) }),
    data: Type.Optional(Type.Array(Type.Unknown())),
  }),
);
const FIELD_ROW = Compile(
  Type.Object({ meta: Type.Object({ validationError: Type.Object({ field: Type.String() }) }) }),
);
const V2 = Compile(
  Type.Object({
    errorCode: Type.Number(),
    code: Type.Optional(Type.String()),
    message: Type.Optional(Type.String()),
    details: Type.Optional(Type.Object({ invalid_fields: Type.Optional(Type.Array(Type.String())) })),
  }),
);
const INTEGRATION = Compile(
  Type.Object({
    statusCode: Type.Number(),
    code: Type.Optional(Type.String()),
    message: Type.Optional(Type.String()),
  }),
);
const WORD = Type.Union([Type.String(), Type.Number()]);
const GATEWAY = Compile(
  Type.Object({
    code: Type.Optional(WORD),
    message: Type.Optional(Type.String()),
    error: Type.Optional(
      Type.Union([Type.String(), Type.Object({ code: Type.Optional(WORD), message: Type.Optional(Type.String()) })]),
    ),
  }),
);

/** The v1 envelope's `meta.rc` and rows; undefined when the value is no such envelope. */
export function v1EnvelopeOf(json: unknown): { rc: string; data: readonly unknown[] } | undefined {
  return V1.Check(json) ? { rc: json.meta.rc, data: json.data ?? [] } : undefined;
}

/** The failure in a body. `failed` = the HTTP status says so; without it only unmistakable shapes count. */
export function refusalOf(json: unknown, failed: boolean): Refusal | undefined {
  if (V1.Check(json)) {
    if (json.meta.rc === "ok") return undefined;
    const fields = (json.data ?? []).flatMap((row) => (FIELD_ROW.Check(row) ? [row.meta.validationError.field] : []));
    return refusal("v1", json.meta.msg, undefined, fields);
  }
  if (V2.Check(json)) return refusal("v2", json.code, json.message, json.details?.invalid_fields ?? []);
  if (!failed) return undefined;
  if (INTEGRATION.Check(json)) return refusal("integration", json.code, json.message, []);
  if (!GATEWAY.Check(json)) return undefined;
  const inner = typeof json.error === "object" ? json.error : json;
  return refusal("gateway", inner.code === undefined ? undefined : String(inner.code), inner.message, []);
}

const LONGEST_CODE = 100;
const LONGEST_MESSAGE = 500;
const MOST_FIELDS = 20;

function refusal(
  from: Refusal["from"],
  code: string | undefined,
  message: string | undefined,
  fields: readonly string[],
): Refusal {
  return {
    from,
    code: code === undefined ? undefined : cleanText(code, LONGEST_CODE),
    message: message === undefined ? undefined : cleanText(message, LONGEST_MESSAGE),
    fields: fields.slice(0, MOST_FIELDS).map((field) => cleanText(field, LONGEST_CODE)),
  };
}

interface Meaning {
  readonly code: ErrorCode;
  readonly words: string;
  readonly hint?: string;
}

/** Codes whose meaning we know; every other one is CONTROLLER_REJECTED with the code in details.controller_code. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  "api.err.NoSiteContext": { code: "SITE_UNKNOWN", words: "The console has no such site for this account." },
  "api.err.InvalidObject": {
    code: "CONTROLLER_UNSUPPORTED",
    words: "This Network version has no such resource, or not with this method.",
  },
  "api.err.IdInvalid": { code: "NOT_FOUND", words: "The console has no object with this id." },
  "api.err.NotFound": { code: "NOT_FOUND", words: "The console has no such object or command." },
  "api.err.UnknownStation": { code: "NOT_FOUND", words: "The console does not see this client." },
  "api.err.UnknownUser": { code: "NOT_FOUND", words: "The console does not know this client." },
  "api.err.UnknownDevice": { code: "NOT_FOUND", words: "The console does not know this device." },
  "api.err.MacNotRegistered": { code: "NOT_FOUND", words: "The console has no record of this MAC address." },
  "api.err.CanNotAdoptUnknownDevice": { code: "NOT_FOUND", words: "The console does not see a device to adopt." },
  "api.err.NoPermission": {
    code: "CONTROLLER_REJECTED",
    words: "The console account's role does not allow this.",
    hint: "Give the account on the console a role that allows it, or leave the change to somebody who has one.",
  },
  "api.err.InvalidPayload": { code: "CONTROLLER_REJECTED", words: "The console refused the object's fields." },
  "api.err.InvalidValue": { code: "CONTROLLER_REJECTED", words: "The console refused a field's value." },
  "api.err.Invalid": { code: "CONTROLLER_REJECTED", words: "The console refused an argument." },
  "api.err.InvalidArgs": { code: "CONTROLLER_REJECTED", words: "The console misses an argument." },
  "api.err.VlanUsed": { code: "CONTROLLER_REJECTED", words: "Another network uses this VLAN id." },
  "api.err.FirewallRuleFieldsRequired": { code: "CONTROLLER_REJECTED", words: "The firewall rule lacks fields." },
  "api.err.FirewallRuleIndexOutOfRange": {
    code: "CONTROLLER_REJECTED",
    words: "The firewall rule's index is outside the range of its rule set.",
  },
  "api.err.MacAlreadyRegistered": { code: "CONTROLLER_REJECTED", words: "This MAC address is already registered." },
  "api.err.ApGroupMissing": { code: "CONTROLLER_REJECTED", words: "The WLAN names no existing AP group." },
  "api.err.MissingIPAddress": { code: "CONTROLLER_REJECTED", words: "An IP address is missing." },
  "api.err.InvalidTarget": { code: "CONTROLLER_REJECTED", words: "The console refused the target." },
  "api.err.CannotRevokeSelf": { code: "CONTROLLER_REJECTED", words: "The account cannot revoke itself." },
  "api.err.SmtpNotEnabled": { code: "CONTROLLER_REJECTED", words: "The console has no mail server set up." },
};

/** By HTTP status, where no known code says more. */
const BY_STATUS: Readonly<Record<number, Meaning>> = {
  403: {
    code: "CONTROLLER_REJECTED",
    words: "The console forbids this to the account.",
    hint: "Check the account's role on the console.",
  },
  405: { code: "CONTROLLER_UNSUPPORTED", words: "The console does not support this method here." },
  501: { code: "CONTROLLER_UNSUPPORTED", words: "The console does not support this." },
};

/** What a refusal means to the caller. A 404 that no application wrote is a missing path, not a missing object. */
export function meaningOf(status: number, said: Refusal | undefined): Meaning {
  const known = said?.code === undefined ? undefined : MEANINGS[said.code];
  if (known !== undefined) return known;
  if (status === 404) {
    return said === undefined || said.from === "gateway"
      ? { code: "CONTROLLER_UNSUPPORTED", words: "This console has no such path." }
      : { code: "NOT_FOUND", words: "The console has no such object." };
  }
  return BY_STATUS[status] ?? { code: "CONTROLLER_REJECTED", words: "The console refused the request." };
}
