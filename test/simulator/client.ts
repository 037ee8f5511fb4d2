/** A plain HTTPS client for the simulator's own tests: one cookie jar, no retries, nothing hidden. */
import { Agent, request } from "node:https";
import type { TestContext } from "node:test";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/simulator/simulator.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Parsed JSON, or undefined where the body is something else. */
  readonly json: unknown;
}

export type Fields = Readonly<Record<string, unknown>>;

/** What stands at a path in parsed JSON: `at(answer.json, "data", 0, "name")`. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

/** The rows of a v1 answer (`data`) or of a v2 one (the array itself). */
export function rowsOf(answer: Answer): readonly Fields[] {
  const rows = Array.isArray(answer.json) ? answer.json : at(answer.json, "data");
  return Array.isArray(rows) ? rows : [];
}

export interface Client {
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  login(): Promise<Answer>;
  /** Value of a cookie that was set, by name. */
  cookie(name: string): string | undefined;
  readonly cookieHeader: string;
}

/** A simulator that closes with the test. */
export async function simulator(t: TestContext, options: SimulatorOptions): Promise<Simulator> {
  const made = await startSimulator(options);
  t.after(() => made.close());
  return made;
}

export function clientOf(t: TestContext, console_: Simulator): Client {
  const agent = new Agent({ ca: console_.certificatePem, servername: "unifi.local", keepAlive: true });
  t.after(() => agent.destroy());
  const jar = new Map<string, string>();
  let csrf: string | undefined;

  const client: Client = {
    get cookieHeader() {
      return [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    },
    cookie: (name) => jar.get(name),

    async send(method, path, body, headers = {}) {
      const answer = await exchange(agent, console_, method, path, body, {
        ...(jar.size === 0 ? {} : { cookie: client.cookieHeader }),
        ...(csrf === undefined ? {} : { "x-csrf-token": csrf }),
        ...headers,
      });
      for (const cookie of [answer.headers["set-cookie"] ?? []].flat()) {
        const [name = "", value = ""] = (cookie.split(";")[0] ?? "").split(/=(.*)/s);
        jar.set(name, value);
      }
      const token = answer.headers["x-csrf-token"];
      if (typeof token === "string") csrf = token;
      return answer;
    },

    login() {
      const path = console_.state.persona === "unifi-os" ? "/api/auth/login" : "/api/login";
      return client.send("POST", path, { username: console_.username, password: console_.password, rememberMe: true });
    },
  };
  return client;
}

function exchange(
  agent: Agent,
  console_: Simulator,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    const length = { "content-length": String(Buffer.byteLength(text ?? "")) };
    const options = {
      agent,
      host: console_.host,
      port: console_.port,
      method,
      path,
      headers: { ...length, ...headers },
    };
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const whole = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: whole, json: parse(whole) });
      });
    });
    sent.on("error", reject);
    sent.end(text);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
