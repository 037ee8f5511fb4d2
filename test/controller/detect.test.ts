/** Which kind of console: both rules, their disagreement, the override, and consoles that say nothing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { detectControllerType } from "../../src/controller/network/detect.ts";
import type { Exchange } from "../../src/controller/network/exchange.ts";

interface Probe {
  readonly root: number | Error;
  readonly proxy: number | Error;
}

function probing({ root, proxy }: Probe): { exchange: Exchange; asked: string[]; warnings: object[] } {
  const asked: string[] = [];
  const exchange: Exchange = async ({ path }) => {
    asked.push(path);
    const answer = path === "/" ? root : proxy;
    if (answer instanceof Error) throw answer;
    return { status: answer, header: () => undefined, setCookie: [], body: Buffer.alloc(0) };
  };
  return { exchange, asked, warnings: [] };
}

function detect(probe: ReturnType<typeof probing>, controllerType: "auto" | "proxy" | "direct" = "auto") {
  const log = {
    info: () => undefined,
    warn: (facts: object) => {
      probe.warnings.push(facts);
    },
    error: () => undefined,
  };
  return detectControllerType(probe.exchange, { controllerType, site: "default", log });
}

const down = new Error("reset");
const CASES: readonly (Probe & { readonly type: "proxy" | "direct"; readonly warned: number })[] = [
  { root: 200, proxy: 401, type: "proxy", warned: 0 },
  { root: 200, proxy: 403, type: "proxy", warned: 0 },
  { root: 200, proxy: 200, type: "proxy", warned: 0 },
  { root: 302, proxy: 404, type: "direct", warned: 0 },
  { root: 307, proxy: 400, type: "direct", warned: 0 },
  { root: 302, proxy: 401, type: "proxy", warned: 1 },
  { root: 200, proxy: 404, type: "direct", warned: 1 },
  { root: 502, proxy: 401, type: "proxy", warned: 0 },
  { root: 200, proxy: 502, type: "proxy", warned: 0 },
  { root: 302, proxy: 503, type: "direct", warned: 0 },
  { root: 404, proxy: 404, type: "direct", warned: 0 },
  { root: down, proxy: 401, type: "proxy", warned: 0 },
  { root: 302, proxy: down, type: "direct", warned: 0 },
];

for (const { root, proxy, type, warned } of CASES) {
  test(`root ${nameOf(root)} and probe ${nameOf(proxy)} mean ${type}${warned ? ", with a warning" : ""}`, async () => {
    const probe = probing({ root, proxy });

    const found = await detect(probe);

    assert.equal(found, type);
    assert.equal(probe.warnings.length, warned);
    assert.deepEqual(probe.asked, ["/", "/proxy/network/api/s/default/stat/health"]);
  });
}

test("a console that answers neither rule is unreachable for now", async () => {
  await assert.rejects(detect(probing({ root: 502, proxy: 429 })), {
    code: "CONTROLLER_UNREACHABLE",
    executed: "no",
    hint: /UNIFI_CONTROLLER_TYPE.*unifi-edge doctor/,
  });
});

test("a set type is believed without asking", async () => {
  const probe = probing({ root: 200, proxy: 401 });

  const found = await detect(probe, "direct");

  assert.equal(found, "direct");
  assert.deepEqual(probe.asked, []);
});

function nameOf(answer: number | Error): string {
  return answer instanceof Error ? "failing" : String(answer);
}
