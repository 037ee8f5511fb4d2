/** What the tunnel writes down: a subset of pino's interface. Fields never hold proofs, tokens or bodies. */

export interface TunnelLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}
