/** What stands in documents and in code alike is compared. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { staleDocuments } from "../deploy/docs.ts";
import { COMMANDS } from "../src/cli/main.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`),
];

test("generated documents are as the code says (else: npm run docs)", () => {
  assert.deepEqual(staleDocuments(), []);
});

test("every link from a document to a file of the project leads somewhere", () => {
  const broken = documents.flatMap((document) => {
    const text = readFileSync(join(ROOT, document), "utf8");
    return [...text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)]
      .map((match) => match[1] ?? "")
      .filter((target) => !existsSync(join(ROOT, document, "..", target)))
      .map((target) => `${document} → ${target}`);
  });

  assert.deepEqual(broken, []);
});

test("the README names every command", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");

  assert.deepEqual(
    COMMANDS.map(({ name }) => name).filter(
      (name) => !readme.includes(`\`${name}\``) && !readme.includes(`unifi-edge ${name}`),
    ),
    [],
  );
});
