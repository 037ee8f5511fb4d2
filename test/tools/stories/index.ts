/** Every story; a tool that stands in none fails the walk. */
import dns from "./dns.ts";
import type { Story } from "./story.ts";

export const STORIES: readonly Story[] = [dns];
