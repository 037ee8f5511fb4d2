/** How people connect their own client to the running demo, printed at its end. */
import { PEOPLE, type Stage } from "./stage.ts";

export function howToConnect(stage: Stage, token: string): string {
  const url = stage.mcpUrl.href;
  return `
The demo stays up. Connect your own client to ${url}
  (sign in as "${PEOPLE.name}" with the password "${PEOPLE.password}")

  Claude Code   claude mcp add --transport http unifi-demo ${url}
  VS Code       code --add-mcp '{"name":"unifi-demo","type":"http","url":"${url}"}'
  Cursor        ~/.cursor/mcp.json: {"mcpServers":{"unifi-demo":{"url":"${url}"}}}
  ChatGPT, Claude.ai   need a public https address: see docs/operating.md
  curl          curl ${url} -H 'Authorization: Bearer ${token}' \\
                  -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \\
                  -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}'
                (this token ends in ten minutes)

  Administration   unifi-edge location list --org home --socket ${stage.adminSocket}

Ctrl-C ends it and removes everything.
`;
}
