/** `npm run docs`: writes the documents that say what the code's tables say; a test compares them. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AGENT_SETTINGS } from "../src/config/agent.ts";
import { consoleSettings } from "../src/config/consoles.ts";
import type { Setting, Settings } from "../src/config/environment.ts";
import { GATEWAY_SETTINGS } from "../src/config/gateway.ts";
import { ERRORS } from "../src/errors.ts";
import { manifestOf } from "../src/tools/describe.ts";
import { TOOLS } from "../src/tools/index.ts";

const fileOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

export const DOCUMENTS: Readonly<Record<string, () => string>> = {
  "docs/configuration.md": configuration,
  "docs/errors.md": errors,
  "docs/tools.md": tools,
  "deploy/compose/.env.example": environmentExample,
};

/** Names of documents that are not as the code says. */
export function staleDocuments(): string[] {
  return Object.entries(DOCUMENTS).flatMap(([name, write]) =>
    readFileSync(fileOf(name), "utf8") === write() ? [] : [name],
  );
}

function configuration(): string {
  return `# Settings

Generated from \`src/config\` by \`npm run docs\`. Every setting is an environment variable, or a line of the YAML file
that \`--config\` names (\`unifi_host: 192.0.2.1\`); the environment wins. A secret may stand in a file instead: put its
path in the variable's name with \`_FILE\` behind it. Blank counts as unset. All wrong values are named at once at start.

## Gateway (\`unifi-edge gateway\`)

${tableOf(GATEWAY_SETTINGS)}

## Agent (\`unifi-edge agent\`) and local server (\`unifi-edge local\`)

${tableOf(AGENT_SETTINGS)}

### Gates

\`UNIFI_POLICY_<APP>_<CATEGORY>_<ACTION>\`, else \`UNIFI_POLICY_<APP>_<ACTION>\`, else \`UNIFI_POLICY_<ACTION>\`: true or
false; the most specific one that is set decides. \`APP\` is NETWORK, PROTECT or ACCESS, \`ACTION\` is CREATE, UPDATE or
DELETE, \`CATEGORY\` is the tool's permission category in capitals. Unset allows, anything else than true and false denies.
Reads are never gated. Above all of them stands \`UNIFI_ALLOW_WRITES\`. \`unifi_api_call\` has a gate for each method
(\`UNIFI_POLICY_NETWORK_API_CALL_POST\`, …), and then needs the gate of every tool that writes the same path.

### Console

The first name that is set counts; \`PROTECT\` and \`ACCESS\` stand in the place of \`NETWORK\` for the other apps.

${tableOf(consoleSettings("network"))}

Several consoles are described in the YAML file:

\`\`\`yaml
consoles:
  - name: main
    host: 192.0.2.1
    username: mcp
    password: …
  - name: barn
    host: 192.0.2.2
    api_key: …
\`\`\`
`;
}

/** Every variable, commented out, so that a copy of the file changes nothing until a line is uncommented. */
function environmentExample(): string {
  const section = (title: string, settings: Settings) =>
    `# ---- ${title} ----\n\n${Object.values(settings).map(exampleOf).join("\n")}`;
  return `# Generated from src/config by \`npm run docs\`. Copy to .env, uncomment and set what you need.
# A secret may stand in a file instead: NAME_FILE=/path/to/file.

# Name under which the internet reaches the gateway; Caddy gets its certificate.
EDGE_DOMAIN=edge.example.com
# The image, once built: docker build -t unifi-mcp-edge -f deploy/Dockerfile .
EDGE_IMAGE=unifi-mcp-edge

${section("Gateway (compose.home.yml, compose.yml)", GATEWAY_SETTINGS)}
${section("Agent (compose.agent.yml): the tunnel", AGENT_SETTINGS)}
${section("Agent: the console; PROTECT and ACCESS stand in the place of NETWORK for the other apps", consoleSettings("network"))}`;
}

function exampleOf(setting: Setting<unknown>): string {
  const [name = ""] = setting.names.toReversed(); // the shortest name, which serves all apps
  const { default: value } = setting;
  const shown = defaultOf(setting).replaceAll("`", "");
  return `# ${setting.description}\n#${name}=${value === undefined || shown.startsWith("–") ? "" : shown}\n`;
}

function errors(): string {
  const rows = Object.entries(ERRORS).map(([code, { status, executed, retry }]) => [
    `\`${code}\``,
    String(status),
    executed,
    retry,
  ]);
  return `# Error codes

Generated from \`src/errors.ts\` by \`npm run docs\`. A failed call answers
\`{"success": false, "error": …, "code": …, "executed": …, "hint"?: …, "retry"?: …}\` with \`isError\` set.

\`executed\` is the point: **no** = nothing was changed; **maybe** = a write may have taken effect, so read back before
doing anything (the very same call may be sent again: it answers with the first outcome and never runs twice);
**yes** = it took effect, in whole or in part. An answer may be more precise than this table.

\`retry\`: **yes** = at once; **later** = the same request later; **changed** = after changing it; **no** = pointless.

${table(["code", "HTTP status", "executed", "retry"], rows)}
`;
}

function tools(): string {
  const { tools: all } = manifestOf(TOOLS, "npm run docs");
  const sections = [...new Set(all.map((tool) => tool.category))].sort().map((category) => {
    const rows = all
      .filter((tool) => tool.category === category)
      .map(({ name, summary, permission_action, confirm }) => [
        `\`${name}\``,
        summary,
        permission_action,
        confirm === "none" ? "" : confirm,
      ]);
    return `## ${category}\n\n${table(["tool", "what it does", "action", "confirmed by"], rows)}\n`;
  });
  return `# Tools

Generated from \`src/tools\` by \`npm run docs\`: ${all.length} tools. A write is shown first; *flag* = run it with
\`confirm: true\`, *token* = with the preview's \`confirm_token\`.

${sections.join("\n")}`;
}

function tableOf(settings: Settings): string {
  const rows = Object.values(settings).map((setting) => [
    setting.names.map((name) => `\`${name}\``).join(", "),
    defaultOf(setting),
    setting.description,
  ]);
  return table(["variable", "default", "what it is"], rows);
}

function defaultOf({ default: value, secret }: Setting<unknown>): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return secret ? "– (secret)" : "–";
  if (typeof value === "object" && value !== null && "host" in value && "port" in value)
    return `\`${value.host}:${value.port}\``;
  return `\`${String(value)}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

if (import.meta.main) {
  for (const [name, write] of Object.entries(DOCUMENTS)) writeFileSync(fileOf(name), write());
}
