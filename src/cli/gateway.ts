/** `unifi-edge gateway`: runs the public program until it is told to stop. */
import type { Command } from "commander";
import pino from "pino";
import { readGatewayConfig } from "../config/gateway.ts";
import { startGateway } from "../gateway/main.ts";
import { untilStopped } from "./signals.ts";

export function describe(command: Command): void {
  command
    .option("--config <file>", "YAML file with settings; the environment wins")
    .addHelpText("after", "\nSettings: UNIFI_EDGE_PUBLIC_URL is the only one needed; see docs/configuration.md.")
    .action(async (options: { config?: string }) => {
      const config = readGatewayConfig(process.env, options.config);
      const log = pino({ level: config.logLevel });
      const gateway = await startGateway({ config, log });
      if (gateway.setupLink !== undefined) {
        process.stdout.write(`\nSet up this gateway (single use, valid for a day):\n  ${gateway.setupLink}\n\n`);
      }
      log.info({ url: config.publicUrl, port: gateway.port }, "the gateway is listening");
      await untilStopped();
      await gateway.close();
    });
}
