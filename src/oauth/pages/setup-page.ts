/** The first start: first account, first location, and the command that starts the agent there. */
import { PASSWORD_MIN_LENGTH } from "../../store/accounts.ts";
import { html } from "./html.ts";
import type { Page } from "./layout.ts";

export interface SetupView {
  readonly link: string;
  readonly token: string;
  readonly values?: { readonly name: string; readonly organisation: string; readonly location: string };
  readonly error?: string;
}

export function setupPage({ link, token, values, error }: SetupView): Page {
  return {
    title: "Set up",
    body: html`<h1>Welcome. Let’s set up this gateway.</h1>
<p>This makes the first account and a place for your first agent. The link works once.</p>
${error !== undefined && html`<p class="note error" role="alert">${error}</p>`}
<form method="post" action="/setup">
<input type="hidden" name="link" value="${link}">
<input type="hidden" name="token" value="${token}">
<div class="field"><label for="name">Your name for signing in</label>
<input type="text" id="name" name="name" value="${values?.name}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="64" required autofocus></div>
<div class="field"><label for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="new-password" minlength="${PASSWORD_MIN_LENGTH}" maxlength="256" required aria-describedby="password-hint">
<p class="quiet" id="password-hint">At least ${PASSWORD_MIN_LENGTH} characters; three or four words do well.</p></div>
<div class="field"><label for="organisation">Organisation</label>
<input type="text" id="organisation" name="organisation" value="${values?.organisation ?? "Home"}" maxlength="64" required></div>
<div class="field"><label for="location">First location</label>
<input type="text" id="location" name="location" value="${values?.location ?? "Home"}" maxlength="64" required aria-describedby="location-hint">
<p class="quiet" id="location-hint">The place where your UniFi console stands.</p></div>
<div class="actions"><button class="main">Create</button></div>
</form>`,
  };
}

export function setupDonePage(agentCommand: string): Page {
  return {
    title: "Start the agent",
    body: html`<h1>Ready. Now start the agent.</h1>
<p>Run this on a machine in the same network as your console. It dials out: no port has to be opened.</p>
<pre tabindex="0" aria-label="Command that starts the agent">${agentCommand}</pre>
<p>It also needs your console’s address and account: <code>UNIFI_HOST</code>, <code>UNIFI_USERNAME</code> and <code>UNIFI_PASSWORD</code>, put before it in the same way. <code>unifi-edge agent --help</code> shows how.</p>
<p class="quiet">The token in it works once and is not shown again. Then add this gateway’s MCP address to your AI client and sign in.</p>`,
  };
}
