/** The administration API on a port of its own, for holders of an administration token; off unless it is asked for. */
import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { type AdminParts, buildAdminApi, type TlsPair } from "../admin/api.ts";
import { administrationTokens } from "../admin/guard.ts";
import { EdgeError } from "../errors.ts";

export interface RemoteAdminSettings {
  readonly adminListen?: { readonly host: string; readonly port: number } | undefined;
  readonly adminTlsCert?: string | undefined;
  readonly adminTlsKey?: string | undefined;
}

/** Undefined where no address is set. Throws CONFIG_INVALID where certificate or key cannot be used. */
export async function listenForAdministration(
  parts: Omit<AdminParts, "authenticate" | "tls">,
  settings: RemoteAdminSettings,
): Promise<FastifyInstance | undefined> {
  if (settings.adminListen === undefined) return undefined;
  const tls = tlsOf(settings);
  const api = openApi({
    ...parts,
    authenticate: administrationTokens(parts.store, parts.now),
    ...(tls ? { tls } : {}),
  });
  await api.listen(settings.adminListen);
  return api;
}

function tlsOf({ adminTlsCert, adminTlsKey }: RemoteAdminSettings): TlsPair | undefined {
  if (adminTlsCert === undefined || adminTlsKey === undefined) return undefined;
  return {
    cert: readPem("UNIFI_EDGE_ADMIN_TLS_CERT", adminTlsCert),
    key: readPem("UNIFI_EDGE_ADMIN_TLS_KEY", adminTlsKey),
  };
}

function readPem(setting: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new EdgeError("CONFIG_INVALID", `${setting} names "${path}", which cannot be read.`, { cause });
  }
}

function openApi(parts: AdminParts): FastifyInstance {
  try {
    return buildAdminApi(parts);
  } catch (cause) {
    if (parts.tls === undefined) throw cause;
    const why = cause instanceof Error ? cause.message : "unknown fault";
    throw new EdgeError("CONFIG_INVALID", `The administration API's certificate and key cannot be used: ${why}`, {
      cause,
    });
  }
}
