/** Runs a declared tool by name as the agent would: checked arguments in, checked answer out. */
import assert from "node:assert/strict";
import { type TSchema, Type } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import type { Row } from "../../src/controller/controller.ts";
import { EdgeError, type ErrorCode } from "../../src/errors.ts";
import { TOOLS } from "../../src/tools/index.ts";
import type { Payload, Plan, Tool, ToolContext } from "../../src/tools/tool.ts";

export function toolNamed(name: string): Tool {
  const tool = TOOLS.find((candidate) => candidate.name === name);
  assert.ok(tool, `${name} is declared`);
  return tool;
}

/** Compiled once a tool: a hundred cases use the same few. */
const validators = new Map<string, Validator>();

function validatorOf(key: string, schema: TSchema): Validator {
  const known = validators.get(key) ?? Compile(schema);
  validators.set(key, known);
  return known;
}

/** The problems that the tool's input schema has with the arguments. */
export function problemsOf(name: string, args: Row): readonly string[] {
  return [...validatorOf(`${name} input`, toolNamed(name).input).Errors(args)].map(
    (error) => `${error.instancePath} ${error.message}`,
  );
}

function checked(name: string, args: Row): Tool {
  assert.deepEqual(problemsOf(name, args), [], `${name} takes these arguments`);
  return toolNamed(name);
}

export async function read(context: ToolContext, name: string, args: Row = {}): Promise<Payload> {
  const tool = checked(name, args);
  assert.ok(tool.run, `${name} reads`);
  const payload = await tool.run(context, args);
  const problems = [...validatorOf(`${name} output`, Type.Object(tool.output)).Errors(payload)];
  assert.deepEqual(problems, [], `${name} answers as its output schema says`);
  return payload;
}

export async function planOf(context: ToolContext, name: string, args: Row): Promise<Plan> {
  const tool = checked(name, args);
  assert.ok(tool.plan, `${name} writes`);
  return tool.plan(context, args);
}

/** For assert.rejects: our error with this code, and nothing of the console in its text. */
export function withCode(code: ErrorCode, text?: RegExp) {
  return (thrown: unknown): boolean => {
    assert.ok(thrown instanceof EdgeError, String(thrown));
    assert.equal(thrown.code, code, thrown.message);
    if (text !== undefined) assert.match(thrown.message, text);
    return true;
  };
}
