/** What the pages' forms may hold, and how far an authorization has come. */
import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { EdgeError } from "../errors.ts";
import type { ConsentAnswer } from "./consent.ts";

const Form = Type.Object({
  step: Type.Union(["client", "sign-in", "organisation", "consent"].map((step) => Type.Literal(step))),
  token: Type.String({ maxLength: 64 }),
  answer: Type.String({ maxLength: 32 }),
  name: Type.Optional(Type.String({ maxLength: 256 })),
  password: Type.Optional(Type.String({ maxLength: 1024 })),
  organisation: Type.Optional(Type.String({ maxLength: 64 })),
  access: Type.Optional(Type.String({ maxLength: 32 })),
  where: Type.Optional(Type.String({ maxLength: 16 })),
  location: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 1000 })])),
});
export type Form = Static<typeof Form>;
const formValidator = Compile(Form);

/** How far this authorization has come; kept in the provider's interaction record, as a `result` it does not act on. */
const Progress = Type.Object({
  /** Hash of the browser that agreed to continue. */
  browser: Type.String(),
  account: Type.Optional(Type.String()),
  org: Type.Optional(Type.String()),
});
export type Progress = Static<typeof Progress>;
const progressValidator = Compile(Progress);

/** What the provider's record says of our progress; undefined before the person continued. */
export function progressOf(result: unknown): Progress | undefined {
  return progressValidator.Check(result) ? result : undefined;
}

/** The posted form. Throws ARGUMENTS_INVALID. */
export function formOf(body: unknown): Form {
  if (formValidator.Check(body)) return body;
  throw new EdgeError("ARGUMENTS_INVALID", "The form was incomplete.");
}

/** What the consent form says; undefined when it is no choice among what was shown. */
export function consentAnswer(form: Form, locations: readonly string[]): ConsentAnswer | undefined {
  const access = form.access;
  if (access !== "unifi:read" && access !== "unifi:write" && access !== "unifi:admin") return undefined;
  if (form.where === "all") return { access, locations: "all" };
  const chosen = [form.location ?? []].flat();
  const areKnown = chosen.every((id) => locations.includes(id));
  return form.where === "chosen" && chosen.length > 0 && areKnown ? { access, locations: chosen } : undefined;
}
