/** Frames to their handlers by type, as a table; a type without one is ignored. */
import type { Frame, FrameType } from "./frame.ts";

export type FrameHandlers = { readonly [T in FrameType]?: (frame: Extract<Frame, { t: T }>) => void };

export function dispatch(handlers: FrameHandlers, frame: Frame): void {
  // the row of a frame's own type takes that frame, which the compiler cannot follow through the look-up
  const handle = handlers[frame.t] as ((frame: Frame) => void) | undefined;
  handle?.(frame);
}
