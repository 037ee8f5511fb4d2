/** The pages between an authorization request and its answer: which app, who signs in, what may it do. */
import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type Provider from "oidc-provider";
import { EdgeError } from "../errors.ts";
import type { Scope } from "../principal.ts";
import { findAccount } from "../store/accounts.ts";
import { verifyPassword } from "../store/sign-in.ts";
import type { Directory } from "./authorization.ts";
import type { BrowserBinding } from "./browser-binding.ts";
import { type Client, clientView, formTargetOf } from "./client-view.ts";
import { askedScope, type ConsentParts, grantConsent, offeredScopes, widenedScope } from "./consent.ts";
import { consentAnswer, type Form, formOf, type Progress, progressOf } from "./interaction-form.ts";
import { clientPage } from "./pages/client-page.ts";
import { consentPage, organisationPage } from "./pages/consent-page.ts";
import { type Page, sendPage } from "./pages/layout.ts";
import { messagePage } from "./pages/message-page.ts";
import { signInPage } from "./pages/sign-in-page.ts";
import { INTERACTION_PATH } from "./provider.ts";

/** Guessing passwords from one address is slow even before accounts are counted. */
const SIGN_INS_PER_MINUTE = 30;

export interface InteractionParts extends ConsentParts {
  readonly directory: Directory;
  readonly binding: BrowserBinding;
  readonly wait: (milliseconds: number) => Promise<void>;
}

type Interaction = Awaited<ReturnType<Provider["interactionDetails"]>>;

interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly interaction: Interaction;
  readonly client: Client;
  readonly progress: Progress | undefined;
  readonly browser: string;
  /** The token of this visit's forms. */
  readonly token: string;
  readonly formTarget: string;
}

export async function interactionRoutes(app: FastifyInstance, parts: InteractionParts): Promise<void> {
  const { provider, store, directory, binding } = parts;
  const url = `${INTERACTION_PATH}/:uid`;

  app.get(url, { exposeHeadRoute: false }, async (request, reply) => {
    const visit = await visitOf(request, reply);
    return send(visit, 200, await pageFor(visit));
  });

  app.post(
    url,
    { config: { rateLimit: { max: SIGN_INS_PER_MINUTE, timeWindow: "1 minute" } } },
    async (request, reply) => {
      const form = formOf(request.body);
      const visit = await visitOf(request, reply);
      binding.check(request, visit.interaction.uid, form.token);
      if (form.answer === "cancel")
        return finish(visit, { error: "access_denied", error_description: "The person declined." });
      return STEPS[form.step as keyof typeof STEPS](visit, form);
    },
  );

  const STEPS = {
    client: async (visit: Visit) => {
      await save(visit, { browser: hashOf(visit.browser) });
      return again(visit);
    },

    "sign-in": async (visit: Visit, form: Form) => {
      const { browser } = started(visit);
      const name = form.name ?? "";
      const page = (error: string) =>
        signInPage({
          clientName: clientView(visit.client, visit.interaction).name,
          token: visit.token,
          formTarget: visit.formTarget,
          name,
          error,
        });
      try {
        const account = await verifyPassword(store, name, form.password ?? "", {
          address: visit.request.ip,
          now: parts.now,
          wait: parts.wait,
        });
        if (account === undefined) return send(visit, 403, page("Name or password is wrong."));
        await save(visit, { browser, account: account.id });
        return again(visit);
      } catch (error) {
        if (!(error instanceof EdgeError) || error.retryAfterSeconds === undefined) throw error;
        visit.reply.header("retry-after", error.retryAfterSeconds);
        return send(visit, 429, page(error.message));
      }
    },

    organisation: async (visit: Visit, form: Form) => {
      const progress = signedIn(visit);
      const organisations = await directory.organisationsOf(progress.account);
      const picked = organisations.find(({ id }) => id === form.organisation);
      if (picked !== undefined) await save(visit, { ...progress, org: picked.id });
      return again(visit);
    },

    consent: async (visit: Visit, form: Form) => {
      const progress = signedIn(visit);
      if (form.answer === "organisation") {
        await save(visit, { browser: progress.browser, account: progress.account });
        return again(visit);
      }
      const { organisation } = await organisationFor(progress);
      if (organisation === undefined) return again(visit);
      const locations = await directory.locationsOf(organisation.id);
      const answer = consentAnswer(
        form,
        locations.map(({ id }) => id),
      );
      if (answer === undefined || !offeredScopes(organisation.role).includes(answer.access)) {
        return send(visit, 400, await consentFor(visit, progress, "Choose the access, and at least one location."));
      }
      const grantId = await grantConsent(parts, {
        interaction: visit.interaction,
        client: visit.client,
        accountId: progress.account,
        org: organisation.id,
        answer,
      });
      await widen(visit, answer.access);
      return finish(visit, { login: { accountId: progress.account, remember: false }, consent: { grantId } });
    },
  };

  async function visitOf(request: FastifyRequest, reply: FastifyReply): Promise<Visit> {
    const interaction = await provider.interactionDetails(request.raw, reply.raw);
    const { uid } = request.params as { uid: string }; // the route's own parameter
    const client = await provider.Client.find(String(interaction.params.client_id));
    if (interaction.uid !== uid || client === undefined) throw new EdgeError("NOT_FOUND", "This sign-in has ended.");
    const progress = progressOf(interaction.result?.edge);
    const browser = progress === undefined ? binding.identify(request, reply) : binding.idOf(request);
    if (browser === undefined || (progress !== undefined && progress.browser !== hashOf(browser))) {
      throw new EdgeError("PERMISSION_DENIED", "This sign-in was started in another browser.");
    }
    const token = binding.tokenFor(browser, uid);
    return { request, reply, interaction, client, progress, browser, token, formTarget: formTargetOf(interaction) };
  }

  async function pageFor(visit: Visit): Promise<Page> {
    const { client, interaction, progress, token, formTarget } = visit;
    const view = clientView(client, interaction);
    if (progress === undefined) return clientPage(view, token, formTarget);
    if (progress.account === undefined) return signInPage({ clientName: view.name, token, formTarget });
    return consentFor(visit, signedIn(visit));
  }

  async function consentFor(visit: Visit, progress: SignedIn, error?: string): Promise<Page> {
    const { client, interaction, token, formTarget } = visit;
    const accountName = (await findAccount(store, progress.account))?.name;
    const { organisation, organisations } = await organisationFor(progress);
    if (accountName === undefined || organisations.length === 0) {
      return messagePage(
        "There is nothing to allow",
        "Your account belongs to no organisation yet. Ask whoever runs this gateway to add you, then connect again.",
      );
    }
    const clientName = clientView(client, interaction).name;
    if (organisation === undefined) {
      return organisationPage({ clientName, accountName, organisations, token, formTarget });
    }
    return consentPage({
      clientName,
      accountName,
      organisation,
      hasOthers: organisations.length > 1,
      locations: await directory.locationsOf(organisation.id),
      offered: offeredScopes(organisation.role),
      asked: askedScope(interaction.params.scope),
      token,
      formTarget,
      ...(error === undefined ? {} : { error }),
    });
  }

  /** The one that was picked, or the only one there is. */
  async function organisationFor(progress: SignedIn) {
    const organisations = await directory.organisationsOf(progress.account);
    const only = organisations.length === 1 ? organisations[0] : undefined;
    return { organisations, organisation: organisations.find(({ id }) => id === progress.org) ?? only };
  }

  async function save({ interaction }: Visit, edge: Progress): Promise<void> {
    interaction.result = { edge };
    await interaction.persist();
  }

  /** The provider resumes with the stored request. */
  async function widen({ interaction }: Visit, access: Scope): Promise<void> {
    interaction.params.scope = widenedScope(interaction.params.scope, access);
    await interaction.persist();
  }

  /** Post, redirect, get: going back or reloading sends no form twice. */
  function again({ reply, interaction }: Visit): FastifyReply {
    return reply.redirect(`${INTERACTION_PATH}/${interaction.uid}`, 303);
  }

  async function finish(visit: Visit, result: Parameters<Provider["interactionResult"]>[2]): Promise<FastifyReply> {
    const { request, reply } = visit;
    const next = await provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: false });
    return reply.redirect(next, 303);
  }

  function send({ reply }: Visit, status: number, page: Page): FastifyReply {
    return sendPage(reply, status, page);
  }
}

type SignedIn = Progress & { readonly account: string };

function started({ progress }: Visit): Progress {
  if (progress === undefined) throw new EdgeError("PERMISSION_DENIED", "Continue on the first page before signing in.");
  return progress;
}

function signedIn(visit: Visit): SignedIn {
  const { account, ...progress } = started(visit);
  if (account === undefined) throw new EdgeError("PERMISSION_DENIED", "Sign in first.");
  return { ...progress, account };
}

function hashOf(browser: string): string {
  return createHash("sha256").update(browser).digest("base64url");
}
