/** Whether a client may use the network: block, reconnect, forget, guest access. */
import { type TProperties, Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { EdgeError } from "../../errors.ts";
import { invalid, macArgument } from "../arguments.ts";
import { pick } from "../merge.ts";
import { defineTool, type Plan, type Tool, type ToolContext, type ToolWords } from "../tool.ts";
import { type Client, clientName, clientRow, findClient } from "./client-rows.ts";

interface CommandWords extends ToolWords {
  readonly destructive: boolean;
  readonly idempotent?: boolean;
  readonly input?: TProperties;
  /** What the preview shows and what is sent to `/cmd/stamgr`; may refuse. */
  readonly command: (client: Client, args: Row) => Command;
}

interface Command {
  readonly body: Row;
  readonly action: Plan["action"];
  readonly current?: Row;
  readonly proposed?: Row;
  readonly unchanged?: boolean;
  readonly unverifiable?: readonly string[];
  readonly warnings?: readonly string[];
  readonly done: string;
  /** The state to compare with `proposed`, read from the client afterwards; undefined = it is gone. */
  readonly state?: (client: Client | undefined) => Row | undefined;
}

/** What is lost with a client's record. Nothing that moves by itself: a preview's token holds while this stands. */
const REMEMBERED = ["mac", "name", "hostname", "note", "usergroup_id", "blocked", "first_seen", "_id"];

/** A write that is one command of the station manager on one client. */
function clientCommand({ destructive, idempotent = true, input = {}, command, ...words }: CommandWords): Tool {
  return defineTool({
    ...words,
    app: "network",
    category: "clients",
    permission: { category: "clients", action: "update" },
    annotations: { destructiveHint: destructive, idempotentHint: idempotent },
    input: { mac_address: macArgument("MAC address of the client"), ...input },
    output: { mac_address: Type.Optional(Type.String()) },
    aliases: { mac: "mac_address", client_mac: "mac_address", client: "mac_address" },
    macs: ["mac_address"],
    reads: ["GET /api/s/{site}/stat/sta", "GET /api/s/{site}/rest/user"],
    writes: ["POST /api/s/{site}/cmd/stamgr"],
    async plan(context, args: Row): Promise<Plan> {
      const client = await findClient(context.network, String(args.mac_address));
      const { body, done, state, ...shown } = command(client, args);
      const name = clientName(client);
      return {
        ...shown,
        resourceType: "client",
        resourceId: client.mac,
        ...(name === undefined ? {} : { resourceName: name }),
        async apply() {
          await context.network.v1("POST", "/cmd/stamgr", body);
          return { mac_address: client.mac, message: done };
        },
        ...(state && { readBack: async () => state(await findOrUndefined(context, client.mac)) }),
      };
    },
  });
}

async function findOrUndefined(context: ToolContext, mac: string): Promise<Client | undefined> {
  try {
    return await findClient(context.network, mac);
  } catch (thrown) {
    if (thrown instanceof EdgeError && thrown.code === "NOT_FOUND") return undefined;
    throw thrown;
  }
}

function blockedState(client: Client | undefined): Row | undefined {
  return client && { blocked: client.known?.blocked === true };
}

function blocking(block: boolean) {
  return (client: Client): Command => ({
    body: { cmd: block ? "block-sta" : "unblock-sta", mac: client.mac },
    action: "toggle",
    current: { blocked: !block },
    proposed: { blocked: block },
    unchanged: blockedState(client)?.blocked === block,
    warnings: block ? ["The client loses the network at once and stays out until it is unblocked."] : [],
    done: block ? "The client is blocked." : "The client is unblocked.",
    state: blockedState,
  });
}

function connected(client: Client): Row {
  if (client.live !== undefined) return client.live;
  throw new EdgeError("NOT_FOUND", "This client is not connected now.", {
    hint: "unifi_list_clients lists the connected ones.",
  });
}

function authorizedState(client: Client | undefined): Row | undefined {
  return client && { authorized: client.live?.authorized === true };
}

/** The console counts a guest's quota in whole megabytes, though it calls the field `bytes`. */
const BYTES_PER_MEGABYTE = 1024 * 1024;

function authorizing(client: Client, args: Row): Command {
  const guest = connected(client);
  const { minutes = 1440, up_kbps: up, down_kbps: down, bytes_quota: bytes } = args;
  const megabytes = typeof bytes === "number" ? Math.ceil(bytes / BYTES_PER_MEGABYTE) : undefined;
  const limits = {
    minutes,
    ...(up === undefined ? {} : { up }),
    ...(down === undefined ? {} : { down }),
    ...(megabytes === undefined ? {} : { bytes: megabytes }),
  };
  return {
    body: { cmd: "authorize-guest", mac: client.mac, ...limits },
    action: "command",
    current: { authorized: guest.authorized === true },
    proposed: {
      authorized: true,
      minutes,
      ...(up === undefined ? {} : { up_kbps: up }),
      ...(down === undefined ? {} : { down_kbps: down }),
      ...(megabytes === undefined ? {} : { megabytes_quota: megabytes }),
    },
    unverifiable: ["minutes", "up_kbps", "down_kbps", "megabytes_quota"],
    warnings: [
      ...(guest.is_guest === true ? [] : ["This client is not on a guest network, so it needs no access."]),
      ...(megabytes === undefined ? [] : ["The console counts the quota in whole megabytes; it is rounded up."]),
    ],
    done: "Guest access is granted.",
    state: authorizedState,
  };
}

export default [
  clientCommand({
    name: "unifi_block_client",
    title: "Block client",
    summary: "Keep a client off the network.",
    asks: [
      "block a device from the network",
      "ban this phone",
      "kick my neighbour off the wifi for good",
      "deny internet to a device",
      "cut off a stranger",
      "stop the kids tablet from using wifi",
      "keep someone out",
      "lock a device out",
      "stop a thief using our wifi",
      "no more internet for this device",
      "a stranger is on the wifi, throw him out",
      "deny access",
    ],
    description:
      "Blocks a client from the whole site, now and later, until unifi_unblock_client. It is kept in history.",
    destructive: true,
    command: blocking(true),
  }),
  clientCommand({
    name: "unifi_unblock_client",
    title: "Unblock client",
    summary: "Lift a client's block.",
    asks: [
      "unblock a device",
      "allow a banned device again",
      "lift the ban",
      "give access back to a phone",
      "I banned my own laptop by mistake",
      "let the neighbour on again",
    ],
    description: "Lets a blocked client back on the network. unifi_list_blocked_clients lists them.",
    destructive: false,
    command: blocking(false),
  }),
  clientCommand({
    name: "unifi_force_reconnect_client",
    title: "Force client to reconnect",
    summary: "Kick a client so that it reconnects.",
    asks: [
      "kick a client off so it reconnects",
      "disconnect a phone",
      "make a device roam",
      "drop a wifi client",
      "reconnect a sticky client",
      "a phone sticks to the far access point",
      "make the laptop rejoin",
      "boot a device off the wifi for a moment",
      "move a client to a closer ap",
    ],
    description: "Drops a connected wireless client once; it comes back by itself, perhaps on a better access point.",
    destructive: true,
    idempotent: false,
    command: (client) => ({
      body: { cmd: "kick-sta", mac: client.mac },
      action: "command",
      current: { status: "online", is_wired: connected(client).is_wired === true },
      proposed: { command: "reconnect" },
      warnings: connected(client).is_wired === true ? ["Wired clients are not dropped by this."] : [],
      done: "The client was told to reconnect.",
    }),
  }),
  clientCommand({
    name: "unifi_forget_client",
    title: "Forget client",
    summary: "Erase a client's record and history.",
    asks: [
      "forget a device",
      "remove an old device from the list",
      "delete a client from history",
      "purge a client that no longer exists",
      "clean the list of dead gadgets",
      "old phone still shows up",
    ],
    description:
      "Erases what the console remembers of a client: alias, note, fixed address, block and statistics. It cannot be undone.",
    destructive: true,
    command: (client) => ({
      body: { cmd: "forget-sta", macs: [client.mac] },
      action: "delete",
      current: pick(clientRow(client), REMEMBERED),
      warnings: [
        "Alias, note, fixed address and history are lost.",
        ...(client.live === undefined ? [] : ["The client is connected: the console makes a new record of it."]),
        ...(client.known?.blocked === true ? ["The client is blocked; its block goes too."] : []),
      ],
      done: "The client is forgotten.",
      // A connected client has a new, empty record at once: gone then means that the old record's id is gone
      ...(client.live === undefined && { state: (after) => after && clientRow(after) }),
    }),
  }),
  clientCommand({
    name: "unifi_authorize_guest",
    title: "Authorize guest",
    summary: "Let a guest past the portal for a time.",
    asks: [
      "authorise a visitor",
      "approve a guest for two hours",
      "give internet access to a guest",
      "bypass the captive portal for someone",
      "let my friend online for an hour",
      "visitor cannot get past the login page",
      "grant temporary internet",
    ],
    description:
      "Lets a client of a guest network past the portal for some minutes, with optional speed and volume limits.",
    destructive: false,
    input: {
      minutes: Type.Optional(Type.Integer({ description: "How long", minimum: 1, maximum: 5_256_000, default: 1440 })),
      up_kbps: Type.Optional(Type.Integer({ description: "Upload limit, kbit/s", minimum: 1, maximum: 10_000_000 })),
      down_kbps: Type.Optional(
        Type.Integer({ description: "Download limit, kbit/s", minimum: 1, maximum: 10_000_000 }),
      ),
      bytes_quota: Type.Optional(
        Type.Integer({ description: "Volume limit in bytes, rounded up to megabytes", minimum: 1, maximum: 1e15 }),
      ),
    },
    command: authorizing,
  }),
  clientCommand({
    name: "unifi_unauthorize_guest",
    title: "Unauthorize guest",
    summary: "Withdraw a guest's access.",
    asks: [
      "revoke guest access",
      "throw a guest off",
      "end a visitor session",
      "remove a guest from the portal",
      "visitor overstayed",
      "log a guest out",
      "send a guest back to the login page",
    ],
    description: "Sends a guest client back to the portal. To keep it off the network, use unifi_block_client.",
    destructive: true,
    command: (client) => {
      if (connected(client).is_guest !== true) throw invalid("This client is not on a guest network.");
      return {
        body: { cmd: "unauthorize-guest", mac: client.mac },
        action: "toggle",
        current: { authorized: true },
        proposed: { authorized: false },
        unchanged: client.live?.authorized === false,
        done: "Guest access is withdrawn.",
        state: (after) => (after?.live === undefined ? { authorized: false } : authorizedState(after)),
      };
    },
  }),
];
