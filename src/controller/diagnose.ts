/** Goes the way to a console step by step and says of each step in words whether it works and what to do. */
import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import { asEdgeError, type EdgeError } from "../errors.ts";
import { cleanText } from "../redaction/redact.ts";
import type { NetworkSite } from "./controller.ts";
import { createNetworkConsole } from "./network/console.ts";
import { detectControllerType } from "./network/detect.ts";
import { type ConsoleSettings, type NetworkConsoleOptions, settingsOf } from "./network/options.ts";
import { openTransport } from "./network/transport.ts";
import { type CertificateFacts, codeOf, normalizeSha256, readCertificate } from "./tls.ts";

/** `warn` = works, but should be better. */
export interface Finding {
  readonly step: string;
  readonly result: "ok" | "warn" | "failed";
  readonly says: string;
  /** What to do, in lines; a line may be ready to paste. */
  readonly remedy?: readonly string[];
}

/** What one step found, and whether the way ends here. */
interface Step {
  readonly findings: readonly Finding[];
  readonly stop?: boolean;
}

const TYPE_WORDS = {
  proxy: "UniFi OS (Network behind /proxy/network)",
  direct: "standalone Network application",
} as const;
const STARTING = [
  "A console needs some minutes to start, also after an update: wait and run this again.",
  "If it lasts, open the console in a browser; set UNIFI_CONTROLLER_TYPE (proxy or direct) if the kind cannot be told.",
];
const OTHER_SITE = ["Set UNIFI_SITE to one of the sites above: its short name, description or id."];
const KEY_TOO_SMALL: Finding = {
  step: "rights",
  result: "failed",
  says: "the API key opens only the official integration API; most tools use paths that it refuses",
  remedy: ["Set UNIFI_USERNAME and UNIFI_PASSWORD of a local account as well; the key may stay."],
};
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** Names, subjects and issuers are the console's own texts. */
const LONGEST_TEXT = 120;

/** Yields findings as they are made; ends after the first step that the rest depends on fails. */
export async function* diagnose(options: NetworkConsoleOptions): AsyncGenerator<Finding> {
  const settings = settingsOf(options);
  for (const step of [checkName, checkPort, checkCertificate, checkType, checkSession]) {
    const { findings, stop } = await step(settings);
    yield* findings;
    if (stop) return;
  }
}

async function checkName({ host }: ConsoleSettings): Promise<Step> {
  try {
    const addresses = await lookup(host, { all: true });
    const list = addresses.map(({ address }) => address).join(", ");
    return { findings: [ok("name", list === host ? `${host} is an address` : `${host} is ${list}`)] };
  } catch {
    return failed("name", `${host} is not known to the name service`, [
      "Check UNIFI_HOST, or use the console's IP address.",
    ]);
  }
}

async function checkPort(settings: ConsoleSettings): Promise<Step> {
  const { host, port } = settings;
  try {
    await inTime(settings, (signal) => reach(host, port, signal));
    return { findings: [ok("port", `${host} answers on port ${port}`)] };
  } catch (error) {
    const refused = codeOf(error) === "ECONNREFUSED";
    return failed("port", refused ? `nothing listens on port ${port} of ${host}` : `${host}:${port} does not answer`, [
      "UniFi OS listens on 443, UniFi OS Server on 11443, a standalone Network application on 8443: set UNIFI_PORT.",
      "If the port is right, look for a firewall between this machine and the console.",
    ]);
  }
}

async function checkCertificate(settings: ConsoleSettings): Promise<Step> {
  try {
    const facts = await inTime(settings, (signal) => readCertificate(settings.host, settings.port, signal));
    const shown = ok(
      "certificate",
      `SHA-256 ${facts.sha256}, subject ${oneLine(facts.subject)}, issuer ${oneLine(facts.issuer)}, valid to ${facts.validTo}`,
    );
    const trust = judgeTrust(settings, facts);
    return { findings: [shown, trust], stop: trust.result === "failed" };
  } catch {
    return failed("certificate", "no TLS connection could be made", [
      "Something else than a console may listen there: check UNIFI_HOST and UNIFI_PORT.",
    ]);
  }
}

function judgeTrust({ verifyTls, pinSha256 }: ConsoleSettings, facts: CertificateFacts): Finding {
  const pinIt = [
    "Compare the SHA-256 with the certificate that a browser on the console's own network shows, then set:",
    `UNIFI_PIN_SHA256=${facts.sha256}`,
  ];
  if (pinSha256 !== undefined) {
    if (normalizeSha256(pinSha256) === facts.sha256) return ok("trust", "the certificate is the pinned one");
    return {
      step: "trust",
      result: "failed",
      says: "the certificate is not the pinned one; nothing is sent to this console",
      remedy: ["If the console renewed its certificate:", ...pinIt, "If it did not, somebody may be in between."],
    };
  }
  if (!verifyTls) {
    return { step: "trust", result: "warn", says: "the certificate is not checked at all", remedy: pinIt };
  }
  if (facts.untrusted === undefined) return ok("trust", "the certificate is verified");
  return {
    step: "trust",
    result: "failed",
    says: `the certificate is not trusted: ${facts.untrusted}`,
    remedy: pinIt,
  };
}

async function checkType(settings: ConsoleSettings): Promise<Step> {
  const { exchange, disconnect } = openTransport(settings);
  try {
    const type = await detectControllerType(exchange, settings);
    const set = settings.controllerType === "auto" ? "" : ", as UNIFI_CONTROLLER_TYPE says";
    return { findings: [ok("type", `${TYPE_WORDS[type]}${set}`)] };
  } catch (error) {
    return failedBy("type", error);
  } finally {
    await disconnect();
  }
}

async function checkSession(settings: ConsoleSettings): Promise<Step> {
  // what the log would say, the steps before have told
  const network = createNetworkConsole({ ...settings, log: SILENT });
  try {
    const sites = await network.sites();
    const names = sites.map(({ name, description }) => `${name} (${oneLine(description)})`).join(", ");
    const by = settings.apiKey === undefined ? `signed in as ${settings.username}` : "the credentials are taken";
    const findings = [ok("sign-in", by), ok("sites", names === "" ? "none" : names)];
    return { findings: [...findings, ...(await siteFindings(network, settings))] };
  } catch (error) {
    return failedBy("sign-in", error);
  } finally {
    await network.close();
  }
}

async function siteFindings(
  network: ReturnType<typeof createNetworkConsole>,
  settings: ConsoleSettings,
): Promise<readonly Finding[]> {
  try {
    const site = await network.site(undefined);
    const status = await network.status();
    const version = status.state === "connected" ? (status.version ?? "not told to this account") : status.reason;
    const works = status.state === "connected";
    const found = ok("site", `calls that name no site mean ${site.site}`);
    const told: Finding = { step: "version", result: works ? "ok" : "failed", says: `Network application: ${version}` };
    return [found, told, ...(settings.apiKey === undefined ? [] : await rightsOf(site))];
  } catch (error) {
    const { findings } = failedBy("site", error);
    return findings.map((finding) => ({ ...finding, says: `UNIFI_SITE=${settings.site}: ${finding.says}` }));
  }
}

/** A key may open less than the tools need (unifi-api.md 1.4). */
async function rightsOf(site: NetworkSite): Promise<readonly Finding[]> {
  try {
    await site.v1("GET", "/stat/sysinfo");
    return [];
  } catch (error) {
    const { code, message } = asEdgeError(error);
    return code === "CONTROLLER_AUTH_FAILED" ? [KEY_TOO_SMALL] : [{ step: "rights", result: "failed", says: message }];
  }
}

/** Connects and hangs up. */
async function reach(host: string, port: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host, port, signal });
  socket.once("connect", () => resolve());
  socket.on("error", reject);
  try {
    await promise;
  } finally {
    socket.destroy();
  }
}

async function inTime<T>(settings: ConsoleSettings, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const over = new AbortController();
  settings.wait(settings.timeoutMs, over.signal).then(
    () => limit.abort(),
    // the wait ends this way when the work is over first
    () => undefined,
  );
  try {
    return await work(limit.signal);
  } finally {
    over.abort();
  }
}

function ok(step: string, says: string): Finding {
  return { step, result: "ok", says };
}

function failed(step: string, says: string, remedy: readonly string[]): Step {
  return { findings: [{ step, result: "failed", says, remedy }], stop: true };
}

function failedBy(step: string, thrown: unknown): Step {
  const error: EdgeError = asEdgeError(thrown);
  // what other readers are told is to run this very command
  if (error.code === "CONTROLLER_UNREACHABLE") return failed(step, error.message, STARTING);
  if (error.code === "SITE_UNKNOWN") return failed(step, error.message, OTHER_SITE);
  return failed(step, error.message, error.hint === undefined ? [] : [error.hint]);
}

function oneLine(text: string): string {
  return cleanText(text, LONGEST_TEXT);
}
