/** Port forwards, whole and simple. */
import assert from "node:assert/strict";
import type { Story } from "./story.ts";

const FORWARDS = "/api/s/default/rest/portforward";
const DEFAULTS = { pfwd_interface: "wan", enabled: true, src: "any", log: false };

const portForwards: Story = {
  about: "port forwards",
  steps: [
    { tool: "unifi_list_port_forwards", holds: ({ count }) => assert.ok(Number(count) > 0) },
    {
      tool: "unifi_create_port_forward",
      args: {
        port_forward_data: { name: "Web", dst_port: "8443", fwd_port: "443", fwd_ip: "192.168.1.10", protocol: "tcp" },
      },
      sent: [
        {
          method: "POST",
          path: FORWARDS,
          body: { ...DEFAULTS, name: "Web", dst_port: "8443", fwd_port: "443", fwd: "192.168.1.10", proto: "tcp" },
        },
      ],
      holds: ({ port_forward_id: id }, { kept }) => {
        assert.equal(typeof id, "string");
        kept.id = id;
      },
    },
    {
      tool: "unifi_get_port_forward",
      args: ({ kept }) => ({ port_forward_id: kept.id }),
      holds: ({ details }) => assert.partialDeepStrictEqual(details, { name: "Web", fwd_port: "443" }),
    },
    {
      tool: "unifi_update_port_forward",
      args: ({ kept }) => ({ port_forward_id: kept.id, update_data: { src_ip: "203.0.113.0/24", log: true } }),
      sent: ({ kept }) => [{ method: "PUT", path: `${FORWARDS}/${String(kept.id)}` }],
    },
    {
      tool: "unifi_toggle_port_forward",
      args: ({ kept }) => ({ port_forward_id: kept.id }),
      sent: ({ kept }) => [{ method: "PUT", path: `${FORWARDS}/${String(kept.id)}` }],
    },
    {
      tool: "unifi_delete_port_forward",
      args: ({ kept }) => ({ port_forward_id: kept.id }),
      sent: ({ kept }) => [{ method: "DELETE", path: `${FORWARDS}/${String(kept.id)}` }],
    },
    {
      tool: "unifi_create_simple_port_forward",
      args: { rule: { name: "Game", ext_port: "27015", to_ip: "192.168.1.11" } },
      sent: [
        {
          method: "POST",
          path: FORWARDS,
          body: {
            ...DEFAULTS,
            name: "Game",
            dst_port: "27015",
            fwd_port: "27015",
            fwd: "192.168.1.11",
            proto: "tcp_udp",
          },
        },
      ],
    },
  ],
};

export default portForwards;
