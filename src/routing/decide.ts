/** May this principal run this tool at this place: role ∩ consent ∩ scope. The agent's own gates come on top (design 4). */
import type { Decision } from "../audit/audit.ts";
import { EdgeError } from "../errors.ts";
import {
  ACTIONS_OF_ROLE,
  type Action,
  coversLocation,
  hintForScope,
  holdsScope,
  type Principal,
  SCOPE_OF_ACTION,
} from "../principal.ts";

export interface Question {
  readonly tool: string;
  readonly action: Action;
  /** Location id; undefined where a tool belongs to no place. */
  readonly location: string | undefined;
}

export type Verdict =
  | { readonly allowed: true; readonly reason: string }
  | { readonly allowed: false; readonly error: EdgeError };

/** Rows are asked in order; the first that objects decides, and names itself. */
const RULES: readonly ((principal: Principal, question: Question) => EdgeError | undefined)[] = [
  function consentCoversLocation(principal, { location }) {
    if (location === undefined || coversLocation(principal, location)) return undefined;
    return new EdgeError("LOCATION_UNKNOWN", `There is no location "${location}" that you may see.`);
  },
  function roleAllows(principal, { tool, action }) {
    if (ACTIONS_OF_ROLE[principal.role].includes(action)) return undefined;
    return new EdgeError("PERMISSION_DENIED", `Your role "${principal.role}" may not run ${tool} (${action}).`, {
      hint: "An administrator can change the role: unifi-edge user role.",
    });
  },
  function scopeAllows(principal, { tool, action }) {
    const needed = SCOPE_OF_ACTION[action];
    if (holdsScope(principal.scopes, needed)) return undefined;
    return new EdgeError(
      "INSUFFICIENT_SCOPE",
      `${tool} needs the scope ${needed}, which this connection was not granted.`,
      {
        hint: hintForScope(needed),
        details: {
          required_scopes: ["unifi:read", needed].filter((scope, index, all) => all.indexOf(scope) === index),
        },
      },
    );
  },
];

export function decide(principal: Principal, question: Question): Verdict {
  for (const rule of RULES) {
    const error = rule(principal, question);
    if (error) return { allowed: false, error };
  }
  return { allowed: true, reason: `role ${principal.role}, scope ${SCOPE_OF_ACTION[question.action]}` };
}

/** The audit record of a verdict. */
export function decisionRecord(
  principal: Principal,
  question: Question,
  verdict: Verdict,
  facts: { atMs: number; site: string | undefined; callId: string | undefined; argumentsHash: string | undefined },
): Decision {
  const { subject, org, grant, client } = principal;
  return {
    ...facts,
    principal: { subject, org, grant, client },
    tool: question.tool,
    action: question.action,
    location: question.location,
    verdict: verdict.allowed ? "allowed" : "denied",
    reason: verdict.allowed ? verdict.reason : verdict.error.message,
  };
}
