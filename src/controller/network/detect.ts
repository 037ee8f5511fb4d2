/** Finds out whether a console is UniFi OS or standalone, by two rules that are asked at once. */
import type { Answer, Exchange } from "./exchange.ts";
import { exchangeFailure } from "./failures.ts";
import type { ConsoleLog, ControllerType } from "./options.ts";
import { unreachable } from "./unreachable.ts";

export interface DetectOptions {
  readonly controllerType: ControllerType | "auto";
  readonly site: string;
  readonly log: ConsoleLog;
}

type Opinion = ControllerType | undefined;

/** `GET /` without following: UniFi OS shows its page, standalone sends the browser to `/manage`. */
export function opinionOfRoot(status: number): Opinion {
  if (status === 200) return "proxy";
  return status >= 300 && status < 400 ? "direct" : undefined;
}

/** An API path behind `/proxy/network`, without a session: UniFi OS knows it or guards it, standalone has none. */
export function opinionOfProxy(status: number): Opinion {
  if (status === 200 || status === 401 || status === 403) return "proxy";
  // a console that is starting, or counting our requests, says nothing about its kind
  return status >= 500 || status === 429 ? undefined : "direct";
}

/**
 * @param exchange sends requests without a session
 * @throws EdgeError CONTROLLER_UNREACHABLE (neither rule got a telling answer), CONTROLLER_TLS_UNTRUSTED
 */
export async function detectControllerType(exchange: Exchange, options: DetectOptions): Promise<ControllerType> {
  if (options.controllerType !== "auto") return options.controllerType;
  const probePath = `/proxy/network/api/s/${encodeURIComponent(options.site)}/stat/health`;
  const [root, proxy] = await Promise.allSettled([
    exchange({ method: "GET", path: "/", headers: { accept: "*/*" } }),
    exchange({ method: "GET", path: probePath }),
  ]);
  if (root.status === "rejected" && proxy.status === "rejected") throw exchangeFailure(proxy.reason, false);

  const byRoot = opinionFrom(root, opinionOfRoot);
  const byProxy = opinionFrom(proxy, opinionOfProxy);
  if (byRoot !== undefined && byProxy !== undefined && byRoot !== byProxy) {
    options.log.warn({ byRoot, byProxy }, "the two detection rules disagree; the probe of /proxy/network decides");
  }
  const type = byProxy ?? byRoot;
  if (type === undefined) {
    throw unreachable("The console does not answer sensibly yet; it may be starting.", {
      hint: "If this lasts, set UNIFI_CONTROLLER_TYPE to proxy (UniFi OS) or direct (standalone).",
    });
  }
  options.log.info({ type }, "console type found");
  return type;
}

function opinionFrom(outcome: PromiseSettledResult<Answer>, rule: (status: number) => Opinion): Opinion {
  return outcome.status === "fulfilled" ? rule(outcome.value.status) : undefined;
}
