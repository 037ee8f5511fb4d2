/** `unifi-edge token admin`: administration tokens, for running these commands from another machine. */
import type { Command } from "commander";
import Type from "typebox";
import { AdminTokenAnswer, DoneAnswer, IssuedTokenAnswer } from "../admin/answers.ts";
import { addGatewayOptions, type GatewayOptions, pathOf, withAdmin } from "./admin-client.ts";
import { seconds } from "./duration.ts";
import { minute, type PrintOption, print, tableOf } from "./table.ts";

type Given = GatewayOptions & PrintOption;

export function describeAdminTokens(command: Command): void {
  const sub = (usage: string, description: string) =>
    addGatewayOptions(command.command(usage).description(description)).option("--json", "print JSON");

  sub("issue", "issue one, on the gateway's machine; it is shown once")
    .option("--label <text>", "what it is for", "command line")
    .option("--ttl <time>", "how long it is good, up to 365d (default 30d)", seconds)
    .action((given: Given & { label: string; ttl?: number }) =>
      withAdmin(given, async (client) => {
        const body = { label: given.label, ...(given.ttl === undefined ? {} : { ttl_seconds: given.ttl }) };
        const issued = await client.ask("POST", "/admin-tokens", IssuedTokenAnswer, body);
        print(given, issued, `${issued.token}\n\nGood until ${minute(issued.ends)} UTC. It is not shown again.\n`);
      }),
    );

  sub("list", "list them; never the tokens themselves").action((given: Given) =>
    withAdmin(given, async (client) => {
      const all = await client.ask("GET", "/admin-tokens", Type.Array(AdminTokenAnswer));
      const rows = all.map(({ id, label, created, ends }) => ({
        id,
        label,
        created: minute(created),
        ends: minute(ends),
      }));
      print(given, all, tableOf(rows, "No administration token."));
    }),
  );

  sub("revoke <id>", "end one at once").action((id: string, given: Given) =>
    withAdmin(given, async (client) => {
      const done = await client.ask("DELETE", pathOf("admin-tokens", id), DoneAnswer);
      print(given, done, `Revoked administration token ${id}.\n`);
    }),
  );
}
