/** `unifi-edge token`: personal access tokens, for clients that cannot sign in by OAuth; and administration tokens. */
import { type Command, Option } from "commander";
import Type from "typebox";
import { AccessTokenAnswer, DoneAnswer, IssuedTokenAnswer } from "../admin/answers.ts";
import { SCOPES, type Scope } from "../principal.ts";
import { addGatewayOptions, chooseOrganisation, type GatewayOptions, pathOf, withAdmin } from "./admin-client.ts";
import { describeAdminTokens } from "./admin-token.ts";
import { seconds } from "./duration.ts";
import { minute, type PrintOption, print, tableOf } from "./table.ts";

type Given = GatewayOptions & PrintOption & { readonly org?: string };
type Issuing = Given & {
  readonly label: string;
  readonly scope: readonly Scope[];
  readonly location?: readonly string[];
  readonly ttl: number;
};

const THIRTY_DAYS_SECONDS = 30 * 86_400;

export function describe(command: Command): void {
  const sub = (usage: string, description: string) =>
    addGatewayOptions(command.command(usage).description(description))
      .option("--org <id>", "organisation, where there are several")
      .option("--json", "print JSON");

  sub("issue <owner>", "issue a token for a person; it is shown once")
    .option("--label <text>", "what it is for", "command line")
    .addOption(new Option("--scope <scope...>", "what it may do").choices([...SCOPES]).default(["unifi:read"]))
    .option("--location <id...>", "only these locations (default all)")
    .addOption(
      new Option("--ttl <time>", "how long it is good, up to 365d")
        .argParser(seconds)
        .default(THIRTY_DAYS_SECONDS, "30d"),
    )
    .action((owner: string, given: Issuing) =>
      withAdmin(given, async (client) => {
        const org = await chooseOrganisation(client, given.org);
        const { label, scope: scopes, location: locations = "all", ttl } = given;
        const body = { owner, label, scopes, locations, ttl_seconds: ttl };
        const issued = await client.ask("POST", pathOf("organisations", org, "access-tokens"), IssuedTokenAnswer, body);
        print(given, issued, `${issued.token}\n\nGood until ${minute(issued.ends)} UTC. It is not shown again.\n`);
      }),
    );

  sub("list", "list tokens; never the tokens themselves").action((given: Given) =>
    withAdmin(given, async (client) => {
      const org = await chooseOrganisation(client, given.org);
      const all = await client.ask("GET", pathOf("organisations", org, "access-tokens"), Type.Array(AccessTokenAnswer));
      const rows = all.map(({ id, owner, label, scopes, locations, ends }) => ({
        id,
        owner,
        label,
        scopes: scopes.join(" "),
        locations: locations === "all" ? "all" : locations.join(", "),
        ends: minute(ends),
      }));
      print(given, all, tableOf(rows, `No access token in ${org}.`));
    }),
  );

  sub("revoke <id>", "end a token at once").action((id: string, given: Given) =>
    withAdmin(given, async (client) => {
      const org = await chooseOrganisation(client, given.org);
      const done = await client.ask("DELETE", pathOf("organisations", org, "access-tokens", id), DoneAnswer);
      print(given, done, `Revoked token ${id}.\n`);
    }),
  );

  describeAdminTokens(command.command("admin").description("administration tokens, for these commands from elsewhere"));
}
