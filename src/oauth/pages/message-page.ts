/** A page that only says something: what happened and what to do next. */
import { html } from "./html.ts";
import type { Page } from "./layout.ts";

export function messagePage(title: string, text: string, detail?: string): Page {
  return {
    title,
    body: html`<h1>${title}</h1>
<p>${text}</p>
${detail !== undefined && html`<p class="quiet">${detail}</p>`}`,
  };
}
