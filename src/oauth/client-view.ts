/** What the pages may say of a client: all of it a stranger's word except where its answers go. */
import type Provider from "oidc-provider";
import { isLoopback } from "./client-metadata.ts";
import type { ClientView } from "./pages/client-page.ts";
import { oneLine } from "./pages/html.ts";

export type Client = NonNullable<Awaited<ReturnType<Provider["Client"]["find"]>>>;

interface Request {
  readonly params: Readonly<Record<string, unknown>>;
}

const NAME_MAX_LENGTH = 60;
const PLACE_MAX_LENGTH = 120;

export function clientView(client: Client, request: Request): ClientView {
  const redirect = redirectOf(request);
  const document = client.clientId.startsWith("https://") ? URL.parse(client.clientId) : null;
  const isWeb = redirect.protocol === "https:" || redirect.protocol === "http:";
  return {
    name: oneLine(client.clientName ?? "", NAME_MAX_LENGTH) || "An app without a name",
    redirect: oneLine(isWeb ? redirect.host : `${redirect.protocol}//${redirect.host}`, PLACE_MAX_LENGTH),
    ...(document === null ? {} : { vouchedBy: oneLine(document.host, PLACE_MAX_LENGTH) }),
    isLocal: (client.redirectUris ?? []).every((uri) => {
      const url = URL.parse(uri);
      return url?.protocol === "http:" && isLoopback(url);
    }),
  };
}

/**
 * The redirect as a source of Content-Security-Policy's form-action: browsers apply it to the whole chain of redirects
 * after a form. Sources cannot name an IPv6 host or a path of a custom scheme.
 */
export function formTargetOf(request: Request): string {
  const { protocol, host, hostname } = redirectOf(request);
  const isWeb = protocol === "https:" || protocol === "http:";
  return isWeb && !hostname.startsWith("[") ? `${protocol}//${host}` : protocol;
}

function redirectOf({ params }: Request): URL {
  return new URL(String(params.redirect_uri)); // checked against the registration before any page is shown
}
