/** The command line's manners: short help for every command, wrong usage is status 2, and no stack for people. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Command } from "commander";
import { COMMANDS, main } from "../../src/cli/main.ts";
import { EdgeError } from "../../src/errors.ts";

/** More would be a manual; the simulator's list of faults is the longest. */
const MAX_HELP_LINES = 50;

test("every command has a help of few lines that opens with its usage", async () => {
  for (const { name, summary, load } of COMMANDS) {
    let help = "";
    const command = new Command(name).description(summary).configureOutput({
      writeOut: (text) => {
        help += text;
      },
    });
    (await load()).describe(command);

    command.outputHelp();

    const lines = help.split("\n");
    assert.equal(lines[0]?.startsWith(`Usage: ${name} `), true, name);
    assert.equal(lines[2], summary);
    assert.equal(lines.length <= MAX_HELP_LINES, true, `${name}: ${lines.length} lines`);
  }
});

/** Runs a command that fails in this way; returns the exit status and what is written to standard error. */
async function failing(t: TestContext, failure: unknown, argv = ["fail"]) {
  const written: unknown[] = [];
  t.mock.method(console, "error", (...parts: unknown[]) => void written.push(...parts));
  t.mock.method(process.stderr, "write", (text: string) => written.push(text.trim()) > 0);
  const describe = (command: Command) =>
    void command.action(async () => {
      throw failure;
    });
  const status = await main(argv, [{ name: "fail", summary: "Fails.", load: async () => ({ describe }) }]);
  t.mock.restoreAll();
  return { status, written };
}

test("a known failure is its message and its hint", async (t) => {
  const error = new EdgeError("AGENT_OFFLINE", "It is offline.", { hint: "Start it." });

  const { status, written } = await failing(t, error);

  assert.deepEqual([status, written], [1, ["unifi-edge: It is offline.\nStart it."]]);
});

test("wrong settings and wrong usage are status 2", async (t) => {
  const settings = await failing(t, new EdgeError("CONFIG_INVALID", "Two settings are wrong."));
  const usage = await failing(t, undefined, ["fial"]);

  assert.deepEqual([settings.status, usage.status], [2, 2]);
  assert.match(String(usage.written[0]), /unknown command 'fial'/);
});

test("an unexpected failure is a line that tells how to see more", async (t) => {
  const { status, written } = await failing(t, new TypeError("cannot read it"));

  assert.equal(status, 1);
  assert.deepEqual(written, [
    "unifi-edge: unexpected failure: cannot read it",
    "Set UNIFI_EDGE_DEBUG=1 to see where it comes from.",
  ]);
});

test("with UNIFI_EDGE_DEBUG the error itself follows, with its stack", async (t) => {
  const error = new TypeError("cannot read it");
  process.env.UNIFI_EDGE_DEBUG = "1";
  t.after(() => delete process.env.UNIFI_EDGE_DEBUG);

  const { written } = await failing(t, error);

  assert.deepEqual(written, ["unifi-edge: unexpected failure: cannot read it", error]);
});
