/** Refuses browsers' requests from pages that are not ours (MCP transport: a present and invalid Origin gets 403). */
import { EdgeError } from "../../errors.ts";

/** `allowed` holds origins such as `https://app.example.com`. Non-browser clients send no Origin and pass. */
export function createOriginCheck(allowed: ReadonlySet<string>): (origin: string | undefined) => void {
  return (origin) => {
    if (origin === undefined || allowed.has(origin)) return;
    throw new EdgeError("PERMISSION_DENIED", "This Origin may not use the endpoint.", {
      hint: "The operator lists further origins in UNIFI_EDGE_ALLOWED_ORIGINS.",
    });
  };
}
