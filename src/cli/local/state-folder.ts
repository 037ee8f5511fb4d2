/** The folder of the local server's journal: one process alone holds it, so that several clients may each start one. */
import { homedir } from "node:os";
import { join } from "node:path";
import { type AgentLogger, type MadeAgent, makeAgent } from "../../agent/main.ts";
import { type AgentConfig, readAgentConfig } from "../../config/agent.ts";
import type { Environment } from "../../config/environment.ts";
import { EdgeError } from "../../errors.ts";

/** Clients of one person that run a server each, at the same time. */
const MAX_FOLDERS = 16;

export interface OpenedAgent {
  readonly config: AgentConfig;
  readonly made: MadeAgent;
}

/**
 * Takes UNIFI_EDGE_STATE_DIR where it is set, otherwise the first folder under the person's state directory that no
 * other server holds. Throws CONFIG_INVALID naming every wrong setting, or why no folder can be used.
 */
export function openAgent(environment: Environment, file: string | undefined, log: AgentLogger): OpenedAgent {
  if (environment.UNIFI_EDGE_STATE_DIR) return open(environment, file, log);
  for (let number = 1; ; number++) {
    const folder = join(stateHome(environment), number === 1 ? "local" : `local-${number}`);
    try {
      return open({ ...environment, UNIFI_EDGE_STATE_DIR: folder }, file, log);
    } catch (error) {
      const held = error instanceof EdgeError && error.details?.held === true;
      if (!held || number === MAX_FOLDERS) throw error;
    }
  }
}

function open(environment: Environment, file: string | undefined, log: AgentLogger): OpenedAgent {
  const config = readAgentConfig(environment, file);
  return { config, made: makeAgent(config, log) };
}

/** By the XDG base directory specification; Windows has a variable of its own. */
function stateHome({ XDG_STATE_HOME, LOCALAPPDATA }: Environment): string {
  return join(XDG_STATE_HOME || LOCALAPPDATA || join(homedir(), ".local", "state"), "unifi-edge");
}
