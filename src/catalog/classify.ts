/** What a call would do: the permission action of a tool, or of one call where an argument decides. */
import type { Action } from "../principal.ts";
import type { Arguments } from "./arguments.ts";
import { type ManifestTool, propertiesOf } from "./manifest.ts";

/** A tool's declared action, or `read` where its classing argument says so; destructive counts as delete (design 4). */
export function actionOfCall(tool: ManifestTool, args: Arguments): Action {
  const classing = tool.classed_by;
  if (classing !== undefined) {
    const value = args[classing.argument] ?? propertiesOf(tool.schema.input)[classing.argument]?.default;
    return typeof value === "string" && classing.read.includes(value.toUpperCase()) ? "read" : "delete";
  }
  if (tool.permission_action === "read") return "read";
  return tool.annotations.destructiveHint ? "delete" : tool.permission_action;
}

/** The mildest thing the tool can do: what a caller must be allowed for the tool to be worth listing. */
export function mildestAction(tool: ManifestTool): Action {
  return tool.classed_by === undefined ? actionOfCall(tool, {}) : "read";
}
