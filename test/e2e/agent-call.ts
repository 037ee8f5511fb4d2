/** A process of its own that makes one write through the agent's real parts: `node agent-call.ts <call id>`. */
import { makeAgent } from "../../src/agent/main.ts";
import { readAgentConfig } from "../../src/config/agent.ts";
import { asEdgeError, failureResult } from "../../src/errors.ts";

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const record = { key: "nas.example.com", value: "192.0.2.9", record_type: "A" };

try {
  const { agent, close } = makeAgent(readAgentConfig(process.env), quiet);
  const call = agent.call(
    {
      id: process.argv[2] ?? "",
      tool: "unifi_create_dns_record",
      args: { record_data: record, confirm: true },
      kind: "write",
      ttlMs: 30_000,
      owner: { org: "home", subject: "ada", grant: "g1" },
    },
    {},
  );
  const answer = await call.then(
    ({ body }) => body.toString(),
    (error: unknown) => JSON.stringify(failureResult(asEdgeError(error))),
  );
  process.stdout.write(answer);
  await close();
} catch (error) {
  process.stdout.write(JSON.stringify(failureResult(asEdgeError(error))));
}
