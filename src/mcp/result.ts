/** CallToolResult as bytes: the tool's own answer is spliced in, a structured one as it is, so that must be whole JSON. */
import { type EdgeError, failureResult } from "../errors.ts";
import type { Outcome } from "./execution.ts";

/** How much text stands beside structuredContent. */
export type ContentMode = "full" | "adaptive";

/** What every era's result begins with; what follows the head differs (`resultType`, `_meta`). */
export interface ToolAnswer {
  /** A CallToolResult's JSON without its closing brace. */
  readonly head: Buffer;
  readonly delivered?: () => void;
}

export interface Shape {
  /**
   * A catalogue tool called by its own name: clients that saw its outputSchema demand structuredContent. Its outcome was
   * asked for as `whole`.
   */
  readonly structured: boolean;
  readonly contentMode: ContentMode;
}

/** Meta-tools answer with one JSON text block, so that an answer is paid for once (design 3.1). */
export const TEXT_ONLY: Shape = { structured: false, contentMode: "full" };

export function answerOf(outcome: Outcome, shape: Shape): ToolAnswer {
  return {
    head: headOf(outcome, shape),
    ...(outcome.delivered === undefined ? {} : { delivered: outcome.delivered }),
  };
}

/** `json` = the text of one JSON object that we made ourselves. */
export function jsonAnswer(json: string, isError = false): ToolAnswer {
  return answerOf({ isError, type: "json", body: Buffer.from(json) }, TEXT_ONLY);
}

export function failureAnswer(error: EdgeError, shape: Shape): ToolAnswer {
  return answerOf({ isError: true, type: "json", body: Buffer.from(JSON.stringify(failureResult(error))) }, shape);
}

function headOf({ type, body, isError }: Outcome, { structured, contentMode }: Shape): Buffer {
  const failed = isError ? ',"isError":true' : "";
  if (type !== "json") {
    return Buffer.from(
      `{"content":[{"type":"image","data":"${body.toString("base64")}","mimeType":"${type}"}]${failed}`,
    );
  }
  if (!structured) return Buffer.from(`${textContent(body.toString("utf8"))}${failed}`);
  const text =
    contentMode === "full" || isError
      ? body.toString("utf8")
      : `The answer (${body.byteLength} bytes) is in structuredContent.`;
  return Buffer.concat([Buffer.from(`${textContent(text)},"structuredContent":`), body, Buffer.from(failed)]);
}

const textContent = (text: string) => `{"content":[{"type":"text","text":${JSON.stringify(text)}}]`;
