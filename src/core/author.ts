// Tells which authors' words and answers count as the user's.

// All others only inform the session.
import type { Author } from "./events.ts";

/** Where the person speaks from another place of the editor, or what they brought along of their own past. */
const OWN_CHANNELS: ReadonlySet<Author> = new Set<Author>(["channel:VS Code chat", "channel:import"]);

/** Another agent, or a channel from outside. */
export function isForeignAuthor(by: Author): by is `agent:${string}` | `channel:${string}` {
	return !OWN_CHANNELS.has(by) && /^(?:agent|channel):/.test(by);
}

/** Whether an author decides in the person's place: answers, approves, executes. */
export function mayDecide(by: Author): boolean {
	return by === "person" || by === "api";
}
