/** Trust in a console's certificate: verified, or pinned by SHA-256 before a byte is sent. */
import type { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { buildConnector } from "undici";
import { EdgeError } from "../errors.ts";
import { cleanText } from "../redaction/redact.ts";

export interface TlsTrust {
  readonly verifyTls: boolean;
  readonly pinSha256?: string;
}

/** What `doctor` tells about a certificate. */
export interface CertificateFacts {
  /** Lower-case hex, 64 characters. */
  readonly sha256: string;
  readonly subject: string;
  readonly issuer: string;
  readonly validTo: string;
  /** Why it is not trusted, in words; undefined = it is. */
  readonly untrusted: string | undefined;
}

/** Opens the sockets of an undici pool. A wrong certificate ends the socket before the request is written. */
export function connectorFor(trust: TlsTrust, timeoutMs: number): buildConnector.connector {
  const pin = trust.pinSha256 === undefined ? undefined : normalizeSha256(trust.pinSha256);
  const connect = buildConnector({
    // Node calls checkServerIdentity neither for self-signed certificates nor with verification off,
    // so a pin takes its place here; resumed sessions show no certificate, so none are kept
    rejectUnauthorized: pin === undefined && trust.verifyTls,
    maxCachedSessions: 0,
    allowH2: false,
    timeout: timeoutMs,
  });
  if (pin === undefined) return connect;
  return (options, callback) => {
    connect(options, (error, socket) => {
      if (error !== null) return callback(error, null);
      // buildConnector opens TLS sockets for https origins, and no others are asked for
      const presented = sha256Of((socket as TLSSocket).getPeerX509Certificate());
      if (presented === pin) return callback(null, socket);
      socket.destroy();
      return callback(pinMismatch(presented), null);
    });
  };
}

/** Hex without colons, lower case; throws CONFIG_INVALID for anything that is no SHA-256. */
export function normalizeSha256(text: string): string {
  const hex = text
    .trim()
    .replace(/^sha-?256[:/]/i, "")
    .replaceAll(":", "")
    .toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hex)) {
    throw new EdgeError("CONFIG_INVALID", "The certificate pin is not a SHA-256 in hex (64 digits, colons allowed).");
  }
  return hex;
}

/** OpenSSL's and Node's names for a certificate that is not trusted; everything else is a network failure. */
const UNTRUSTED: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "it is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its chain ends in a self-signed certificate",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its issuer is unknown",
  UNABLE_TO_GET_ISSUER_CERT: "its issuer is unknown",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its issuer is unknown",
  CERT_HAS_EXPIRED: "it has expired",
  CERT_NOT_YET_VALID: "it is not valid yet",
  CERT_UNTRUSTED: "it is not trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "it was issued for another host name",
};

function wordsFor(code: string): string {
  return UNTRUSTED[code] ?? cleanText(code, 80);
}

const PIN_REMEDY =
  "Run `unifi-edge doctor` to see the certificate's SHA-256, compare it with the console, and set UNIFI_PIN_SHA256 to it.";

/** A connect failure as CONTROLLER_TLS_UNTRUSTED when the certificate was the reason. */
export function untrustedError(error: unknown): EdgeError | undefined {
  if (error instanceof EdgeError) return error.code === "CONTROLLER_TLS_UNTRUSTED" ? error : undefined;
  const reason = UNTRUSTED[codeOf(error)];
  if (reason === undefined) return undefined;
  return new EdgeError("CONTROLLER_TLS_UNTRUSTED", `The console's certificate is not trusted: ${reason}.`, {
    hint: PIN_REMEDY,
    cause: error,
  });
}

/** `code` of a Node error, or of the first one inside an AggregateError. */
export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : "";
}

/** Reads the certificate that a console presents, trusting nothing and sending no request. */
export async function readCertificate(host: string, port: number, signal: AbortSignal): Promise<CertificateFacts> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<CertificateFacts>();
  const socket = connectTls({ host, port, ...serverName(host), rejectUnauthorized: false }, () => {
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return reject(new Error("the peer showed no certificate"));
    resolve({
      sha256: sha256Of(certificate),
      subject: certificate.subject,
      issuer: certificate.issuer,
      validTo: certificate.validTo,
      untrusted: socket.authorized
        ? undefined
        : wordsFor(codeOf(socket.authorizationError) || String(socket.authorizationError)),
    });
  });
  const abort = () => socket.destroy(new Error("the certificate was not shown in time"));
  signal.addEventListener("abort", abort, { once: true });
  socket.once("error", reject);
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    socket.destroy();
  }
}

/** The name goes into the handshake as in every later connection; an address may not (RFC 6066 §3). */
function serverName(host: string): { servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}

/** Lower-case hex. The certificate is handed in because Node gives it out only once for each socket. */
function sha256Of(certificate: X509Certificate | undefined): string {
  return (certificate?.fingerprint256 ?? "").replaceAll(":", "").toLowerCase();
}

function pinMismatch(presented: string): EdgeError {
  return new EdgeError("CONTROLLER_TLS_UNTRUSTED", "The console shows another certificate than the pinned one.", {
    hint: `If its certificate was renewed: ${PIN_REMEDY} If not, somebody may be in between.`,
    details: { presented_sha256: presented },
  });
}
