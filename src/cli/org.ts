/** `unifi-edge org`: the organisations of the running gateway. */
import type { Command } from "commander";
import Type from "typebox";
import { OrganisationAnswer } from "../admin/answers.ts";
import { addGatewayOptions, type GatewayOptions, withAdmin } from "./admin-client.ts";
import { minute, type PrintOption, print, tableOf } from "./table.ts";

type Given = GatewayOptions & PrintOption;

export function describe(command: Command): void {
  addGatewayOptions(command.command("add <name>").description("add a customer; its id is made from its name"))
    .option("--id <id>", "another id: a to z, 0 to 9 and -")
    .option("--json", "print JSON")
    .action((name: string, given: Given & { id?: string }) =>
      withAdmin(given, async (client) => {
        const body = { name, ...(given.id === undefined ? {} : { id: given.id }) };
        const made = await client.ask("POST", "/organisations", OrganisationAnswer, body);
        print(given, made, `Added organisation ${made.id} (${made.name}).\n`);
      }),
    );

  addGatewayOptions(command.command("list").description("list organisations"))
    .option("--json", "print JSON")
    .action((given: Given) =>
      withAdmin(given, async (client) => {
        const all = await client.ask("GET", "/organisations", Type.Array(OrganisationAnswer));
        const rows = all.map(({ id, name, created }) => ({ id, name, created: minute(created) }));
        print(given, all, tableOf(rows, "No organisation yet. Add one: unifi-edge org add <name>"));
      }),
    );
}
