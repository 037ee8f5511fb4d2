/** A console that keeps notes, and tools for them: every kind of tool over a state that tests can look into and break. */
import { Type } from "typebox";
import type { NetworkConsole, NetworkSite, Row } from "../../src/controller/controller.ts";
import { EdgeError } from "../../src/errors.ts";
import { defineTool, type Plan, type Tool } from "../../src/tools/tool.ts";
import { SILENT_EVENTS } from "../support/fake-network.ts";

export interface NotesConsole extends NetworkConsole {
  readonly notes: Map<string, Record<string, unknown>>;
  /** `METHOD path` of everything that was asked. */
  readonly requests: string[];
  /** Writes among them. */
  writes(): readonly string[];
  /** Runs before each request is answered; a rejection is the request's. */
  before: (request: string) => Promise<void> | void;
  /** Runs after a write took effect and before its answer. */
  after: (request: string) => Promise<void> | void;
  /** Fields that the console accepts and does not save. */
  readonly ignored: Set<string>;
}

export function notesConsole(): NotesConsole {
  const notes = new Map<string, Record<string, unknown>>([["1", { id: "1", text: "milk", x_password: "hidden" }]]);
  const console: NotesConsole = {
    notes,
    requests: [],
    ignored: new Set(),
    before: () => undefined,
    after: () => undefined,
    writes: () => console.requests.filter((request) => !request.startsWith("GET")),
    sites: async () => [{ name: "default", description: "Home", id: "s1" }],
    site: async (name, signal) => {
      if (name !== undefined && name !== "default" && name !== "annex") {
        throw new EdgeError("SITE_UNKNOWN", "There is no such site. Sites: default, annex.");
      }
      return siteOf(console, name ?? "default", signal);
    },
    status: async () => ({ state: "connected", version: "9.1.0" }),
    close: async () => undefined,
  };
  return console;
}

function siteOf(console: NotesConsole, site: string, signal: AbortSignal | undefined): NetworkSite {
  const { notes } = console;
  const unused = async () => {
    throw new EdgeError("CONTROLLER_UNSUPPORTED", "Notes are served under v2 only.");
  };
  return {
    site,
    v1: unused,
    integration: unused,
    integrationSiteId: unused,
    events: () => SILENT_EVENTS,
    raw: unused,
    async v2(method, path, body) {
      const request = `${method} ${path}`;
      console.requests.push(request);
      await console.before(request);
      signal?.throwIfAborted();
      const id = path.split("/")[2] ?? String(notes.size + 1);
      if (method === "GET") return [...notes.values()].map((note) => ({ ...note }));
      if (method === "DELETE") notes.delete(id);
      else notes.set(id, { ...notes.get(id), ...savedOf(console, body), id });
      await console.after(request);
      return { id };
    },
  };
}

function savedOf(console: NotesConsole, body: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body as Row).filter(([name]) => !console.ignored.has(name)));
}

async function noteOf(site: NetworkSite, id: string): Promise<Row | undefined> {
  return ((await site.v2("GET", "/notes")) as Row[]).find((note) => note.id === id);
}

async function knownNote(site: NetworkSite, id: string): Promise<Row> {
  const note = await noteOf(site, id);
  if (note === undefined) throw new EdgeError("NOT_FOUND", "There is no such note.");
  return note;
}

const facts = { app: "network", category: "notes", output: {}, reads: [], writes: [] } as const;
const words = (name: string) => ({ name, title: name, summary: name, description: name });

const text = Type.Optional(Type.String({ description: "What it says" }));
const id = Type.String({ description: "Which note" });
const x_password = Type.Optional(Type.String({ description: "A secret" }));

export const NOTE_TOOLS: readonly Tool[] = [
  defineTool({
    ...facts,
    ...words("unifi_list_notes"),
    permission: { category: "notes", action: "read" },
    input: { limit: Type.Optional(Type.Integer({ description: "How many" })) },
    run: async ({ network, progress }) => {
      progress(1, 2, "asking");
      return { notes: await network.v2("GET", "/notes") };
    },
  }),
  defineTool({
    ...facts,
    ...words("unifi_create_note"),
    permission: { category: "notes", action: "create" },
    input: { text },
    plan: async ({ network }, args): Promise<Plan> => ({
      action: "create",
      resourceType: "note",
      proposed: args,
      apply: async () => (await network.v2("POST", "/notes", args)) as Row,
      readBack: (applied) => noteOf(network, String(applied.id)),
    }),
  }),
  defineTool({
    ...facts,
    ...words("unifi_update_note"),
    permission: { category: "notes", action: "update" },
    input: { id, text, x_password },
    plan: async ({ network }, { id: noteId, ...proposed }): Promise<Plan> => {
      const before = await knownNote(network, noteId);
      const current = Object.fromEntries(Object.keys(proposed).map((name) => [name, before[name]]));
      return {
        action: "update",
        resourceType: "note",
        resourceId: noteId,
        current,
        proposed,
        unchanged: JSON.stringify(current) === JSON.stringify(proposed),
        apply: async () => (await network.v2("PUT", `/notes/${noteId}`, proposed)) as Row,
        readBack: () => noteOf(network, noteId),
      };
    },
  }),
  defineTool({
    ...facts,
    ...words("unifi_delete_note"),
    permission: { category: "notes", action: "delete" },
    input: { id },
    plan: async ({ network }, { id: noteId }): Promise<Plan> => ({
      action: "delete",
      resourceType: "note",
      resourceId: noteId,
      current: await knownNote(network, noteId),
      apply: async () => (await network.v2("DELETE", `/notes/${noteId}`)) as Row,
      readBack: () => noteOf(network, noteId),
    }),
  }),
];
