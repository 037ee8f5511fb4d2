/** The frame of every page, and the headers that go with it. */
import { createHash } from "node:crypto";
import type { FastifyReply } from "fastify";
import { type Html, html } from "./html.ts";
import { STYLESHEET } from "./stylesheet.ts";

const STYLE_HASH = createHash("sha256").update(STYLESHEET).digest("base64");

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Where a form of this page may end besides here: a browser checks the whole chain of redirects. */
  readonly formTarget?: string;
}

/** The whole document. */
export function pageText({ title, body }: Page): string {
  const style: Html = { html: `<style>${STYLESHEET}</style>` }; // verbatim: its hash is in the policy
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · UniFi MCP Edge</title>
${style}
</head>
<body>
<main>
<p class="brand">${MARK}UniFi MCP Edge</p>
${body}
</main>
<footer>Your consoles’ passwords never leave your network.</footer>
</body>
</html>
`.html;
}

/** Sends a page; nothing from elsewhere loads in it, no script runs, nobody frames it, nothing keeps it. */
export function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  return reply
    .code(status)
    .header("content-security-policy", contentSecurityPolicy(page.formTarget))
    .header("cache-control", "no-store")
    .type("text/html; charset=utf-8")
    .send(pageText(page));
}

export function contentSecurityPolicy(formTarget?: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self'${formTarget === undefined ? "" : ` ${formTarget}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
}

const MARK = html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><path d="M4 12a8 8 0 0 1 16 0"/><path d="M8 12a4 4 0 0 1 8 0"/><circle cx="12" cy="12" r="1" fill="currentColor"/><path d="M12 13v7"/></svg>`;
