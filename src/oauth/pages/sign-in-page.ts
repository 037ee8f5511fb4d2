/** Sign-in with a local account. */
import { html } from "./html.ts";
import type { Page } from "./layout.ts";

export interface SignInView {
  readonly clientName: string;
  readonly token: string;
  readonly formTarget: string;
  /** What was typed as name, shown again after a refusal. */
  readonly name?: string;
  readonly error?: string;
}

export function signInPage({ clientName, token, formTarget, name = "", error }: SignInView): Page {
  const focusName = name === "";
  return {
    title: "Sign in",
    formTarget,
    body: html`<h1>Sign in</h1>
<p>to connect ${clientName}</p>
${error !== undefined && html`<p class="note error" role="alert">${error}</p>`}
<form method="post">
<input type="hidden" name="step" value="sign-in">
<input type="hidden" name="token" value="${token}">
<div class="field"><label for="name">Name</label>
<input type="text" id="name" name="name" value="${name}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="64" required${focusName && html` autofocus`}></div>
<div class="field"><label for="password">Password</label>
<input type="password" id="password" name="password" autocomplete="current-password" maxlength="256" required${!focusName && html` autofocus`}></div>
<div class="actions">
<button class="main" name="answer" value="continue">Sign in</button>
<button name="answer" value="cancel" formnovalidate>Cancel</button>
</div>
</form>`,
  };
}
