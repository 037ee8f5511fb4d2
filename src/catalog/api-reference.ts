/** The text of `unifi://api-reference`: the console's endpoints, how to call them, and what a write must obey. */
import type { Manifest, ReferenceEndpoint } from "./manifest.ts";

/** Markdown, generated from the manifest alone, so it is readable while every console is down. */
export function apiReference({ reference }: Manifest): string {
  return [INTRODUCTION, REQUEST, ANSWERS, QUERIES, WRITES, endpointTable("UniFi Network", reference.network)].join(
    "\n\n",
  );
}

const INTRODUCTION = `# UniFi API reference

What the tools of this server call, and what \`unifi_api_call\` may call directly. Prefer a named tool where the table
lists one: it knows the fields, shows a preview of what would change, and reads the result back.`;

const REQUEST = `## Requests

\`unifi_api_call\` takes \`endpoint\` (a path below the ones here), \`method\` (GET unless given) and \`params\`
(an object, or the JSON text of one: the query of a GET, the body of any other method).
\`{site}\` is the short name of a UniFi site, \`default\` on most consoles; the \`/proxy/network\` prefix of a UniFi OS
console is added where it is needed and may be left out.

\`\`\`json
{"tool": "unifi_api_call", "arguments": {"endpoint": "/api/s/default/stat/sta", "method": "GET"}}
\`\`\``;

const ANSWERS = `## Answers

The older interface (\`/api/s/{site}/…\`) wraps its rows:

\`\`\`json
{"meta": {"rc": "ok"}, "data": [{"_id": "6500f1", "mac": "aa:bb:cc:dd:ee:ff", "hostname": "laptop"}]}
\`\`\`

A refusal has \`meta.rc\` \`error\` and \`meta.msg\` such as \`api.err.InvalidPayload\`, often with HTTP status 200; it is
reported as CONTROLLER_REJECTED, never as success. The newer interface (\`/v2/api/site/{site}/…\`) answers with the bare
value:

\`\`\`json
[{"_id": "6501aa", "key": "nas.lan", "record_type": "A", "value": "10.0.0.5", "enabled": true}]
\`\`\`

The integration interface (\`/integration/v1/…\`) answers in pages:
\`{"offset": 0, "limit": 25, "count": 1, "totalCount": 1, "data": […]}\`, and names sites by UUID.
Secrets are shown as \`***REDACTED***\` and must not be sent back.`;

const QUERIES = `## Query options

- Named list tools take \`limit\`, \`fields\` and \`filter\`; an answer that was cut says so, with the totals.
- \`/integration/v1\` takes \`offset\` and \`limit\` (at most 200).
- \`/api/s/{site}/stat/report/…\` takes \`attrs\`, \`start\` and \`end\` (milliseconds since 1970) as the body of a POST.`;

const WRITES = `## Rules for writes

- Any method but GET is a write: scope \`unifi:admin\`, exactly one location, and a preview first whose
  \`confirm_token\` the second call must carry.
- The agent at the location decides last: \`UNIFI_ALLOW_WRITES\` and the \`UNIFI_POLICY_*\` gates.
- Updates of the older interface replace the whole object: read it, change it, send it back whole.
- A write is sent once. An answer that got lost is reported as OUTCOME_UNKNOWN and is not repeated by itself.
- Absolute addresses, \`..\`, encoded slashes and paths outside the ones above are refused.`;

function endpointTable(app: string, endpoints: readonly ReferenceEndpoint[]): string {
  const rows = endpoints.map(
    ({ method, path, purpose, tools }) =>
      `| ${method} | \`${path}\` | ${purpose} | ${tools.join(", ") || "unifi_api_call"} |`,
  );
  return [`## Endpoints: ${app}`, "", "| method | path | purpose | tools |", "|---|---|---|---|", ...rows].join("\n");
}
