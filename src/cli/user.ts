/** `unifi-edge user`: people who may sign in, and what they may do where. */
import { type Command, Option } from "commander";
import Type from "typebox";
import { AccountAnswer, DoneAnswer } from "../admin/answers.ts";
import { ROLES, type Role } from "../principal.ts";
import { addGatewayOptions, chooseOrganisation, type GatewayOptions, pathOf, withAdmin } from "./admin-client.ts";
import { readNewPassword } from "./read-password.ts";
import { minute, type PrintOption, print, tableOf } from "./table.ts";

type Given = GatewayOptions & PrintOption;
type InOrganisation = Given & { readonly org?: string };

export function describe(command: Command): void {
  const sub = (usage: string, description: string) =>
    addGatewayOptions(command.command(usage).description(description)).option("--json", "print JSON");
  const org = () => new Option("--org <id>", "organisation, where there are several");

  sub("add <name>", "add a person; the password is asked for, or read from standard input")
    .addOption(org())
    .addOption(new Option("--role <role>", "what they may do").choices([...ROLES]).default("viewer"))
    .option("--email <address>", "their e-mail address")
    .action((name: string, given: InOrganisation & { role: Role; email?: string }) =>
      withAdmin(given, async (client) => {
        const organisation = await chooseOrganisation(client, given.org);
        const password = await readNewPassword();
        const body = { name, password, ...(given.email === undefined ? {} : { email: given.email }) };
        const made = await client.ask("POST", "/accounts", AccountAnswer, body);
        const member = pathOf("organisations", organisation, "members", name);
        await client.ask("PUT", member, DoneAnswer, { role: given.role });
        const roles = { [organisation]: given.role };
        print(given, { ...made, roles }, `Added ${made.name} as ${given.role} of ${organisation}.\n`);
      }),
    );

  sub("list", "list people and their roles").action((given: Given) =>
    withAdmin(given, async (client) => {
      const all = await client.ask("GET", "/accounts", Type.Array(AccountAnswer));
      const rows = all.map(({ name, email = "", roles, created }) => ({
        name,
        email,
        roles: Object.entries(roles)
          .map(([id, role]) => `${role} of ${id}`)
          .join(", "),
        created: minute(created),
      }));
      print(given, all, tableOf(rows, "No people yet. Add one: unifi-edge user add <name>"));
    }),
  );

  sub("password <name>", "set a new password").action((name: string, given: Given) =>
    withAdmin(given, async (client) => {
      const password = await readNewPassword();
      const done = await client.ask("PUT", pathOf("accounts", name, "password"), DoneAnswer, { password });
      print(given, done, `${name} has a new password.\n`);
    }),
  );

  sub("remove <name>", "remove a person; what they signed in stops working").action((name: string, given: Given) =>
    withAdmin(given, async (client) => {
      const done = await client.ask("DELETE", pathOf("accounts", name), DoneAnswer);
      print(given, done, `Removed ${name}.\n`);
    }),
  );

  sub("role <name> <role>", `give a role (${ROLES.join(", ")}) in an organisation, or take it away with none`)
    .addOption(org())
    .action((name: string, role: string, given: InOrganisation) =>
      withAdmin(given, async (client) => {
        const organisation = await chooseOrganisation(client, given.org);
        const member = pathOf("organisations", organisation, "members", name);
        const done = await client.ask("PUT", member, DoneAnswer, { role: role === "none" ? null : role });
        const words = role === "none" ? "no role" : `the role ${role}`;
        print(given, done, `${name} has ${words} in ${organisation}.\n`);
      }),
    );
}
