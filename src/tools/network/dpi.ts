/** What deep packet inspection can tell apart: applications and their categories, with the ids that rules use. */
import { Type } from "typebox";
import type { NetworkSite, Row } from "../../controller/controller.ts";
import { type ListArguments, listArguments, listOutput, listPayload } from "../listing.ts";
import { isRow, numberOf, type RowTable } from "../rows.ts";
import { defineTool } from "../tool.ts";

/** The integration API's own bound for a page. */
const PAGE = 200;
/** Consoles know about 2,500 applications; more pages than this mean that the console does not end its list. */
const MOST_PAGES = 25;
const DEFAULT_LIMIT = 100;

const APPLICATIONS: RowTable = { id: "integer", name: "string", category_id: "integer" };
const CATEGORIES: RowTable = { id: "integer", name: "string" };
const place = { app: "network", category: "dpi", permission: { category: "dpi", action: "read" } } as const;

/** Every row of a paged collection of the integration API. */
async function allPages(network: NetworkSite, path: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await network.integration("GET", `${path}?offset=${rows.length}&limit=${PAGE}`);
    const data = isRow(answer) && Array.isArray(answer.data) ? answer.data.filter(isRow) : [];
    rows.push(...data);
    const total = isRow(answer) ? numberOf(answer.totalCount) : undefined;
    if (data.length === 0 || rows.length >= (total ?? 0)) break;
  }
  return rows;
}

/** Applications carry their category in the upper half of the id where the console does not name it. */
function applicationRow(raw: Row): Row {
  const id = numberOf(raw.id);
  const category = numberOf(raw.categoryId ?? raw.category_id);
  return { ...raw, category_id: category ?? (id === undefined ? undefined : Math.floor(id / 65_536)) };
}

export default [
  defineTool({
    ...place,
    name: "unifi_list_dpi_applications",
    title: "List DPI applications",
    summary: "List applications that DPI recognises.",
    description:
      "Lists the applications that the gateway recognises in traffic, with the ids that rules and flows name. Who used which is in unifi_get_client_dpi_traffic and unifi_get_site_dpi_traffic.",
    input: {
      search: Type.Optional(
        Type.Unsafe<string | null>({
          type: ["string", "null"],
          description: "Part of the name, in any case",
          maxLength: 128,
        }),
      ),
      ...listArguments(DEFAULT_LIMIT),
      limit: Type.Optional(
        Type.Integer({ description: "Most rows to return", minimum: 1, maximum: 2500, default: DEFAULT_LIMIT }),
      ),
    },
    output: {
      ...listOutput("applications", APPLICATIONS),
      total_count: Type.Optional(Type.Integer()),
      offset: Type.Optional(Type.Integer()),
      limit: Type.Optional(Type.Integer()),
    },
    reads: ["GET /integration/v1/dpi/applications"],
    asks: [
      "id of tiktok for a rule",
      "which programs can it recognise",
      "application ids for blocking an app",
      "which applications can be detected",
      "list known apps",
      "id of an application",
      "find the app id of youtube",
      "number of an app",
      "can it tell whatsapp apart",
    ],
    async run({ network }, args: ListArguments & { readonly search?: string | null }) {
      const rows = (await allPages(network, "/dpi/applications")).map(applicationRow);
      const wanted = args.search?.toLowerCase();
      const payload = listPayload({
        site: network.site,
        rowsName: "applications",
        table: APPLICATIONS,
        rows,
        args: { ...args },
        defaultLimit: DEFAULT_LIMIT,
        ...(wanted === undefined ? {} : { select: (row) => String(row.name).toLowerCase().includes(wanted) }),
      });
      return { ...payload, total_count: payload.total, offset: args.offset ?? 0, limit: args.limit ?? DEFAULT_LIMIT };
    },
  }),
  defineTool({
    ...place,
    name: "unifi_list_dpi_categories",
    title: "List DPI categories",
    summary: "List the groups of DPI applications.",
    description: "Lists the categories into which recognised applications fall, with the ids that rules name.",
    input: listArguments(DEFAULT_LIMIT),
    output: { ...listOutput("categories", CATEGORIES), total_count: Type.Optional(Type.Integer()) },
    reads: ["GET /integration/v1/dpi/categories"],
    asks: [
      "kinds of apps such as streaming or games",
      "id of the social media class",
      "classes of recognised traffic",
      "application categories",
      "which app categories exist",
      "id of the gaming category",
      "groups of apps such as gaming",
      "number of the video class",
    ],
    async run({ network }, args: ListArguments) {
      const payload = listPayload({
        site: network.site,
        rowsName: "categories",
        table: CATEGORIES,
        rows: await allPages(network, "/dpi/categories"),
        args: { ...args },
        defaultLimit: DEFAULT_LIMIT,
      });
      return { ...payload, total_count: payload.total };
    },
  }),
];
