/** What a client's model is told once, at `initialize` or `server/discover`. */

export function instructionsFor(located: boolean): string {
  return [
    "Manages UniFi consoles. Find a tool with unifi_tool_index (search by words), then run it with unifi_execute.",
    "Writes answer with a preview first; show it to the person, then call again the way the preview says.",
    ...(located
      ? ["Reads without location ask every location; a write names exactly one (unifi_list_locations)."]
      : []),
    "A failure says what was executed (no, maybe, yes) and whether a retry can help: never repeat a write that is maybe done.",
  ].join(" ");
}
