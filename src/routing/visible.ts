/** What one principal sees of an organisation: its places, their apps, the tools that none has, the ones of their own. */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { APPS, type App, type ManifestTool } from "../catalog/manifest.ts";
import type { ForeignTool, LocationView, Visible } from "../mcp/execution.ts";
import type { AgentConnection } from "../tunnel/calls.ts";

/** What the store knows of one location. */
export interface PlaceRecord {
  readonly id: string;
  readonly name: string;
  /** What its agent last said of itself; absent = no agent was ever seen. */
  readonly lastSeen?: PlaceStatus;
}

export interface PlaceStatus {
  readonly apps: readonly App[];
  readonly agentVersion: string;
  readonly manifestDigest: string;
  /** Set when the agent left; absent while it is connected. */
  readonly offlineSinceMs?: number;
}

/** What an agent can do: names of every tool it has, and those that the gateway does not know. */
export interface ShownManifest {
  readonly names: ReadonlySet<string>;
  readonly foreign: readonly ManifestTool[];
}

export interface SeenPlace {
  readonly record: PlaceRecord;
  readonly connection: Pick<AgentConnection, "description"> | undefined;
  /** Undefined = its agent was never seen, or showed nothing that could be read. */
  readonly manifest: ShownManifest | undefined;
}

/** `places` are those that the principal's consent covers. `contested` = names of foreign tools that were left out. */
export function visibleOf(
  organisation: string,
  places: readonly SeenPlace[],
  ownNames: ReadonlySet<string>,
): { readonly visible: Visible; readonly contested: readonly string[] } {
  const known = places.filter((place) => place.manifest !== undefined && appsOf(place) !== undefined);
  const apps = new Set(known.length === 0 ? APPS : known.flatMap((place) => appsOf(place) ?? []));
  // An unseen agent may have every tool: only when all visible ones are known does a missing name count
  const lacking = new Set(
    known.length < places.length || known.length === 0
      ? []
      : [...ownNames].filter((name) => known.every(({ manifest }) => manifest?.names.has(name) !== true)),
  );
  const { foreign, contested } = joinForeign(known);
  const locations = places.map((place) => viewOf(organisation, place));
  const revision = digestOf({
    locations: locations.map(({ id, name, apps: of }) => [id, name, of]),
    lacking: [...lacking],
    foreign,
    apps: [...apps],
  });
  return { visible: { revision, apps, locations, foreign, lacking }, contested };
}

function appsOf({ connection, record }: SeenPlace): readonly App[] | undefined {
  return connection?.description.apps ?? record.lastSeen?.apps;
}

function viewOf(organisation: string, place: SeenPlace): LocationView {
  const { record, connection } = place;
  const since = record.lastSeen?.offlineSinceMs;
  const version = connection?.description.version ?? record.lastSeen?.agentVersion;
  return {
    id: record.id,
    name: record.name,
    organisation,
    status: connection ? "online" : "offline",
    ...(connection || since === undefined ? {} : { offline_since: new Date(since).toISOString() }),
    apps: appsOf(place) ?? [],
    ...(version === undefined ? {} : { agent_version: version }),
  };
}

/**
 * One name must mean one thing, since a caller sees one definition whatever place he names. Where two places differ,
 * neither's word may stand for the other's, so nobody is offered that name.
 */
function joinForeign(places: readonly SeenPlace[]): { foreign: ForeignTool[]; contested: string[] } {
  const byName = new Map<string, { tool: ManifestTool; locations: Set<string> }>();
  const contested = new Set<string>();
  for (const { record, manifest } of places) {
    for (const tool of manifest?.foreign ?? []) {
      const known = byName.get(tool.name);
      if (known === undefined) byName.set(tool.name, { tool, locations: new Set([record.id]) });
      // agents of one version share one parsed manifest
      else if (known.tool === tool || isDeepStrictEqual(known.tool, tool)) known.locations.add(record.id);
      else contested.add(tool.name);
    }
  }
  const foreign = [...byName.values()]
    .filter(({ tool }) => !contested.has(tool.name))
    .map(({ tool, locations }) => ({ tool, locations: [...locations] }))
    .sort((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
  return { foreign, contested: [...contested].sort() };
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 16);
}
