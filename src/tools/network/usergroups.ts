/** User groups: bandwidth profiles that clients and wireless networks take their limits from. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { invalid } from "../arguments.ts";
import { type Circumstances, type Prepared, resource } from "../resource.ts";

const usergroups = resource({
  category: "usergroups",
  gate: "usergroups",
  noun: "user group",
  resourceType: "usergroup",
  api: "v1",
  path: "/rest/usergroup",
  idArgument: "group_id",
  listTool: "unifi_list_usergroups",
  table: { id: "string", name: "string", qos_rate_max_down: "integer", qos_rate_max_up: "integer" },
  row: (raw) => ({ ...raw, id: raw._id }),
  rename: { down_limit_kbps: "qos_rate_max_down", up_limit_kbps: "qos_rate_max_up" },
  detailsName: "usergroup",
});

/** What consoles take: -1 = no limit, else 2 to 100,000 kbit/s (UserGroup schema of controller 9.5.21). */
const kbps = (direction: string) =>
  Type.Optional(Type.Integer({ description: `${direction} limit, kbit/s; -1 = none`, minimum: -1, maximum: 100_000 }));

const FIELDS = {
  name: Type.String({ description: "Name of the group", minLength: 1, maxLength: 128 }),
  down_limit_kbps: kbps("Download"),
  up_limit_kbps: kbps("Upload"),
};

async function checkLimits(data: Row, _circumstances?: Circumstances): Promise<Prepared> {
  for (const name of ["down_limit_kbps", "up_limit_kbps"]) {
    if (data[name] === 0 || data[name] === 1) throw invalid(`${name} is -1 for no limit, or at least 2.`);
  }
  return { data };
}

export default [
  usergroups.list({
    name: "unifi_list_usergroups",
    title: "List user groups",
    summary: "List bandwidth profiles (user groups).",
    description:
      "Lists the bandwidth profiles that clients and wireless networks can be put into; -1 is no limit. Groups of client MAC addresses for policies are in unifi_list_client_groups.",
    rowsName: "usergroups",
    defaultLimit: 100,
    asks: [
      "speed limit profiles",
      "which rate caps exist",
      "bandwidth tiers",
      "throttling profiles for users",
      "list bandwidth profiles",
      "user groups",
      "speed limits available",
      "rate limit profiles",
      "speed tiers",
      "which throttles can a wifi have",
    ],
  }),
  usergroups.get({
    name: "unifi_get_usergroup_details",
    title: "Get user group",
    summary: "Show one bandwidth profile.",
    description: "One bandwidth profile with its limits, by id.",
    output: { usergroup: Type.Optional(Type.Object({})) },
    details: (raw) => ({ usergroup: { ...raw, id: raw._id } }),
    asks: [
      "what is the cap of this speed profile",
      "limits of one bandwidth tier",
      "look at one rate profile",
      "what speed does this profile allow",
      "details of a user group",
    ],
  }),
  usergroups.create({
    name: "unifi_create_usergroup",
    title: "Create user group",
    summary: "Add a bandwidth profile.",
    description:
      "Adds a bandwidth profile. It limits nobody until a client or a wireless network (usergroup_id) is put into it; to limit one host at once, unifi_create_simple_qos_rule is shorter.",
    fields: FIELDS,
    aliases: { download_kbps: "down_limit_kbps", upload_kbps: "up_limit_kbps" },
    prepare: (data) => checkLimits({ down_limit_kbps: -1, up_limit_kbps: -1, ...data }),
    asks: [
      "make a slow tier for the kids",
      "new speed profile of 10 Mbit",
      "set up a rate cap for guests to share",
      "create a bandwidth profile",
      "make a speed limit group",
      "new user group with 5 mbit",
      "rate limit for guests",
      "slow lane for visitors",
      "10 mbit tier",
      "cap for a whole wifi",
    ],
  }),
  usergroups.update({
    name: "unifi_update_usergroup",
    title: "Update user group",
    summary: "Change a bandwidth profile.",
    description: "Renames a bandwidth profile or changes its limits, for everybody in it.",
    fields: FIELDS,
    aliases: { download_kbps: "down_limit_kbps", upload_kbps: "up_limit_kbps" },
    prepare: checkLimits,
    asks: [
      "raise the speed cap of a tier",
      "make the slow profile faster",
      "change the kbps of a bandwidth profile",
      "change the speed of a profile",
      "raise the limit of a user group",
      "edit bandwidth profile",
      "visitors should be faster",
      "tighten the slow lane",
    ],
  }),
];
