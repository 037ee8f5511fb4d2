/** The scope of everything a person sees: cookies, forms, headers, limits, and errors as pages. */
import cookie from "@fastify/cookie";
import formbody from "@fastify/formbody";
import helmet from "@fastify/helmet";
import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance } from "fastify";
import { errors } from "oidc-provider";
import { asEdgeError, EdgeError } from "../errors.ts";
import { type InteractionParts, interactionRoutes } from "./interaction.ts";
import { sendPage } from "./pages/layout.ts";
import { messagePage } from "./pages/message-page.ts";
import { type Setup, setupRoutes } from "./setup.ts";

const PAGES_PER_MINUTE = 120;
const FORM_LIMIT_BYTES = 32 * 1024;

export interface PageParts extends InteractionParts {
  readonly setup: Setup | undefined;
  readonly log: (message: string, error: unknown) => void;
}

export async function pageRoutes(app: FastifyInstance, parts: PageParts): Promise<void> {
  app.setErrorHandler((thrown, _request, reply) => {
    const { status, title, text } = errorText(thrown);
    if (status >= 500) parts.log("a page failed", thrown);
    return sendPage(reply, status, messagePage(title, text));
  });
  await app.register(rateLimit, {
    max: PAGES_PER_MINUTE,
    timeWindow: "1 minute",
    errorResponseBuilder: (_request, { after }) => new EdgeError("RATE_LIMITED", `Too many requests. Wait ${after}.`),
  });
  // The pages write their own Content-Security-Policy: its form-action depends on the client.
  await app.register(helmet, { contentSecurityPolicy: false, frameguard: { action: "deny" } });
  await app.register(cookie);
  await app.register(formbody, { bodyLimit: FORM_LIMIT_BYTES });
  await interactionRoutes(app, parts);
  if (parts.setup !== undefined) await setupRoutes(app, parts.setup, parts.binding);
}

function errorText(thrown: unknown): { status: number; title: string; text: string } {
  if (thrown instanceof errors.OIDCProviderError) {
    return {
      status: 400,
      title: "This sign-in has ended",
      text: "It took too long, was finished already, or cookies are blocked. Go back to the app and connect again.",
    };
  }
  const status = clientErrorStatus(thrown);
  if (status !== undefined) {
    return { status, title: "That did not work", text: "The browser sent something this page does not understand." };
  }
  const error = asEdgeError(thrown);
  return {
    status: error.status,
    title: "That did not work",
    text: [error.message, error.hint].filter(Boolean).join(" "),
  };
}

/** The status of Fastify's own refusals, such as a form that is too long. */
function clientErrorStatus(thrown: unknown): number | undefined {
  if (thrown instanceof EdgeError || !(thrown instanceof Error) || !("statusCode" in thrown)) return undefined;
  const { statusCode } = thrown;
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
}
