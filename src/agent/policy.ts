/** The agent's gates: variables of its operator that are the last word on every write, whatever the gateway allowed. */
import type { App } from "../catalog/manifest.ts";
import { PREFIX_OF_APP } from "../catalog/manifest.ts";
import type { HttpMethod } from "../controller/controller.ts";
import { EdgeError } from "../errors.ts";
import type { Action } from "../principal.ts";
import type { Tool } from "../tools/tool.ts";

export interface PolicySettings {
  /** UNIFI_ALLOW_WRITES: false blocks every write. */
  readonly allowWrites: boolean;
  /** Every UNIFI_POLICY_* variable as it was written. */
  readonly gates: Readonly<Record<string, string>>;
}

type GatedTool = Pick<Tool, "name" | "app" | "permission" | "classedBy">;

export interface Policy {
  readonly writesAllowed: boolean;
  /** Throws POLICY_DENIED naming the variable that decided. Reads are never gated, so they never come here. */
  assertWrite(tool: GatedTool, args: Readonly<Record<string, unknown>>): void;
}

/** Declared tools that write a console path, for the gates of `unifi_api_call`. */
export type WritersOf = (method: HttpMethod, path: string) => readonly GatedTool[];

export function createPolicy(settings: PolicySettings, writersOf: WritersOf): Policy {
  function assertGates(tool: string, variables: readonly string[]): void {
    const decisive = variables.find((name) => (settings.gates[name] ?? "").trim() !== "");
    if (decisive === undefined) return;
    const value = settings.gates[decisive] ?? "";
    const verdict = VERDICT_OF_VALUE[value.trim().toLowerCase()];
    if (verdict === true) return;
    const why = verdict === false ? `is "${value}"` : `is "${value}", which is neither true nor false and so denies`;
    throw new EdgeError("POLICY_DENIED", `${tool} is not allowed on this agent: ${decisive} ${why}.`, {
      hint: `Only the agent's operator can change that: ${variables[0]}=true allows it.`,
      details: { variable: decisive },
    });
  }

  return {
    writesAllowed: settings.allowWrites,
    assertWrite(tool, args) {
      if (!settings.allowWrites) {
        throw new EdgeError(
          "POLICY_DENIED",
          `${tool.name} is not allowed: UNIFI_ALLOW_WRITES is false on this agent.`,
          {
            hint: "Only the agent's operator can change that: UNIFI_ALLOW_WRITES=true allows writes.",
            details: { variable: "UNIFI_ALLOW_WRITES" },
          },
        );
      }
      assertGates(tool.name, variablesOf(tool, args));
      for (const writer of tool.classedBy === undefined ? [] : writersOf(methodOf(tool, args), String(args.endpoint))) {
        assertGates(tool.name, gatesOf(writer.app, writer.permission.category, writer.permission.action));
      }
    },
  };
}

const VERDICT_OF_VALUE: Readonly<Record<string, boolean>> = {
  true: true,
  "1": true,
  yes: true,
  on: true,
  false: false,
  "0": false,
  no: false,
  off: false,
};

/** Most specific first. A tool that is classed by an argument has a gate per value of it (design 3.3). */
function variablesOf(tool: GatedTool, args: Readonly<Record<string, unknown>>): readonly string[] {
  const gates = gatesOf(tool.app, tool.permission.category, tool.permission.action);
  if (tool.classedBy === undefined) return gates;
  const name = tool.name.slice(PREFIX_OF_APP[tool.app].length + 1);
  return [variable(tool.app, name, methodOf(tool, args)), ...gates];
}

function gatesOf(app: App, category: string, action: Action): readonly string[] {
  return [variable(app, category, action), variable(app, action), variable(action)];
}

function variable(...parts: readonly string[]): string {
  return ["UNIFI_POLICY", ...parts].join("_").toUpperCase().replaceAll("-", "_");
}

function methodOf(tool: GatedTool, args: Readonly<Record<string, unknown>>): HttpMethod {
  // the argument check has refused any value that is no HTTP method
  return String(args[tool.classedBy?.argument ?? "method"]).toUpperCase() as HttpMethod;
}
