/** cmd/hotspot: guest vouchers. */

import type { Commands } from "./commands.ts";
import type { Reply, SiteExchange } from "./exchange.ts";
import { ok, v1Error } from "./replies.ts";
import { findRow, insertRow, removeRow } from "./site.ts";
import { nowSeconds, textOf } from "./world.ts";

const MAX_VOUCHERS = 10_000;

export const HOTSPOT_COMMANDS: Commands = { "create-voucher": create, "delete-voucher": remove };

function create(x: SiteExchange): Reply {
  const count = Number(x.body.n ?? 1);
  if (!Number.isInteger(count) || count < 1 || count > MAX_VOUCHERS) return v1Error("InvalidPayload");
  const seconds = nowSeconds(x.world);
  for (let n = 0; n < count; n += 1) {
    const id = x.world.newId();
    insertRow(x.site, "voucher", {
      _id: id,
      site_id: x.site.id,
      admin_name: "admin",
      code: String(Number.parseInt(id.slice(0, 12), 16))
        .padStart(10, "0")
        .slice(-10),
      create_time: seconds,
      duration: Number(x.body.expire ?? 1440),
      quota: Number(x.body.quota ?? 1),
      note: x.body.note ?? null,
      for_hotspot: false,
      qos_overwrite: x.body.up !== undefined || x.body.down !== undefined || x.body.bytes !== undefined,
      qos_rate_max_up: x.body.up,
      qos_rate_max_down: x.body.down,
      qos_usage_quota: x.body.bytes,
      status: "VALID_ONE",
      status_expires: 0,
      used: 0,
    });
  }
  x.effect(`create-voucher ${count}`);
  return ok([{ create_time: seconds }]);
}

function remove(x: SiteExchange): Reply {
  const id = textOf(x.body._id);
  const voucher = findRow(x.site, "voucher", id);
  if (voucher === undefined) return v1Error("IdInvalid");
  removeRow(x.site, "voucher", voucher);
  x.effect(`delete-voucher ${id}`);
  return ok([]);
}
