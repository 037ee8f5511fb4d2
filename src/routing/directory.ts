/**
 * Which places exist, which agent is connected for each, and what each principal can see of them. Answers from memory:
 * the store is read in the background, so lists and index cost no round trip (design 7).
 */
import type { Visible } from "../mcp/execution.ts";
import { coversLocation, type Principal } from "../principal.ts";
import type { AgentConnection } from "../tunnel/calls.ts";
import { type PlaceRecord, type PlaceStatus, type SeenPlace, type ShownManifest, visibleOf } from "./visible.ts";

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
  read(bytes: Buffer): ShownManifest;
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

/** Distinct manifests kept parsed; a fleet runs a handful of versions. */
const MANIFESTS_KEPT = 200;
/** Names that were warned of; past it they may be warned of again. */
const CONTESTED_KEPT = 1_000;

export class Directory {
  readonly #options: DirectoryOptions;
  readonly #connections = new Map<string, AgentConnection>();
  readonly #manifests = new Map<string, ShownManifest>();
  readonly #visible = new WeakMap<Principal, { revision: number; visible: Visible }>();
  readonly #waiting = new Map<string, Set<(connection: AgentConnection) => void>>();
  readonly #listeners = new Set<() => void>();
  #organisations: ReadonlyMap<string, Organisation> = new Map();
  /** Organisation and name of foreign tools that locations differ about. */
  readonly #warnedOf = new Set<string>();
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
    const places = (organisation?.places ?? [])
      .filter((place) => coversLocation(principal, place.id))
      .map((record): SeenPlace => {
        const connection = this.connectionOf(principal.org, record.id);
        const digest = connection?.description.manifestDigest ?? record.lastSeen?.manifestDigest;
        return { record, connection, manifest: digest === undefined ? undefined : this.#manifests.get(digest) };
      });
    const { ownNames } = this.#options.manifests;
    const { visible, contested } = visibleOf(organisation?.name ?? principal.org, places, ownNames);
    this.#warnOf(principal.org, contested);
    return visible;
  }

  /** Once for each name, as far as is remembered: everybody's view is made anew at every change. */
  #warnOf(org: string, contested: readonly string[]): void {
    const fresh = contested.filter((name) => !this.#warnedOf.has(`${org}\n${name}`));
    if (fresh.length === 0) return;
    if (this.#warnedOf.size > CONTESTED_KEPT) this.#warnedOf.clear();
    for (const name of fresh) this.#warnedOf.add(`${org}\n${name}`);
    this.#options.log.warn(
      { org, tools: fresh.slice(0, 20), count: fresh.length },
      "locations differ in what these tools of theirs are, so they are not offered",
    );
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
