/** A new password from the terminal, twice and unseen, or one line of standard input: never from the command line. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { EdgeError } from "../errors.ts";

export async function readNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) return firstLine();
  const first = await askUnseen("New password: ");
  if ((await askUnseen("The same again: ")) === first) return first;
  throw new EdgeError("ARGUMENTS_INVALID", "The two passwords differ; nothing was changed.");
}

async function firstLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
  } finally {
    lines.close();
  }
  throw new EdgeError("ARGUMENTS_INVALID", "No password was given: write it to standard input, as one line.");
}

async function askUnseen(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  lines.on("SIGINT", () => process.exit(130));
  try {
    return await lines.question("");
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}
