/** `unifi-edge demo`: the whole product on this machine, with a tour by a real MCP client. */
import type { Command } from "commander";
import { EdgeError } from "../errors.ts";
import { howToConnect } from "./demo/connect.ts";
import { createPerson } from "./demo/person.ts";
import { PEOPLE, setStage } from "./demo/stage.ts";
import { type Guide, walk } from "./demo/tour.ts";
import { untilStopped } from "./signals.ts";

const DEFAULT_PORT = 8787;

export function describe(command: Command): void {
  command
    .option("--exit", "end after the tour, with status 0 when all went well")
    .option("--port <port>", "port of the gateway on 127.0.0.1; another one when it is taken", Number, DEFAULT_PORT)
    .action(async (options: { exit?: boolean; port: number }) => {
      const { connectClient } = await loadClient();
      const guide = createGuide();
      guide.step("Set the stage");
      const stage = await setStage(options.port, guide.show);
      try {
        guide.step("A real MCP client connects, knowing only the URL");
        const session = await connectClient(stage.mcpUrl, createPerson(), { ...PEOPLE, access: "unifi:write" });
        guide.show("401 → metadata → registration → sign-in and consent pages → code → token");
        guide.show(`speaks MCP ${session.client.getNegotiatedProtocolVersion()}`);
        await walk(session, PEOPLE, guide);
        if (!options.exit) {
          process.stdout.write(howToConnect(stage, session.accessToken()));
          await untilStopped();
        }
        await session.close();
      } finally {
        await stage.close();
      }
      if (options.exit) process.stdout.write("\nThe tour is over; everything was stopped and removed.\n");
    });
}

/** The MCP client is a development dependency, which no other command needs: the published package has none. */
async function loadClient(): Promise<typeof import("./demo/client.ts")> {
  try {
    return await import("./demo/client.ts");
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND")) throw cause;
    throw new EdgeError(
      "CONFIG_INVALID",
      "The demo needs a checkout: the MCP client that gives the tour is not in the published package.",
      {
        hint: "In a clone of the repository: npm ci && npm run demo. To try this package: unifi-edge simulate, and unifi-edge local.",
        cause,
      },
    );
  }
}

function createGuide(): Guide {
  let steps = 0;
  return {
    step: (title) => void process.stdout.write(`\n${++steps}. ${title}\n`),
    show: (line) => void process.stdout.write(`   ${line}\n`),
  };
}
