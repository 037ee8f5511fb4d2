/** The yardstick: a bare Fastify route per case, which parses the same request and answers the same bytes. */
import Fastify from "fastify";
import type { Case } from "./cases.ts";

process.once("message", (message) => {
  process.once("disconnect", () => process.exit()); // its parent was killed
  void serve(message as readonly Pick<Case, "name" | "answer">[]); // sent by main.ts of this folder
});

async function serve(cases: readonly Pick<Case, "name" | "answer">[]): Promise<void> {
  const app = Fastify();
  for (const { name, answer } of cases) {
    const bytes = Buffer.from(answer, "utf8");
    app.post(`/${name}`, (_request, reply) => {
      reply.header("content-type", "application/json").send(bytes);
    });
  }
  await app.listen({ host: "127.0.0.1", port: 0 });
  const bound = app.server.address();
  process.send?.(typeof bound === "object" && bound ? bound.port : 0);
}
