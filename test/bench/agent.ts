/**
 * `unifi-edge agent` with a console that answers at once: each read is asked of the real console once and then answered
 * from this process's memory. Everything else is the product's own: tunnel, checks, tool, redaction, journal, audit.
 */
import { pino } from "pino";
import { runAgent } from "../../src/agent/main.ts";
import { readAgentConfig } from "../../src/config/agent.ts";
import type { NetworkConsole, NetworkSite } from "../../src/controller/controller.ts";
import { createNetworkConsole } from "../../src/controller/network/console.ts";

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop.abort());

await runAgent(readAgentConfig(process.env), {
  log: pino({ base: null }, pino.destination(2)),
  signal: stop.signal,
  openConsole: (options) => remembering(createNetworkConsole(options)),
});

/** Only what the measured tool asks is remembered: v1 reads. */
function remembering(real: NetworkConsole): NetworkConsole {
  const sites = new Map<string | undefined, Promise<NetworkSite>>();

  async function open(name: string | undefined): Promise<NetworkSite> {
    const site = await real.site(name);
    const answers = new Map<string, ReturnType<NetworkSite["v1"]>>();
    return {
      ...site,
      v1(method, path, body) {
        const kept = answers.get(path);
        if (method !== "GET") return site.v1(method, path, body);
        if (kept !== undefined) return kept;
        const asked = site.v1(method, path);
        answers.set(path, asked);
        return asked;
      },
    };
  }

  return {
    ...real,
    site(name) {
      const site = sites.get(name) ?? open(name);
      sites.set(name, site);
      return site;
    },
  };
}
