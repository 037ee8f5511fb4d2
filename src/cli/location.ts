/** `unifi-edge location`: places, their enrolment tokens, and the agents that speak for them. */
import type { Command } from "commander";
import Type from "typebox";
import { AgentAnswer, DoneAnswer, EnrolmentAnswer, LocationAnswer } from "../admin/answers.ts";
import {
  type AdminClient,
  addGatewayOptions,
  chooseOrganisation,
  type GatewayOptions,
  pathOf,
  withAdmin,
} from "./admin-client.ts";
import { count, seconds } from "./duration.ts";
import { minute, type PrintOption, print, tableOf } from "./table.ts";

type Given = GatewayOptions & PrintOption & { readonly org?: string };
type Enrolling = Given & { readonly ttl?: number; readonly uses?: number };

export function describe(command: Command): void {
  const sub = (usage: string, description: string) =>
    addGatewayOptions(command.command(usage).description(description))
      .option("--org <id>", "organisation, where there are several")
      .option("--json", "print JSON");
  const enrolling = (usage: string, description: string) =>
    sub(usage, description)
      .option("--ttl <time>", "how long the enrolment token is good, up to 30d (default 15m)", seconds)
      .option("--uses <n>", "how many agents may use it (default 1)", count);

  enrolling("add <name>", "add a location and print the command that starts its agent")
    .option("--id <id>", "another id than the one made from the name")
    .action((name: string, given: Enrolling & { id?: string }) =>
      withAdmin(given, (client) => add(client, name, given)),
    );
  enrolling("token <location>", "issue a new enrolment token").action((location: string, given: Enrolling) =>
    withAdmin(given, async (client) => {
      const org = await chooseOrganisation(client, given.org);
      const issued = await issueToken(client, org, location, given);
      print(given, issued, enrolmentWords(location, issued));
    }),
  );
  sub("list", "list locations and their agents").action((given: Given) =>
    withAdmin(given, (client) => list(client, given)),
  );
  sub("remove <location>", "remove a location and revoke its agents").action((location: string, given: Given) =>
    withAdmin(given, async (client) => {
      const org = await chooseOrganisation(client, given.org);
      const done = await client.ask("DELETE", pathOf("organisations", org, "locations", location), DoneAnswer);
      print(given, done, `Removed location ${location} and revoked its agents.\n`);
    }),
  );
  sub("approve <agent>", "let a held agent speak for its location; the former one is revoked").action(
    (agent: string, given: Given) =>
      withAdmin(given, async (client) => {
        const org = await chooseOrganisation(client, given.org);
        const path = pathOf("organisations", org, "agents", agent, "approve");
        const changed = await client.ask("POST", path, Type.Array(AgentAnswer));
        print(given, changed, changed.map(({ id, location, state }) => `${id} of ${location} is ${state}.\n`).join(""));
      }),
  );
  sub("revoke <agent>", "end an agent's key for good").action((agent: string, given: Given) =>
    withAdmin(given, async (client) => {
      const org = await chooseOrganisation(client, given.org);
      const revoked = await client.ask("POST", pathOf("organisations", org, "agents", agent, "revoke"), AgentAnswer);
      print(given, revoked, `Agent ${revoked.id} of ${revoked.location} is revoked.\n`);
    }),
  );
}

async function add(client: AdminClient, name: string, given: Enrolling & { id?: string }): Promise<void> {
  const org = await chooseOrganisation(client, given.org);
  const body = { name, ...(given.id === undefined ? {} : { id: given.id }) };
  const made = await client.ask("POST", pathOf("organisations", org, "locations"), LocationAnswer, body);
  const issued = await issueToken(client, org, made.id, given);
  print(
    given,
    { location: made, enrolment: issued },
    `Added location ${made.id} (${made.name}) to ${org}.\n\n${enrolmentWords(made.id, issued)}`,
  );
}

function issueToken(client: AdminClient, org: string, location: string, { ttl, uses }: Enrolling) {
  const body = { ...(ttl === undefined ? {} : { ttl_seconds: ttl }), ...(uses === undefined ? {} : { uses }) };
  const path = pathOf("organisations", org, "locations", location, "enrolment-tokens");
  return client.ask("POST", path, EnrolmentAnswer, body);
}

function enrolmentWords(location: string, { ends, uses, agent_command: command }: EnrolmentAnswer): string {
  const times = uses === 1 ? "once" : `${uses} times`;
  return (
    `Start the agent of ${location} on a machine beside the console (token good ${times}, until ${minute(ends)} UTC):\n\n` +
    `  ${command}\n\nIt also needs UNIFI_HOST, UNIFI_USERNAME and UNIFI_PASSWORD: see unifi-edge agent --help\n`
  );
}

async function list(client: AdminClient, given: Given): Promise<void> {
  const org = await chooseOrganisation(client, given.org);
  const [locations, agents] = await Promise.all([
    client.ask("GET", pathOf("organisations", org, "locations"), Type.Array(LocationAnswer)),
    client.ask("GET", pathOf("organisations", org, "agents"), Type.Array(AgentAnswer)),
  ]);
  const current = agents.filter(({ state }) => state !== "revoked");
  const rows = locations.map(({ id, name, status, offline_since: since, apps }) => ({
    id,
    name,
    status: since === undefined ? status : `${status} since ${minute(since)}`,
    apps: apps.join(", "),
    agents: current
      .filter(({ location }) => location === id)
      .map((agent) => `${agent.id} (${agent.state})`)
      .join(", "),
  }));
  print(
    given,
    { locations, agents },
    tableOf(rows, `No location in ${org} yet. Add one: unifi-edge location add <name>`),
  );
}
