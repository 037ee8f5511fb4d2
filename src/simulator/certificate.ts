/** The console's self-signed certificate, made anew at every start. */
import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { generate } from "selfsigned";

export interface Certificate {
  readonly keyPem: string;
  readonly certificatePem: string;
  /** SHA-256 of the DER certificate: 64 lower-case hex digits without colons. */
  readonly fingerprint256: string;
}

export async function makeCertificate(host: string, now: Date): Promise<Certificate> {
  const made = await generate([{ name: "commonName", value: "unifi.local" }], {
    keyType: "ec", // an RSA key takes a second to make
    algorithm: "sha256",
    notBeforeDate: new Date(now.getTime() - 86_400_000),
    extensions: [
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "unifi.local" },
          { type: 2, value: "localhost" },
          isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host },
        ],
      },
    ],
  });
  const fingerprint256 = new X509Certificate(made.cert).fingerprint256.replaceAll(":", "").toLowerCase();
  return { keyPem: made.private, certificatePem: made.cert, fingerprint256 };
}
