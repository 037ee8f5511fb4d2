/** The UniFi sites of the console. */
import { listArguments, listOutput, listPayload } from "../listing.ts";
import { project, type RowTable } from "../rows.ts";
import { defineTool } from "../tool.ts";

const TABLE = { name: "string", description: "string", id: "string", role: "string" } as const satisfies RowTable;
const DEFAULT_LIMIT = 100;

export default [
  defineTool({
    name: "unifi_list_sites",
    title: "List sites",
    summary: "List the console's UniFi sites.",
    asks: [
      "which sites do I manage",
      "names of all branches",
      "which locations exist",
      "show me our offices",
      "site ids",
      "do I have more than one site",
      "branches under management",
      "pick a site",
    ],
    description:
      "Lists the UniFi sites that the agent's account sees on this console. Any tool's `site` argument takes a name, description or id from here; without it a tool uses the location's default site.",
    app: "network",
    category: "system",
    permission: { category: "system", action: "read" },
    input: listArguments(DEFAULT_LIMIT),
    output: listOutput("sites", TABLE),
    reads: ["GET /api/self/sites"],
    async run({ network, networkConsole, signal }, args) {
      const sites = await networkConsole.sites(signal);
      const rows = sites.map((site) => project({ ...site }, TABLE));
      return listPayload({
        site: network.site,
        rowsName: "sites",
        table: TABLE,
        rows,
        args,
        defaultLimit: DEFAULT_LIMIT,
      });
    },
  }),
];
