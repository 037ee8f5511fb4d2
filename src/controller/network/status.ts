/** Whether a console can be used right now, found out by one cheap read, for `/health` and the agent's own reports. */
import { asEdgeError, EdgeError, type ErrorCode } from "../../errors.ts";
import { cleanText } from "../../redaction/redact.ts";
import type { ConsoleStatus } from "../controller.ts";
import { isRow, rowsOf } from "./envelope.ts";
import type { ConsoleSettings } from "./options.ts";
import type { Caller } from "./request.ts";
import type { Sessions } from "./session.ts";
import { findSite, listSites } from "./sites.ts";

type Trouble = Exclude<ConsoleStatus["state"], "connected">;

const STATE_OF: Readonly<Partial<Record<ErrorCode, Trouble>>> = {
  CONTROLLER_AUTH_FAILED: "bad_credentials",
  CONTROLLER_MFA_REQUIRED: "bad_credentials",
  CONTROLLER_RATE_LIMITED: "backing_off",
  CONTROLLER_UNREACHABLE: "unreachable",
  CONTROLLER_TLS_UNTRUSTED: "unreachable",
  TIMEOUT: "unreachable",
};

const LONGEST_VERSION = 40;

/** Never throws, and never signs in while a refused sign-in is waited out. */
export async function statusOf(caller: Caller, sessions: Sessions, settings: ConsoleSettings): Promise<ConsoleStatus> {
  const blocked = caller.blocked() ?? (settings.apiKey === undefined ? sessions.blocked() : undefined);
  if (blocked !== undefined) return trouble(blocked);
  try {
    const site = encodeURIComponent(findSite(await listSites(caller), settings.site).name);
    return { state: "connected", version: await versionOf(caller, site, settings) };
  } catch (thrown) {
    return trouble(thrown);
  }
}

/** Version of the Network application; undefined where the account may not read it. A lone key asks the integration API. */
async function versionOf(caller: Caller, site: string, settings: ConsoleSettings): Promise<string | undefined> {
  try {
    const [row] = rowsOf(await caller.call({ method: "GET", path: `/api/s/${site}/stat/sysinfo` }));
    return versionText(row?.version);
  } catch (thrown) {
    if (!(thrown instanceof EdgeError)) throw thrown;
    if (FORBIDDEN.has(thrown.code)) return undefined;
    if (thrown.code !== "CONTROLLER_AUTH_FAILED" || settings.apiKey === undefined) throw thrown;
    const info = await caller.call({ method: "GET", path: "/integration/v1/info" });
    return isRow(info) ? versionText(info.applicationVersion) : undefined;
  }
}

/** The console answers and knows the account; it only keeps this to itself. */
const FORBIDDEN = new Set<ErrorCode>(["CONTROLLER_REJECTED", "CONTROLLER_UNSUPPORTED"]);

function versionText(version: unknown): string | undefined {
  return typeof version === "string" ? cleanText(version, LONGEST_VERSION) : undefined;
}

function trouble(thrown: unknown): ConsoleStatus {
  const error = asEdgeError(thrown);
  return { state: STATE_OF[error.code] ?? "not_connected", reason: error.message };
}
