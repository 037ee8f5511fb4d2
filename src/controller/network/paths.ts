/** Paths of the Network application: which family one belongs to, its prefix on UniFi OS, and what no path may contain. */
import { EdgeError } from "../../errors.ts";
import type { ControllerType } from "./options.ts";

/** The three surfaces, each with its own envelope. */
export type Family = "v1" | "v2" | "integration";

const OS_PREFIX = "/proxy/network";
const LONGEST_PATH = 4096;

export function familyOf(path: string): Family {
  if (path.startsWith("/v2/")) return "v2";
  return path.startsWith("/integration/") ? "integration" : "v1";
}

/** The path below the Network application, whether it came with the UniFi OS prefix or without. */
export function barePath(path: string): string {
  return path.startsWith(`${OS_PREFIX}/`) ? path.slice(OS_PREFIX.length) : path;
}

/** A bare path as it goes on the wire. */
export function wirePath(type: ControllerType, path: string): string {
  return type === "proxy" ? OS_PREFIX + path : path;
}

/**
 * The one place that keeps a path inside the console's API: no other host, no climbing, no hidden separators.
 *
 * @throws EdgeError ARGUMENTS_INVALID
 */
export function refuseUnsafe(path: string): void {
  const problem = problemOf(path);
  if (problem !== undefined) {
    throw new EdgeError("ARGUMENTS_INVALID", `The console path is refused: ${problem}.`, {
      hint: "Give a plain path below the Network API, for example /api/s/default/stat/health.",
    });
  }
}

function problemOf(path: string): string | undefined {
  if (path.length > LONGEST_PATH) return `it is longer than ${LONGEST_PATH} characters`;
  if (!path.startsWith("/")) return "it does not start with a slash";
  // anything else than visible ASCII must arrive percent-encoded
  if (!/^[\x21-\x7e]+$/.test(path)) return "it contains spaces, control or non-ASCII characters";
  if (/[\\#]/.test(path)) return "it contains a backslash or a fragment";
  const [route = ""] = path.split("?", 1);
  if (route.includes("//")) return "it contains an empty segment";
  return route.split("/").some(climbsWhenDecoded) ? "it contains a dot segment or an encoded separator" : undefined;
}

function climbsWhenDecoded(segment: string): boolean {
  let decoded = segment;
  try {
    // twice: a proxy in front may decode once more than the application
    for (let round = 0; round < 2; round += 1) decoded = decodeURIComponent(decoded);
  } catch {
    // a lone percent sign after the first round is data; before it, the path is malformed
    if (decoded === segment) return true;
  }
  // path parameters (`..;x`) are cut off by some servers before dots are resolved
  const name = decoded.split(";")[0] ?? "";
  return name === "." || name === ".." || /[/\\\0]/.test(decoded);
}
