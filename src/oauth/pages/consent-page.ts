/** After sign-in: what the app may do, where. The person decides, whatever was asked. */
import { ACCESS_NAMES, SCOPES, type Scope } from "../../principal.ts";
import { html } from "./html.ts";
import type { Page } from "./layout.ts";

export interface Named {
  readonly id: string;
  readonly name: string;
}

export interface ConsentView {
  readonly clientName: string;
  readonly accountName: string;
  readonly organisation: Named;
  /** The person has others to choose from. */
  readonly hasOthers: boolean;
  readonly locations: readonly Named[];
  /** The highest scopes that may be given, least first. */
  readonly offered: readonly Scope[];
  /** The highest that the app asked for. */
  readonly asked: Scope;
  readonly token: string;
  readonly formTarget: string;
  readonly error?: string;
}

const MEANS: Readonly<Record<Scope, string>> = {
  "unifi:read": "See devices, clients, settings and statistics. Changes nothing.",
  "unifi:write": "Also create and change settings, such as networks and firewall rules.",
  "unifi:admin": "Also delete, restart, unlock doors and use the console’s raw API.",
};

/** The Python SDK of 2025 and oauthlib refuse a token whose scope is wider than the one they asked for. */
const NOT_ASKED = " The app did not ask for this; if it then fails to connect, connect it again and choose less.";

const isBeyond = (scope: Scope, asked: Scope) => SCOPES.indexOf(scope) > SCOPES.indexOf(asked);

export function consentPage(view: ConsentView): Page {
  return {
    title: "Allow access",
    formTarget: view.formTarget,
    body: html`<h1>What may ${view.clientName} do?</h1>
<p class="quiet">Signed in as <strong>${view.accountName}</strong> · ${view.organisation.name}</p>
${view.error !== undefined && html`<p class="note error" role="alert">${view.error}</p>`}
<form method="post">
<input type="hidden" name="step" value="consent">
<input type="hidden" name="token" value="${view.token}">
<fieldset><legend>Access</legend>
${view.offered.map(
  (
    scope,
    index,
  ) => html`<label class="choice"><input type="radio" name="access" value="${scope}"${index === 0 && html` checked`}>
<span>${ACCESS_NAMES[scope]}<small>${MEANS[scope]}${isBeyond(scope, view.asked) && NOT_ASKED}</small></span></label>`,
)}
</fieldset>
<fieldset><legend>Locations</legend>
<label class="choice"><input type="radio" name="where" value="all" checked>
<span>All locations<small>Also ones that are added later.</small></span></label>
${
  view.locations.length > 0 &&
  html`<label class="choice"><input type="radio" name="where" value="chosen">
<span>Only these</span></label>
<div class="within">${view.locations.map(
    ({ id, name }) => html`<label class="choice"><input type="checkbox" name="location" value="${id}">
<span>${name}</span></label>`,
  )}</div>`
}
</fieldset>
<p class="quiet">You can end this access at any time. What an agent’s own settings forbid stays forbidden.</p>
<div class="actions">
<button class="main" name="answer" value="allow">Allow</button>
<button name="answer" value="cancel">Deny</button>
</div>
${view.hasOthers && html`<div class="actions"><button name="answer" value="organisation">Choose another organisation</button></div>`}
</form>`,
  };
}

export interface OrganisationView {
  readonly clientName: string;
  readonly accountName: string;
  readonly organisations: readonly Named[];
  readonly token: string;
  readonly formTarget: string;
}

export function organisationPage(view: OrganisationView): Page {
  return {
    title: "Choose an organisation",
    formTarget: view.formTarget,
    body: html`<h1>Which organisation is ${view.clientName} for?</h1>
<p class="quiet">Signed in as <strong>${view.accountName}</strong></p>
<form method="post">
<input type="hidden" name="step" value="organisation">
<input type="hidden" name="token" value="${view.token}">
<fieldset><legend>Organisation</legend>
${view.organisations.map(
  (
    { id, name },
    index,
  ) => html`<label class="choice"><input type="radio" name="organisation" value="${id}"${index === 0 && html` checked`}>
<span>${name}</span></label>`,
)}
</fieldset>
<div class="actions">
<button class="main" name="answer" value="continue">Continue</button>
<button name="answer" value="cancel">Cancel</button>
</div>
</form>`,
  };
}
