/** Vouchers of the guest portal: listed with what is left of them, made in batches, revoked. */
import { Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { EdgeError } from "../../errors.ts";
import { idOf } from "../collection.ts";
import { type ListArguments, listArguments, listOutput, listPayload } from "../listing.ts";
import { isoTime, numberOf, project, type RowTable, rowSchema } from "../rows.ts";
import { defineTool } from "../tool.ts";

const TABLE: RowTable = {
  id: "string",
  code: "string",
  status: "string",
  duration: "integer",
  qos_overwrite: "boolean",
  created_at: "time",
  used_at: "time",
  quota: "integer",
  used: "integer",
  note: "string",
  up_limit_kbps: "integer",
  down_limit_kbps: "integer",
  data_limit_mb: "integer",
};

const LIST = "GET /api/s/{site}/stat/voucher";
const COMMAND = "POST /api/s/{site}/cmd/hotspot";
const place = { app: "network", category: "hotspot" } as const;
const DAY_MINUTES = 1440;
const MOST_MINUTES = 527_040; // a leap year
const DEFAULT_LIMIT = 100;

function voucherRow(raw: Row): Row {
  return project(
    {
      ...raw,
      id: raw._id,
      created_at: raw.create_time,
      used_at: raw.start_time ?? raw.used_time,
      up_limit_kbps: raw.qos_rate_max_up,
      down_limit_kbps: raw.qos_rate_max_down,
      data_limit_mb: raw.qos_usage_quota,
    },
    TABLE,
  );
}

async function findVoucher(site: NetworkSite, id: unknown): Promise<Row> {
  const found = (await site.v1("GET", "/stat/voucher")).find((voucher) => idOf(voucher) === id);
  if (found !== undefined) return found;
  throw new EdgeError("NOT_FOUND", "No voucher has this id.", { hint: "unifi_list_vouchers lists the ids." });
}

const idInput = { voucher_id: Type.String({ description: "Id of the voucher", minLength: 1, maxLength: 64 }) };
const limit = (description: string, maximum: number) =>
  Type.Optional(Type.Unsafe<number | null>({ type: ["integer", "null"], description, minimum: 2, maximum }));

export default [
  defineTool({
    ...place,
    name: "unifi_list_vouchers",
    title: "List vouchers",
    summary: "List guest vouchers and their use.",
    description:
      "Lists the guest portal's vouchers: code, how often it may be used and was, limits. quota 0 is unlimited use.",
    permission: { category: "vouchers", action: "read" },
    input: listArguments(DEFAULT_LIMIT),
    output: listOutput("vouchers", TABLE),
    reads: [LIST],
    asks: [
      "guest wifi codes that are still good",
      "tickets for visitors",
      "which access codes were used up",
      "list guest vouchers",
      "which wifi codes are unused",
      "show hotspot vouchers",
      "remaining guest codes",
      "unused passes left",
      "which codes did visitors use",
    ],
    async run({ network }, args: ListArguments) {
      const rows = (await network.v1("GET", "/stat/voucher")).map(voucherRow);
      return listPayload({
        site: network.site,
        rowsName: "vouchers",
        table: TABLE,
        rows,
        args: { ...args },
        defaultLimit: DEFAULT_LIMIT,
      });
    },
  }),
  defineTool({
    ...place,
    name: "unifi_get_voucher_details",
    title: "Get voucher",
    summary: "Show one guest voucher.",
    description: "One voucher of the guest portal with its code, limits and use, by id.",
    permission: { category: "vouchers", action: "read" },
    input: idInput,
    aliases: { id: "voucher_id", _id: "voucher_id" },
    output: { site: Type.Optional(Type.String()), voucher: Type.Optional(rowSchema(TABLE)) },
    reads: [LIST],
    asks: [
      "is this guest code still valid",
      "how often was this ticket used",
      "look up one visitor code",
      "is this voucher used",
      "details of a voucher",
      "check a guest code",
      "did anyone use this ticket",
      "how long is this ticket good",
    ],
    async run({ network }, { voucher_id: id }) {
      return { site: network.site, voucher: voucherRow(await findVoucher(network, id)) };
    },
  }),
  defineTool({
    ...place,
    name: "unifi_create_voucher",
    title: "Create vouchers",
    summary: "Make guest vouchers.",
    description:
      "Makes vouchers for the guest portal and answers with their codes. To let one guest in without a code, use unifi_authorize_guest.",
    permission: { category: "vouchers", action: "create" },
    input: {
      expire_minutes: Type.Optional(
        Type.Integer({
          description: "Minutes it lasts once used",
          minimum: 1,
          maximum: MOST_MINUTES,
          default: DAY_MINUTES,
        }),
      ),
      count: Type.Optional(Type.Integer({ description: "How many", minimum: 1, maximum: 10_000, default: 1 })),
      quota: Type.Optional(
        Type.Integer({
          description: "Uses of each: 1 = once, 0 = any number",
          minimum: 0,
          maximum: 10_000,
          default: 1,
        }),
      ),
      note: Type.Optional(
        Type.Unsafe<string | null>({ type: ["string", "null"], description: "What they are for", maxLength: 256 }),
      ),
      up_limit_kbps: limit("Upload limit, kbit/s", 1_000_000),
      down_limit_kbps: limit("Download limit, kbit/s", 1_000_000),
      bytes_limit_mb: limit("Data that may be used, MB", 1_000_000),
    },
    aliases: { minutes: "expire_minutes", duration: "expire_minutes", number: "count", n: "count" },
    output: {
      site: Type.Optional(Type.String()),
      count: Type.Optional(Type.Integer()),
      vouchers: Type.Optional(Type.Array(rowSchema(TABLE))),
    },
    reads: [LIST],
    writes: [COMMAND],
    asks: [
      "print 20 guest codes",
      "wifi ticket for a visitor for a day",
      "access codes for the conference",
      "create guest wifi vouchers",
      "print codes for visitors",
      "make 10 vouchers for a day",
      "generate hotspot codes",
      "guest codes for an event",
      "conference guests need codes",
      "ticket for 8 hours of internet",
      "hand out wifi access for hotel guests",
      "one-time passes",
    ],
    async plan({ network }, args) {
      const { expire_minutes: minutes = DAY_MINUTES, count = 1, quota = 1, note } = args;
      const before = new Set((await network.v1("GET", "/stat/voucher")).map(idOf));
      const limits = { up: args.up_limit_kbps, down: args.down_limit_kbps, bytes: args.bytes_limit_mb };
      const given = Object.fromEntries(Object.entries({ note, ...limits }).filter(([, value]) => value != null));
      const made = async () => {
        const rows = await network.v1("GET", "/stat/voucher");
        return rows.filter((row) => !before.has(idOf(row)) && (row.note ?? null) === (note ?? null));
      };
      return {
        action: "create",
        resourceType: "voucher",
        proposed: { count, duration: minutes, quota },
        async apply() {
          await network.v1("POST", "/cmd/hotspot", {
            cmd: "create-voucher",
            expire: minutes,
            n: count,
            quota,
            ...given,
          });
          const vouchers = (await made()).map(voucherRow);
          return { site: network.site, count: vouchers.length, vouchers };
        },
        async readBack() {
          const [first, ...others] = await made();
          if (first === undefined) return undefined;
          return {
            count: others.length + 1,
            duration: numberOf(first.duration),
            quota: numberOf(first.quota),
          };
        },
      };
    },
  }),
  defineTool({
    ...place,
    name: "unifi_revoke_voucher",
    title: "Revoke voucher",
    summary: "Revoke a guest voucher.",
    description:
      "Deletes a voucher, so that its code opens nothing any more. Guests who used it stay until their time ends.",
    permission: { category: "vouchers", action: "delete" },
    input: idInput,
    aliases: { id: "voucher_id", _id: "voucher_id" },
    output: { voucher_id: Type.Optional(Type.String()) },
    reads: [LIST],
    writes: [COMMAND],
    asks: [
      "cancel a guest code",
      "make a visitor ticket worthless",
      "void an access code",
      "revoke a voucher",
      "invalidate a hotspot code",
      "ticket was lost, make it useless",
      "code got leaked",
    ],
    async plan({ network }, { voucher_id: id }) {
      const voucher = await findVoucher(network, id);
      const warnings =
        isoTime(voucher.start_time) === undefined ? [] : ["Guests let in by it stay until their time ends."];
      return {
        action: "delete",
        resourceType: "voucher",
        resourceId: id,
        current: voucherRow(voucher),
        warnings,
        async apply() {
          await network.v1("POST", "/cmd/hotspot", { cmd: "delete-voucher", _id: id });
          return { voucher_id: id };
        },
        async readBack() {
          return (await network.v1("GET", "/stat/voucher")).find((other) => idOf(other) === id);
        },
      };
    },
  }),
];
