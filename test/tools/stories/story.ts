/** A story: one category's tools used in order against one simulated console, each with what must come of it. */
import type { Row } from "../../../src/controller/controller.ts";
import type { ErrorCode } from "../../../src/errors.ts";
import type { Simulator } from "../../../src/simulator/simulator.ts";
import type { Persona } from "../../../src/simulator/world.ts";
import type { Payload } from "../../../src/tools/tool.ts";

/** What a step may look at to find its arguments and to judge what came of it. */
export interface Scene {
  readonly simulator: Simulator;
  readonly persona: Persona;
  /** Runs a read by name, its arguments and answer checked by its schemas. */
  read(tool: string, args?: Row): Promise<Payload>;
  /** First row of a named list of a read's answer; throws where there is none. */
  first(tool: string, list: string, args?: Row): Promise<Row>;
  /** What earlier steps kept under a name (an id that a create answered). */
  readonly kept: Record<string, unknown>;
}

/** A request as the console got it; `path` without the prefix of UniFi OS. `body` is compared whole where given. */
export interface Sent {
  readonly method: string;
  readonly path: string | RegExp;
  readonly body?: Row;
}

export interface Step {
  readonly tool: string;
  readonly args?: Row | ((scene: Scene) => Row | Promise<Row>);
  /** Writes: the exact changing requests, in order. */
  readonly sent?: readonly Sent[] | ((scene: Scene) => readonly Sent[]);
  /** What a read answered or a write applied, looked at for its right values; also the place to keep ids. */
  readonly holds?: (answer: Payload, scene: Scene) => void | Promise<void>;
  /** Where the console does not offer it: the code that says so. Steps after it go on. */
  readonly refused?: Partial<Readonly<Record<Persona, ErrorCode>>>;
  /** Sets the simulated console up before the step: a device out of date, a table that is empty. */
  readonly before?: (scene: Scene) => void | Promise<void>;
}

export interface Story {
  readonly about: string;
  readonly steps: readonly Step[];
}
