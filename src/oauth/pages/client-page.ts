/** Before sign-in: which app asks, and where its answer will go. */
import { html } from "./html.ts";
import type { Page } from "./layout.ts";

export interface ClientView {
  /** As the app calls itself. */
  readonly name: string;
  /** Where the answer goes: a host, or an application's own scheme. */
  readonly redirect: string;
  /** The host that vouches for the app's description; undefined when the app registered itself. */
  readonly vouchedBy?: string;
  /** Every redirect of the app stays on the person's own computer. */
  readonly isLocal: boolean;
}

export function clientPage(client: ClientView, token: string, formTarget: string): Page {
  return {
    title: "Connect an app",
    formTarget,
    body: html`<h1>${client.name} wants to connect</h1>
<p>If you continue, you sign in here and then choose what this app may do with your UniFi consoles.</p>
<dl>
<dt>App</dt><dd>${client.name}</dd>
<dt>Returns to</dt><dd>${client.redirect}</dd>
${client.vouchedBy !== undefined && html`<dt>Described by</dt><dd>${client.vouchedBy}</dd>`}
</dl>
${client.vouchedBy === undefined && html`<p class="quiet">The app gave this name itself. “Returns to” is where access would go: check that you know it.</p>`}
${client.isLocal && html`<p class="note warn" role="note"><strong>This app runs on your own computer.</strong> Any program there could use its name. Continue only if you started connecting yourself, just now.</p>`}
<form method="post">
<input type="hidden" name="step" value="client">
<input type="hidden" name="token" value="${token}">
<div class="actions">
<button class="main" name="answer" value="continue">Continue</button>
<button name="answer" value="cancel">Cancel</button>
</div>
</form>`,
  };
}
