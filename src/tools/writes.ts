/** Which declared tools write a console path: `unifi_api_call` must pass the gates of all of them (design 3.3). */
import type { HttpMethod } from "../controller/controller.ts";
import { TOOLS } from "./index.ts";
import { parseEndpoint } from "./network/api-call-path.ts";
import type { Endpoint, Tool } from "./tool.ts";

/** What a path is about, whatever way it takes there, and whether it is the plain way that tools declare. */
interface Subject {
  readonly resource: string;
  readonly method: string;
  readonly plain: boolean;
}

/** Verbs of the older API whose next segment names the object that they change. */
const OBJECT_VERBS = ["rest", "upd", "add", "del", "list", "group", "set", "get"];

/** The same objects under the names of the newer APIs. */
const SAME_RESOURCE: Readonly<Record<string, string>> = {
  "v2/wlan": "v1/wlanconf",
  "v2/lan": "v1/networkconf",
  "v2/wan": "v1/networkconf",
  "v2/network": "v1/networkconf",
  "v2/clients": "v1/user",
  "v2/device": "v1/device",
  "v2/port-forward": "v1/portforward",
  "v2/portforward": "v1/portforward",
  "integration/wifi": "v1/wlanconf",
  "integration/networks": "v1/networkconf",
  "integration/dns": "v2/static-dns",
  "integration/clients": "v1/cmd/stamgr",
  "integration/devices": "v1/cmd/devmgr",
  "integration/acl-rules": "v2/acl-rules",
  "integration/firewall": "v2/firewall-policies",
  "v1/firewallrule": "v2/firewall-policies",
  "v2/firewall": "v2/firewall-policies",
  "v2/object-oriented-network-configs": "v2/object-oriented-network-config",
};

/**
 * Tools that write what the endpoint writes. An endpoint as a tool declares it, with its method, gives the tools of
 * that method; any other way to the same object (another verb, method or API generation) gives all tools that write the
 * object, so a gate cannot be walked around. An endpoint that the path rule refuses gives none: it is never sent.
 */
export function toolsThatWrite(method: HttpMethod, endpoint: string, tools: readonly Tool[] = TOOLS): readonly Tool[] {
  const asked = subjectOfEndpoint(method, endpoint);
  if (asked === undefined) return [];
  const writers = tools.filter((tool) => subjectsOf(tool).some((own) => own.resource === asked.resource));
  const exact = writers.filter((tool) => subjectsOf(tool).some((own) => sameWay(own, asked)));
  return asked.plain && exact.length > 0 ? exact : writers;
}

function sameWay(own: Subject, asked: Subject): boolean {
  return own.resource === asked.resource && own.method === asked.method;
}

function subjectsOf(tool: Tool): readonly Subject[] {
  return (tool.writes ?? []).flatMap((endpoint: Endpoint) => {
    const [method = "", path = ""] = endpoint.split(" ");
    return subjectOfSegments(method, path.slice(1).split("/")) ?? [];
  });
}

function subjectOfEndpoint(method: string, endpoint: string): Subject | undefined {
  try {
    return subjectOfSegments(method, parseEndpoint(endpoint).segments);
  } catch {
    return undefined; // refused by the path rule, which says why when the call is planned
  }
}

function subjectOfSegments(method: string, segments: readonly string[]): Subject | undefined {
  const lower = segments.map((segment) => segment.toLowerCase());
  if (lower[0] === "api") return subjectOfV1(method, lower.slice(3));
  if (lower[0] === "v2") return named(method, `v2/${lower[4] ?? ""}`, itemFits(method, lower.length - 5));
  if (lower[0] === "integration") return named(method, `integration/${lower[4] ?? ""}`, false);
  return undefined;
}

function subjectOfV1(method: string, [verb = "", object = "", ...rest]: readonly string[]): Subject | undefined {
  if (verb === "cmd") return named(method, `v1/cmd/${object}`, true);
  if (!OBJECT_VERBS.includes(verb)) return named(method, `v1/${verb}/${object}`, true);
  const resource = verb === "set" || verb === "get" ? `v1/setting/${rest[0] ?? ""}` : `v1/${object}`;
  return named(method, resource, verb === "rest" && itemFits(method, rest.length));
}

function named(method: string, resource: string, plain: boolean): Subject {
  const same = SAME_RESOURCE[resource];
  return { resource: same ?? resource, method, plain: plain && same === undefined };
}

/** A POST goes to the collection, a PUT or DELETE to one object; the other way round the console may do anything. */
function itemFits(method: string, depth: number): boolean {
  return method === "POST" ? depth === 0 : depth === 1 && (method === "PUT" || method === "DELETE");
}
