/** The sites of a console: listed, found by any of their names, and matched with their integration ids. */
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { EdgeError } from "../../errors.ts";
import { cleanText } from "../../redaction/redact.ts";
import type { SiteInfo } from "../controller.ts";
import { rowsOf } from "./envelope.ts";
import type { Caller } from "./request.ts";

const V1_SITE = Compile(
  Type.Object({
    _id: Type.String(),
    name: Type.String(),
    desc: Type.Optional(Type.String()),
    role: Type.Optional(Type.String()),
  }),
);
const INTEGRATION_PAGE = Compile(
  Type.Object({
    totalCount: Type.Optional(Type.Number()),
    data: Type.Array(
      Type.Object({
        id: Type.String(),
        internalReference: Type.Optional(Type.String()),
        name: Type.Optional(Type.String()),
      }),
    ),
  }),
);

const PAGE_SIZE = 200;
/** 20 pages: no console has 4000 sites. */
const MOST_PAGES = 20;
const LONGEST_NAME = 120;

interface IntegrationSite {
  readonly id: string;
  readonly internalReference?: string;
  readonly name?: string;
}

/** All sites of the account, from v1; from the integration API where only a key exists and v1 refuses it. */
export async function listSites(caller: Caller, signal?: AbortSignal): Promise<readonly SiteInfo[]> {
  try {
    const rows = rowsOf(await caller.call({ method: "GET", path: "/api/self/sites", signal }));
    return rows.filter((row) => V1_SITE.Check(row)).map(siteOf);
  } catch (thrown) {
    if (!(thrown instanceof EdgeError) || thrown.code !== "CONTROLLER_AUTH_FAILED") throw thrown;
    const sites = await integrationSites(caller, signal).catch(() => {
      // the first refusal names the cause; the second would only repeat it
      throw thrown;
    });
    return sites.map(({ id, internalReference, name }) => ({
      id,
      name: internalReference ?? id,
      description: cleanText(name ?? internalReference ?? id, LONGEST_NAME),
    }));
  }
}

function siteOf(row: { _id: string; name: string; desc?: string; role?: string }): SiteInfo {
  return {
    name: row.name,
    description: cleanText(row.desc ?? row.name, LONGEST_NAME),
    id: row._id,
    ...(row.role === undefined ? {} : { role: row.role }),
  };
}

/** The site that a name means: short name first, then `_id`, then description; case counts only where it decides. */
export function findSite(sites: readonly SiteInfo[], wanted: string): SiteInfo {
  const folded = wanted.trim().toLowerCase();
  const ways: readonly ((site: SiteInfo) => boolean)[] = [
    (site) => site.name === wanted,
    (site) => site.id === wanted,
    (site) => site.description === wanted,
    (site) => site.name.toLowerCase() === folded,
    (site) => site.description.toLowerCase() === folded,
  ];
  for (const matches of ways) {
    const found = sites.filter(matches);
    if (found.length > 1) throw unknownSite(sites, "Several sites have this name; use the short name.");
    if (found[0] !== undefined) return found[0];
  }
  throw unknownSite(sites, "The console has no site of this name.");
}

function unknownSite(sites: readonly SiteInfo[], message: string): EdgeError {
  return new EdgeError("SITE_UNKNOWN", message, {
    hint: "Use one of valid_sites: the short name, the description or the id.",
    details: { valid_sites: sites.map(({ name, description }) => ({ name, description })) },
  });
}

/** UUID of a site in the integration API. A console with a single site may leave out the reference to its short name. */
export async function integrationIdOf(caller: Caller, site: string, signal?: AbortSignal): Promise<string> {
  const sites = await integrationSites(caller, signal);
  const found =
    sites.find(({ internalReference }) => internalReference === site) ?? sites.find(({ id }) => id === site);
  if (found !== undefined) return found.id;
  const [only, ...others] = sites;
  if (only !== undefined && others.length === 0 && only.internalReference === undefined) return only.id;
  throw new EdgeError("SITE_UNKNOWN", "The console's integration API does not list this site.", {
    details: { site, valid_sites: sites.map(({ internalReference, id }) => internalReference ?? id) },
  });
}

async function integrationSites(caller: Caller, signal?: AbortSignal): Promise<readonly IntegrationSite[]> {
  const sites: IntegrationSite[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const path = `/integration/v1/sites?limit=${PAGE_SIZE}&offset=${sites.length}`;
    const body = await caller.call({ method: "GET", path, signal });
    if (!INTEGRATION_PAGE.Check(body)) {
      throw new EdgeError("CONTROLLER_FAILED", "The console's list of sites has an unknown form.", { executed: "no" });
    }
    sites.push(...body.data);
    if (body.data.length === 0 || sites.length >= (body.totalCount ?? sites.length)) break;
  }
  return sites;
}
