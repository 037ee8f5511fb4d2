/** An HTTPS server on loopback whose certificate no public authority signed. */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { generate } from "selfsigned";

export interface TlsServer {
  readonly https: Server;
  readonly gatewayUrl: string;
  /** PEM of the certificate, which is its own authority. */
  readonly caFile: string;
}

export async function startTlsServer(t: TestContext): Promise<TlsServer> {
  const { cert, private: key } = await generate([{ name: "commonName", value: "localhost" }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
  });
  const directory = await mkdtemp(join(tmpdir(), "unifi-edge-"));
  const caFile = join(directory, "ca.pem");
  await writeFile(caFile, cert);
  const https = createServer({ cert, key });
  https.listen(0, "127.0.0.1");
  await once(https, "listening");
  t.after(async () => {
    https.close();
    https.closeAllConnections();
    await rm(directory, { recursive: true });
  });
  return { https, gatewayUrl: `https://127.0.0.1:${(https.address() as AddressInfo).port}`, caFile };
}
