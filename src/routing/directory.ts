/**
 * Which places exist, which agent is connected for each, and what each principal can see of them. Answers from memory:
 * the store is read in the background, so lists and index cost no round trip (design 7).
 */
import { createHash } from "node:crypto";
import type { App, ManifestTool } from "../catalog/manifest.ts";
import type { ForeignTool, LocationView, Visible } from "../mcp/execution.ts";
import { coversLocation, type Principal } from "../principal.ts";
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

/** The records behind the directory; made over the store by gateway/main.ts. */
export interface PlaceRegister {
  organisations(): Promise<readonly { readonly id: string; readonly name: string }[]>;
  places(org: string): Promise<readonly PlaceRecord[]>;
  saveStatus(org: string, location: string, status: PlaceStatus): Promise<void>;
  manifest(org: string, digest: string): Promise<Buffer | undefined>;
  saveManifest(org: string, digest: string, bytes: Buffer): Promise<void>;
}

/** Splits an agent's manifest: names the gateway knows, and tools of that location's own (checked, capped). */
export interface ManifestReader {
  readonly ownDigest: string;
  /** Every tool name of the gateway's own manifest. */
  readonly ownNames: ReadonlySet<string>;
  read(bytes: Buffer): { readonly names: ReadonlySet<string>; readonly foreign: readonly ManifestTool[] };
}

interface ShownManifest {
  readonly names: ReadonlySet<string>;
  readonly foreign: readonly ManifestTool[];
}

interface Organisation {
  readonly name: string;
  readonly places: readonly PlaceRecord[];
}

export interface DirectoryOptions {
  readonly register: PlaceRegister;
  readonly manifests: ManifestReader;
  readonly now: () => number;
  readonly log: { warn(facts: object, message: string): void };
}

const ALL_APPS: ReadonlySet<App> = new Set(["network", "protect", "access"]);
/** Distinct manifests kept parsed; a fleet runs a handful of versions. */
const MANIFESTS_KEPT = 200;

export class Directory {
  readonly #options: DirectoryOptions;
  readonly #connections = new Map<string, AgentConnection>();
  readonly #manifests = new Map<string, ShownManifest>();
  readonly #visible = new WeakMap<Principal, { revision: number; visible: Visible }>();
  readonly #waiting = new Map<string, Set<(connection: AgentConnection) => void>>();
  readonly #listeners = new Set<() => void>();
  #organisations: ReadonlyMap<string, Organisation> = new Map();
  #snapshot = "";
  #revision = 0;

  constructor(options: DirectoryOptions) {
    this.#options = options;
    const { ownDigest, ownNames } = options.manifests;
    this.#manifests.set(ownDigest, { names: ownNames, foreign: [] });
  }

  /** Reads organisations and places again; called once before listening, then every second or two. */
  async refresh(): Promise<void> {
    const { register } = this.#options;
    const organisations = new Map<string, Organisation>();
    for (const { id, name } of await register.organisations()) {
      organisations.set(id, { name, places: await register.places(id) });
    }
    const snapshot = JSON.stringify([...organisations]);
    if (snapshot === this.#snapshot) return;
    this.#snapshot = snapshot;
    this.#organisations = organisations;
    for (const [org, { places }] of organisations) await this.#loadManifests(org, places);
    this.#changed();
  }

  /** A new agent link. A place has one: the newer epoch wins, and the older link is closed by the tunnel. */
  async attach(connection: AgentConnection): Promise<void> {
    const key = placeKey(connection.org, connection.location);
    this.#connections.set(key, connection);
    // Identity, not key: a late close of the old socket must not unroute the new one
    connection.closed.addEventListener("abort", () => {
      if (this.#connections.get(key) !== connection) return;
      this.#connections.delete(key);
      this.#changed();
      this.#saveStatus(connection, this.#options.now());
    });
    for (const resume of this.#waiting.get(key) ?? []) resume(connection);
    this.#changed();
    await this.#learnPlace(connection);
    await this.#learnManifest(connection);
    this.#saveStatus(connection, undefined);
    this.#changed();
  }

  connectionOf(org: string, location: string): AgentConnection | undefined {
    return this.#connections.get(placeKey(org, location));
  }

  /** The present link, or the next one within `waitMs`; undefined when none came. */
  async nextConnection(
    org: string,
    location: string,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<AgentConnection | undefined> {
    const present = this.connectionOf(org, location);
    if (present || waitMs <= 0 || signal.aborted) return present;
    const key = placeKey(org, location);
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting);
    return new Promise((resolve) => {
      const finish = (connection: AgentConnection | undefined) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        waiting.delete(finish);
        if (waiting.size === 0) this.#waiting.delete(key);
        resolve(connection);
      };
      const onAbort = () => finish(undefined);
      const timer = setTimeout(onAbort, waitMs);
      signal.addEventListener("abort", onAbort);
      waiting.add(finish);
    });
  }

  /** Since when the place has no agent, for the caller's error text. */
  offlineSince(org: string, location: string): number | undefined {
    return this.#organisations.get(org)?.places.find((place) => place.id === location)?.lastSeen?.offlineSinceMs;
  }

  /** Runs whenever what somebody can see has changed. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  visible(principal: Principal): Visible {
    const cached = this.#visible.get(principal);
    if (cached?.revision === this.#revision) return cached.visible;
    const visible = this.#see(principal);
    this.#visible.set(principal, { revision: this.#revision, visible });
    return visible;
  }

  #see(principal: Principal): Visible {
    const organisation = this.#organisations.get(principal.org);
    const places = (organisation?.places ?? []).filter((place) => coversLocation(principal, place.id));
    const shown = places.map((place) => this.#shownBy(principal.org, place));
    const seen = shown.filter((entry) => entry !== undefined);
    const apps = seen.length === 0 ? ALL_APPS : new Set(seen.flatMap((entry) => entry.apps));
    const { ownNames } = this.#options.manifests;
    // An unseen agent may have every tool: only when all visible ones are known does a missing name count
    const lacking = new Set(
      seen.length < places.length || seen.length === 0
        ? []
        : [...ownNames].filter((name) => seen.every((entry) => !entry.manifest.names.has(name))),
    );
    const foreign = joinForeign(places, shown);
    const locations = places.map((place) => this.#view(principal.org, organisation?.name ?? principal.org, place));
    const revision = digestOf({
      locations: locations.map(({ id, name, apps: of }) => [id, name, of]),
      lacking: [...lacking],
      foreign,
      apps: [...apps],
    });
    return { revision, apps, locations, foreign, lacking };
  }

  #shownBy(org: string, place: PlaceRecord): { apps: readonly App[]; manifest: ShownManifest } | undefined {
    const connection = this.connectionOf(org, place.id);
    const digest = connection?.description.manifestDigest ?? place.lastSeen?.manifestDigest;
    const manifest = digest === undefined ? undefined : this.#manifests.get(digest);
    const apps = connection?.description.apps ?? place.lastSeen?.apps;
    return manifest && apps ? { apps, manifest } : undefined;
  }

  #view(org: string, organisation: string, place: PlaceRecord): LocationView {
    const connection = this.connectionOf(org, place.id);
    const since = place.lastSeen?.offlineSinceMs;
    const version = connection?.description.version ?? place.lastSeen?.agentVersion;
    return {
      id: place.id,
      name: place.name,
      organisation,
      status: connection ? "online" : "offline",
      ...(connection || since === undefined ? {} : { offline_since: new Date(since).toISOString() }),
      apps: connection?.description.apps ?? place.lastSeen?.apps ?? [],
      ...(version === undefined ? {} : { agent_version: version }),
    };
  }

  /** A place that was made since the last look is seen with its first agent, and not a poll later. */
  async #learnPlace({ org, location }: AgentConnection): Promise<void> {
    if (this.#organisations.get(org)?.places.some((place) => place.id === location) === true) return;
    await this.refresh().catch((error: unknown) => {
      this.#options.log.warn({ err: error, org, location }, "the places were not read");
    });
  }

  async #learnManifest(connection: AgentConnection): Promise<void> {
    const digest = connection.description.manifestDigest;
    if (this.#manifests.has(digest)) return;
    const { register, log } = this.#options;
    try {
      const stored = await register.manifest(connection.org, digest);
      const bytes = stored ?? (await connection.manifest());
      // read before it is stored: what is no manifest must not wait in the store for the next start
      this.#keepManifest(digest, bytes);
      if (!stored) await register.saveManifest(connection.org, digest, bytes);
    } catch (error) {
      log.warn(
        { err: error, org: connection.org, location: connection.location },
        "the agent's manifest could not be read",
      );
    }
  }

  async #loadManifests(org: string, places: readonly PlaceRecord[]): Promise<void> {
    for (const { lastSeen } of places) {
      if (!lastSeen || this.#manifests.has(lastSeen.manifestDigest)) continue;
      const bytes = await this.#options.register.manifest(org, lastSeen.manifestDigest);
      if (bytes) this.#keepStored(org, lastSeen.manifestDigest, bytes);
    }
  }

  /** One organisation's unreadable manifest must not keep the others from starting, or from seeing what changed. */
  #keepStored(org: string, digest: string, bytes: Buffer): void {
    try {
      this.#keepManifest(digest, bytes);
    } catch (error) {
      this.#options.log.warn({ err: error, org, digest }, "a stored manifest could not be read");
    }
  }

  #keepManifest(digest: string, bytes: Buffer): void {
    this.#manifests.set(digest, this.#options.manifests.read(bytes));
    if (this.#manifests.size <= MANIFESTS_KEPT) return;
    const oldest = [...this.#manifests.keys()].find((kept) => kept !== this.#options.manifests.ownDigest);
    if (oldest !== undefined) this.#manifests.delete(oldest);
  }

  #saveStatus(connection: AgentConnection, offlineSinceMs: number | undefined): void {
    const { apps, version, manifestDigest } = connection.description;
    const status: PlaceStatus = {
      apps,
      agentVersion: version,
      manifestDigest,
      ...(offlineSinceMs === undefined ? {} : { offlineSinceMs }),
    };
    // Status is an index: a store that is away must not take the link down with it
    this.#options.register.saveStatus(connection.org, connection.location, status).catch((error: unknown) => {
      this.#options.log.warn({ err: error, location: connection.location }, "the location's status was not saved");
    });
  }

  #changed(): void {
    this.#revision++;
    for (const listener of this.#listeners) listener();
  }
}

function placeKey(org: string, location: string): string {
  return `${org}\n${location}`;
}

function joinForeign(
  places: readonly PlaceRecord[],
  shown: readonly ({ manifest: ShownManifest } | undefined)[],
): ForeignTool[] {
  const byName = new Map<string, { tool: ManifestTool; locations: string[] }>();
  places.forEach((place, index) => {
    for (const tool of shown[index]?.manifest.foreign ?? []) {
      const known = byName.get(tool.name);
      if (known) known.locations.push(place.id);
      else byName.set(tool.name, { tool, locations: [place.id] });
    }
  });
  return [...byName.values()].sort((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 16);
}
