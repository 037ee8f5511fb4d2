/** The command that an operator copies to the machine beside the consoles. */

/** For a POSIX shell. The token is an environment variable there: command lines are visible to other users. */
export function agentCommand(publicUrl: string, token: string): string {
  return `UNIFI_EDGE_GATEWAY=${publicUrl} UNIFI_EDGE_TOKEN=${token} unifi-edge agent`;
}
