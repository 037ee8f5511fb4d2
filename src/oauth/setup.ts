/** The single-use set-up link: a page that makes the first account and shows how to start the first agent. */
import type { FastifyInstance } from "fastify";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { EdgeError } from "../errors.ts";
import type { BrowserBinding } from "./browser-binding.ts";
import { sendPage } from "./pages/layout.ts";
import { messagePage } from "./pages/message-page.ts";
import { setupDonePage, setupPage } from "./pages/setup-page.ts";

export interface SetupInput {
  /** From the link. */
  readonly token: string;
  readonly name: string;
  readonly password: string;
  /** Names as the person wrote them. */
  readonly organisation: string;
  readonly location: string;
}

/** What the set-up page does; its parts live in the store's rooms. */
export interface Setup {
  /** False once the link was used or its time is over. */
  valid(token: string): Promise<boolean>;
  /** Spends the link. Throws ARGUMENTS_INVALID (the link stays good), UNAUTHENTICATED when it was spent meanwhile. */
  complete(input: SetupInput): Promise<{ readonly agentCommand: string }>;
}

const Link = Compile(Type.Object({ token: Type.String({ maxLength: 256 }) }));
const Form = Compile(
  Type.Object({
    link: Type.String({ maxLength: 256 }),
    token: Type.String({ maxLength: 64 }),
    name: Type.String({ maxLength: 256 }),
    password: Type.String({ maxLength: 1024 }),
    organisation: Type.String({ maxLength: 64 }),
    location: Type.String({ maxLength: 64 }),
  }),
);

const OVER = messagePage(
  "This link no longer works",
  "A set-up link works once and for one day. Sign in from your AI client, or ask for a new link on the gateway’s machine.",
  "unifi-edge user --help says how to add an account by hand.",
);

export async function setupRoutes(app: FastifyInstance, setup: Setup, binding: BrowserBinding): Promise<void> {
  app.get("/setup", { exposeHeadRoute: false }, async (request, reply) => {
    const { query } = request;
    if (!Link.Check(query) || !(await setup.valid(query.token))) return sendPage(reply, 410, OVER);
    const token = binding.tokenFor(binding.identify(request, reply), query.token);
    return sendPage(reply, 200, setupPage({ link: query.token, token }));
  });

  app.post("/setup", async (request, reply) => {
    const form = request.body;
    if (!Form.Check(form)) throw new EdgeError("ARGUMENTS_INVALID", "The form was incomplete.");
    binding.check(request, form.link, form.token);
    if (!(await setup.valid(form.link))) return sendPage(reply, 410, OVER);
    const { name, password, organisation, location } = form;
    try {
      const { agentCommand } = await setup.complete({ token: form.link, name, password, organisation, location });
      return sendPage(reply, 200, setupDonePage(agentCommand));
    } catch (error) {
      if (!(error instanceof EdgeError)) throw error;
      if (error.code === "UNAUTHENTICATED") return sendPage(reply, 410, OVER);
      const page = setupPage({ link: form.link, token: form.token, values: form, error: error.message });
      return sendPage(reply, error.status, page);
    }
  });
}
