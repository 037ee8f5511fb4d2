/** VPN clients, site-to-site tunnels and VPN servers, with secrets that must not show. */
import assert from "node:assert/strict";
import { isRow } from "../../../src/tools/rows.ts";
import type { Scene, Story } from "./story.ts";

const NETWORKS = "/api/s/default/rest/networkconf";
const SECRET = "c2VjcmV0LWtleS1vZi10aGUtdHVubmVsLW5vYm9keS1zZWU=";

/** VPNs as the console's own pages make them: the catalogue has no tool that does. */
function threeVpns({ simulator, kept }: Scene): void {
  const site = simulator.state.sites.get("default");
  assert.ok(site);
  const add = (name: string, row: Record<string, unknown>) => {
    kept[name] = simulator.state.newId();
    site.tables.networkconf.push({ _id: kept[name], site_id: site.id, name, ...row });
  };
  add("provider", {
    purpose: "vpn-client",
    vpn_type: "wireguard-client",
    wireguard_client_mode: "file",
    wireguard_client_configuration_file: `[Interface]\nPrivateKey = ${SECRET}`,
    wireguard_client_peer_ip: "203.0.113.9",
    wireguard_client_peer_port: 51_820,
    x_wireguard_private_key: SECRET,
  });
  add("branch", {
    purpose: "site-vpn",
    vpn_type: "ipsec-vpn",
    enabled: true,
    ipsec_peer_ip: "203.0.113.7",
    remote_vpn_subnets: ["10.40.0.0/22"],
    x_ipsec_pre_shared_key: SECRET,
  });
  add("people", {
    purpose: "remote-user-vpn",
    vpn_type: "wireguard-server",
    enabled: true,
    ip_subnet: "192.168.99.1/24",
    local_port: 51_820,
    x_wireguard_private_key: SECRET,
  });
}

function withoutSecret(answer: unknown): void {
  assert.ok(!JSON.stringify(answer).includes(SECRET), "no key shows");
}

const vpn: Story = {
  about: "VPNs",
  steps: [
    {
      tool: "unifi_list_vpn_clients",
      before: threeVpns,
      holds: (answer, { kept }) => {
        withoutSecret(answer);
        assert.deepEqual(answer.vpn_clients, [
          {
            _id: kept.provider,
            name: "provider",
            enabled: true,
            kind: "client",
            purpose: "vpn-client",
            vpn_type: "wireguard-client",
            port: 51_820,
            peer: "203.0.113.9",
          },
          {
            _id: kept.branch,
            name: "branch",
            enabled: true,
            kind: "site-to-site",
            purpose: "site-vpn",
            vpn_type: "ipsec-vpn",
            peer: "203.0.113.7",
            remote_subnets: ["10.40.0.0/22"],
          },
        ]);
      },
    },
    {
      tool: "unifi_get_vpn_client_details",
      args: ({ kept }) => ({ client_id: kept.provider }),
      holds: (answer) => {
        withoutSecret(answer);
        assert.equal(isRow(answer.details) && answer.details.wireguard_client_mode, "file");
      },
    },
    {
      tool: "unifi_update_vpn_client_state",
      args: ({ kept }) => ({ client_id: kept.branch, enabled: false }),
      sent: ({ kept }) => [{ method: "PUT", path: `${NETWORKS}/${String(kept.branch)}` }],
      holds: (answer, { kept, simulator }) => {
        withoutSecret(answer);
        const tables = simulator.state.sites.get("default")?.tables;
        const stored = tables?.networkconf.find((row) => row._id === kept.branch);
        assert.equal(stored?.enabled, false);
        assert.equal(stored.x_ipsec_pre_shared_key, SECRET, "the key is put back, not its mask");
      },
    },
    {
      tool: "unifi_delete_vpn_client",
      args: ({ kept }) => ({ client_id: kept.branch }),
      sent: ({ kept }) => [{ method: "DELETE", path: `${NETWORKS}/${String(kept.branch)}` }],
    },
    {
      tool: "unifi_list_vpn_servers",
      holds: (answer, { kept }) => {
        withoutSecret(answer);
        assert.deepEqual(answer.vpn_servers, [
          {
            _id: kept.people,
            name: "people",
            enabled: true,
            kind: "server",
            purpose: "remote-user-vpn",
            vpn_type: "wireguard-server",
            ip_subnet: "192.168.99.1/24",
            port: 51_820,
          },
        ]);
      },
    },
    {
      tool: "unifi_update_vpn_server_state",
      args: ({ kept }) => ({ server_id: kept.people, enabled: false }),
      sent: ({ kept }) => [{ method: "PUT", path: `${NETWORKS}/${String(kept.people)}` }],
    },
    {
      tool: "unifi_get_vpn_server_details",
      args: ({ kept }) => ({ server_id: kept.people }),
      holds: (answer) => {
        withoutSecret(answer);
        assert.equal(isRow(answer.details) && answer.details.enabled, false);
      },
    },
  ],
};

export default vpn;
