/** v1 `rest` with its older names `list`, `upd`, `add` and `group/user`: one set of answers over the resource table. */
import { createRow, deleteRow, type Outcome, updateRow } from "./change.ts";
import type { Endpoint, Reply, Row, SiteExchange } from "./exchange.ts";
import { ok, v1Error, v1Invalid } from "./replies.ts";
import { V1_RESOURCES } from "./resources.ts";
import { v1Reads, v1Writes } from "./v1.ts";
import { deviceRows, userRows } from "./views.ts";
import { isRow } from "./world.ts";

export const V1_REST: readonly Endpoint[] = [
  ...v1Reads([
    ["GET", "rest/:resource", list],
    ["GET", "rest/:resource/:id", one],
    ["GET", "list/:resource", list],
    ["POST", "list/:resource", list],
  ]),
  ...v1Writes([
    ["POST", "rest/:resource", create],
    ["POST", "add/:resource", create],
    ["PUT", "rest/:resource/:id", update],
    ["PUT", "upd/:resource/:id", update],
    ["POST", "upd/:resource/:id", update],
    ["DELETE", "rest/:resource/:id", remove],
    ["POST", "group/user", createUsers],
  ]),
];

/** Tables whose rows carry live values. */
const VIEWS: Readonly<Record<string, (x: SiteExchange) => Row[]>> = {
  user: (x) => userRows(x.world, x.site),
  device: (x) => deviceRows(x.world, x.site),
};

function resourceOf(x: SiteExchange) {
  return V1_RESOURCES[x.param("resource")];
}

function rowsOf(x: SiteExchange): Row[] | undefined {
  const resource = resourceOf(x);
  return resource === undefined ? undefined : (VIEWS[resource.table]?.(x) ?? x.site.tables[resource.table]);
}

function list(x: SiteExchange): Reply {
  // a bare rest/device is unknown to the console; stat/device is the list
  if (x.param("resource") === "device") return v1Error("NotFound");
  const rows = rowsOf(x);
  return rows === undefined ? v1Error("InvalidObject") : ok(rows);
}

function one(x: SiteExchange): Reply {
  const rows = rowsOf(x);
  if (rows === undefined) return v1Error("InvalidObject");
  const found = rows.filter((row) => row._id === x.param("id"));
  return found.length > 0 ? ok(found) : v1Error("IdInvalid");
}

function create(x: SiteExchange): Reply {
  const resource = resourceOf(x);
  if (resource === undefined || !resource.creatable) return v1Error("InvalidObject");
  return answer(createRow(x, resource));
}

function update(x: SiteExchange): Reply {
  const resource = resourceOf(x);
  return resource === undefined ? v1Error("InvalidObject") : answer(updateRow(x, resource, x.param("id")));
}

function remove(x: SiteExchange): Reply {
  const resource = resourceOf(x);
  if (resource === undefined || !resource.deletable) return v1Error("InvalidObject");
  const outcome = deleteRow(x, resource, x.param("id"));
  return "row" in outcome ? ok([]) : answer(outcome);
}

/** `group/user` takes `{objects:[{data}]}` and answers per object. */
function createUsers(x: SiteExchange): Reply {
  const resource = V1_RESOURCES.user;
  const objects = Array.isArray(x.body.objects) ? x.body.objects.filter(isRow) : [];
  if (resource === undefined || objects.length === 0) return v1Error("InvalidPayload");
  const outcomes = objects.map((object) => createRow({ ...x, body: isRow(object.data) ? object.data : {} }, resource));
  return ok(
    outcomes.map((outcome) => ("row" in outcome ? { meta: { rc: "ok" }, data: [outcome.row] } : answer(outcome).body)),
  );
}

function answer(outcome: Outcome): Reply {
  if ("row" in outcome) return ok([outcome.row]);
  return "refusal" in outcome ? v1Invalid(outcome.refusal.field, outcome.refusal.pattern) : v1Error(outcome.code);
}
