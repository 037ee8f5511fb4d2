/** A person at a browser, scripted: follows links, keeps cookies, and fills in the gateway's own pages. */

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

interface PageAnswer {
  readonly status: number;
  readonly text: string;
  /** Absolute; empty when the answer is no redirect. */
  readonly location: string;
}

export interface Person {
  /** Makes the first account on the set-up page. Returns the agent command that the page shows. */
  setUp(link: string, answers: SetUpAnswers): Promise<string>;
  /** From the authorization URL through both pages; returns the address that the browser is sent back to. */
  allow(authorizationUrl: URL, choice: Choice): Promise<URL>;
}

export interface SetUpAnswers {
  readonly name: string;
  readonly password: string;
  readonly organisation: string;
  readonly location: string;
}

export interface Choice {
  readonly name: string;
  readonly password: string;
  readonly access: "unifi:read" | "unifi:write" | "unifi:admin";
}

/** Throws an Error with the page's text when a page is not the one that was expected. */
export function createPerson(): Person {
  const browse = createBrowser();

  return {
    async setUp(link, answers) {
      const page = await browse("GET", link);
      const done = await browse("POST", new URL("/setup", link).href, { ...hiddenFields(page.text), ...answers });
      const command = /<(?:code|pre)[^>]*>([^<]*unifi-edge agent[^<]*)</.exec(done.text)?.[1];
      if (command === undefined) throw unexpected("the agent command", done);
      return decodeEntities(command);
    },
    async allow(authorizationUrl, { name, password, access }) {
      const page = (await browse("GET", authorizationUrl.href)).location;
      const steps: readonly Readonly<Record<string, string>>[] = [
        { answer: "continue" },
        { answer: "continue", name, password },
        { answer: "allow", access, where: "all" },
      ];
      let answer: PageAnswer | undefined;
      for (const fields of steps) {
        const shown = await browse("GET", page);
        answer = await browse("POST", page, { ...hiddenFields(shown.text), ...fields });
      }
      if (!answer?.location) throw unexpected("the way back to the client", answer);
      const back = await browse("GET", answer.location);
      if (!back.location) throw unexpected("the redirect with the code", back);
      return new URL(back.location);
    },
  };
}

/** Redirects are followed by hand: the last one leads to the client, where nobody listens. */
function createBrowser() {
  let cookies: readonly Cookie[] = [];

  return async (method: "GET" | "POST", url: string, form?: Readonly<Record<string, string>>): Promise<PageAnswer> => {
    const { pathname } = new URL(url);
    const sent = cookies.filter(({ path }) => path === "/" || pathname === path || pathname.startsWith(`${path}/`));
    const response = await fetch(url, {
      method,
      redirect: "manual",
      headers: { cookie: sent.map(({ name, value }) => `${name}=${value}`).join("; ") },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) cookies = withCookie(cookies, line);
    const location = response.headers.get("location");
    return {
      status: response.status,
      text: await response.text(),
      location: location === null ? "" : new URL(location, url).href,
    };
  };
}

function withCookie(cookies: readonly Cookie[], line: string): readonly Cookie[] {
  const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
  const at = pair.indexOf("=");
  const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? "/";
  const expires = attributes.find((attribute) => /^expires=/i.test(attribute))?.slice(8);
  const cookie = { name: pair.slice(0, at), value: pair.slice(at + 1), path };
  const others = cookies.filter(({ name, path: other }) => name !== cookie.name || other !== path);
  const isOver = expires !== undefined && Date.parse(expires) <= Date.now();
  return isOver ? others : [...others, cookie];
}

function hiddenFields(page: string): Record<string, string> {
  const fields = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  return Object.fromEntries(fields.map(([, name = "", value = ""]) => [name, decodeEntities(value)]));
}

function decodeEntities(text: string): string {
  const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', amp: "&", "#39": "'" };
  return text.replace(/&(lt|gt|quot|amp|#39);/g, (whole, name: string) => named[name] ?? whole);
}

function unexpected(what: string, answer: PageAnswer | undefined): Error {
  const words = answer?.text
    .replace(/<style[\s\S]*?<\/style>/g, " ")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  return new Error(`The page did not lead to ${what} (HTTP ${answer?.status}): ${words?.slice(0, 400)}`);
}
