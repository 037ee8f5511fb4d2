/** Port forwards: doors from the internet to a host of the site. */
import { Type } from "typebox";
import type { Row } from "../../controller/controller.ts";
import { invalid, ipv4Argument } from "../arguments.ts";
import { type Circumstances, type Prepared, resource } from "../resource.ts";

const forwards = resource({
  category: "port_forwards",
  gate: "port_forwards",
  noun: "port forward",
  resourceType: "port_forward",
  api: "v1",
  path: "/rest/portforward",
  idArgument: "port_forward_id",
  listTool: "unifi_list_port_forwards",
  table: {
    id: "string",
    site_id: "string",
    name: "string",
    enabled: "boolean",
    fwd_protocol: "string",
    dst_port: "string",
    fwd_port: "string",
    fwd_ip: "string",
    src: "string",
    log: "boolean",
  },
  row: (raw) => ({ ...raw, id: raw._id, fwd_protocol: raw.proto, fwd_ip: raw.fwd }),
  rename: { fwd_ip: "fwd", protocol: "proto", src_ip: "src" },
});

const PORTS = "^[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?)*$";

function portsArgument(description: string) {
  return Type.String({
    description: `${description}: port, range or comma list, e.g. 8080 or 5000-5010`,
    pattern: PORTS,
  });
}

const FIELDS = {
  name: Type.String({ description: "Name of the rule", minLength: 1, maxLength: 128 }),
  dst_port: portsArgument("Port on the internet side"),
  fwd_port: portsArgument("Port of the inner host"),
  fwd_ip: ipv4Argument("IPv4 address of the inner host"),
  protocol: Type.Optional(
    Type.Enum(["tcp", "udp", "tcp_udp"], { type: "string", description: "Protocol; a new rule takes tcp_udp" }),
  ),
  enabled: Type.Optional(Type.Boolean({ description: "Whether it is in force; a new rule is" })),
  src_ip: Type.Optional(
    Type.String({ description: "IPv4 address or CIDR that may use it; empty = everybody", maxLength: 64 }),
  ),
  log: Type.Optional(Type.Boolean({ description: "Log its use" })),
};

const SHORT_FIELDS = {
  name: FIELDS.name,
  ext_port: portsArgument("Port on the internet side"),
  to_ip: ipv4Argument("IPv4 address of the inner host"),
  int_port: Type.Optional(portsArgument("Port of the inner host; default ext_port")),
  protocol: Type.Optional(Type.Enum(["tcp", "udp", "both"], { type: "string", description: "Protocol; default both" })),
  enabled: Type.Optional(Type.Boolean({ description: "Whether it is in force; default true" })),
};

/** What the console wants in a new rule besides the arguments. */
const NEW_RULE = { pfwd_interface: "wan" };

async function checkRule(data: Row, { current, siblings }: Circumstances): Promise<Prepared> {
  const rule = { ...(current && { dst_port: current.dst_port, fwd_port: current.fwd_port }), ...data };
  const outside = portRanges(rule.dst_port);
  if (portCount(portRanges(rule.fwd_port)) > 1 && portCount(outside) !== portCount(portRanges(rule.fwd_port))) {
    throw invalid("dst_port and fwd_port must name the same number of ports, or fwd_port exactly one.");
  }
  const others = siblings.filter((other) => other !== current && other.enabled !== false);
  const taken = others.some((other) => overlap(outside, portRanges(other.dst_port)));
  const open = [undefined, "", "any"].includes((data.src_ip ?? current?.src) as string | undefined);
  return {
    data,
    warnings: [
      ...(open && data.enabled !== false ? ["Everybody on the internet can reach this port."] : []),
      ...(taken ? ["Another enabled rule already takes one of these ports; the console lets one of them win."] : []),
    ],
    ...(current === undefined ? { extra: NEW_RULE } : {}),
  };
}

type Range = readonly [first: number, last: number];

/** Throws ARGUMENTS_INVALID where a number is no port or a range runs backwards. */
function portRanges(ports: unknown): readonly Range[] {
  if (typeof ports !== "string" || ports === "") return [];
  return ports.split(",").map((part) => {
    const [first = Number.NaN, last = first] = part.split("-").map(Number);
    if (first < 1 || last > 65535 || first > last) throw invalid("Ports are numbers from 1 to 65535, ranges low-high.");
    return [first, last];
  });
}

function portCount(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

function overlap(left: readonly Range[], right: readonly Range[]): boolean {
  return left.some(([a, b]) => right.some(([c, d]) => a <= d && c <= b));
}

const DEFAULTS = { protocol: "tcp_udp", enabled: true, src_ip: "any", log: false };

/** The short form in the long form's names. */
function longForm(rule: Row): Row {
  const { name, ext_port: outside, to_ip: host, int_port: inside = outside, protocol = "both", enabled = true } = rule;
  const proto = protocol === "both" ? "tcp_udp" : protocol;
  return { name, dst_port: outside, fwd_port: inside, fwd_ip: host, protocol: proto, enabled };
}

export default [
  forwards.list({
    name: "unifi_list_port_forwards",
    title: "List port forwards",
    summary: "List port forwards.",
    description: "Lists the site's port forwards: outer port, inner host and port, protocol, source and state.",
    rowsName: "port_forwards",
    defaultLimit: 100,
    asks: [
      "which ports are open to the internet",
      "nat rules",
      "what is exposed to the outside",
      "inbound holes in the router",
      "who can reach my server from outside",
      "show port forwarding rules",
      "list nat rules",
      "what can hackers reach from outside",
      "which services are exposed",
      "holes in the firewall",
    ],
  }),
  forwards.get({
    name: "unifi_get_port_forward",
    title: "Get port forward",
    summary: "Show one port forward.",
    description: "One port forward as the console stores it (fwd = inner host, proto = protocol), by id.",
    asks: [
      "where does this open port lead",
      "details of a nat rule",
      "source limit of an exposed port",
      "look at one inbound rule",
      "details of a port forward",
      "where does port 443 go",
      "show one forwarding rule",
    ],
  }),
  forwards.create({
    name: "unifi_create_port_forward",
    title: "Create port forward",
    summary: "Open a port to an inner host.",
    description:
      "Opens a port of the internet address to a host of the site, with source limit and logging. unifi_create_simple_port_forward takes a shorter form.",
    bodyArgument: "port_forward_data",
    bodyDescription: "The rule",
    fields: FIELDS,
    aliases: { rule: "port_forward_data", data: "port_forward_data" },
    prepare: (data, circumstances) => checkRule({ ...DEFAULTS, ...data, ...anySource(data) }, circumstances),
    asks: [
      "make a server reachable from outside",
      "expose a service to one address only",
      "new nat rule",
      "destination nat with logging",
      "let the office reach the camera recorder",
      "open a port",
      "forward port 443 to my server",
      "expose a service to the internet",
      "make my web server reachable from outside",
      "new nat rule limited to a source",
      "play games with friends from outside",
      "reach my nas when travelling",
      "let customers reach our web server",
      "publish a service",
    ],
  }),
  forwards.create({
    name: "unifi_create_simple_port_forward",
    title: "Create simple port forward",
    summary: "Open a port in short form.",
    description:
      "Opens a port of the internet address to a host, for everybody: name, ext_port and to_ip are enough. For a source limit or logging use unifi_create_port_forward.",
    bodyArgument: "rule",
    bodyDescription: "The rule in short",
    fields: SHORT_FIELDS,
    aliases: { port_forward_data: "rule", data: "rule" },
    prepare: (data, circumstances) => checkRule({ ...DEFAULTS, ...longForm(data) }, circumstances),
    asks: [
      "quickly open a port for a game",
      "forward 443 to my web server",
      "punch a hole in the router",
      "host a minecraft server",
      "let people connect to my box",
      "open a port for a game",
      "quick port forward",
      "forward 25565 to my pc",
      "let plex be reached from outside",
      "open port 80",
      "xbox nat type strict, open its port",
      "make minecraft reachable",
      "security camera viewer from outside",
    ],
  }),
  forwards.update({
    name: "unifi_update_port_forward",
    title: "Update port forward",
    summary: "Change fields of a port forward.",
    description: 'Changes the given fields of a port forward; the others keep their values. src_ip="" opens it to all.',
    bodyArgument: "update_data",
    bodyDescription: "Fields to change",
    fields: FIELDS,
    aliases: { port_forward_data: "update_data", data: "update_data" },
    prepare: (data, circumstances) => checkRule({ ...data, ...anySource(data) }, circumstances),
    asks: [
      "send the open port to another host",
      "limit who may use an exposed port",
      "change the inner port of a nat rule",
      "rename an inbound rule",
      "change a port forward",
      "restrict a port forward to one source ip",
      "forward to another host",
      "edit nat rule",
      "our web server moved to another machine",
      "let only my office reach the forwarded port",
    ],
  }),
  forwards.toggle({
    name: "unifi_toggle_port_forward",
    title: "Toggle port forward",
    summary: "Turn a port forward on or off.",
    description:
      "Turns an enabled port forward off and a disabled one on. To set a state, use unifi_update_port_forward.",
    asks: [
      "close an open port for now",
      "reopen a nat rule",
      "pause outside access to the server",
      "switch an inbound rule off",
      "disable a port forward for now",
      "close a port temporarily",
      "turn a forwarding rule on or off",
      "re-enable a nat rule",
      "close the game port until the weekend",
      "shut a hole for a while",
    ],
  }),
  forwards.delete({
    name: "unifi_delete_port_forward",
    title: "Delete port forward",
    summary: "Delete a port forward.",
    description: "Removes a port forward for good. To close it for a while, use unifi_toggle_port_forward.",
    check: async () => ["Connections through this rule end."],
    asks: [
      "close a port for good",
      "remove a nat rule",
      "stop exposing the server",
      "get rid of an inbound hole",
      "remove a port forward",
      "delete nat rule",
      "stop exposing a server",
      "server is gone, close its hole",
      "nobody should reach the nas from outside any more",
    ],
  }),
];

/** An empty source means everybody, which the console writes `any`. */
function anySource(data: Row): Row {
  return data.src_ip === "" ? { src_ip: "any" } : {};
}
