/** Reads and checks a manifest: the packaged `tools_manifest.json`, or the bytes that an agent showed. */
import { readFileSync } from "node:fs";
import Type from "typebox";
import { Compile } from "typebox/compile";
import { EdgeError } from "../errors.ts";
import { ACTIONS } from "../principal.ts";
import { APPS, type Manifest } from "./manifest.ts";

const Hint = Type.Boolean();
const Name = Type.String({ minLength: 1, maxLength: 128 });

const ManifestToolSchema = Type.Object({
  name: Name,
  title: Type.String(),
  summary: Type.String(),
  description: Type.String(),
  app: Type.Enum([...APPS]),
  category: Type.String(),
  permission_category: Type.String(),
  permission_action: Type.Enum([...ACTIONS]),
  classed_by: Type.Optional(Type.Object({ argument: Name, read: Type.Array(Type.String()) })),
  annotations: Type.Object({
    readOnlyHint: Hint,
    destructiveHint: Hint,
    idempotentHint: Hint,
    openWorldHint: Hint,
  }),
  confirm: Type.Enum(["none", "flag", "token"]),
  aliases: Type.Optional(Type.Record(Type.String(), Type.String())),
  macs: Type.Optional(Type.Array(Type.String())),
  schema: Type.Object({
    input: Type.Record(Type.String(), Type.Unknown()),
    output: Type.Record(Type.String(), Type.Unknown()),
  }),
});

const ManifestSchema = Compile(
  Type.Object({
    format: Type.Literal(1),
    generated_by: Type.String(),
    count: Type.Integer({ minimum: 0 }),
    reference: Type.Object({
      network: Type.Array(
        Type.Object({
          method: Type.String(),
          path: Type.String(),
          purpose: Type.String(),
          tools: Type.Array(Type.String()),
        }),
      ),
    }),
    tools: Type.Array(ManifestToolSchema),
  }),
);

/** The manifest in a file of this package. Throws CONFIG_INVALID naming the file. */
export function loadManifest(path: string | URL): Manifest {
  try {
    return parseManifest(readFileSync(path, "utf8"));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EdgeError("CONFIG_INVALID", `The tools manifest ${String(path)} cannot be used: ${why}`, { cause });
  }
}

/** Checks a manifest's text, whoever wrote it. Throws PROTOCOL_ERROR when it is none. */
export function parseManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new EdgeError("PROTOCOL_ERROR", "The manifest is not JSON.", { cause });
  }
  if (!ManifestSchema.Check(value)) {
    const first = ManifestSchema.Errors(value)[0];
    throw new EdgeError("PROTOCOL_ERROR", `The manifest is wrong at ${first?.instancePath}: ${first?.message}.`);
  }
  // the schema above states Manifest's fields one by one; only readonly is lost in Static
  return value as Manifest;
}
