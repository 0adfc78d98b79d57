// Tells which authors' messages and answers count as the user's.

// Messages from all other authors only inform the session.
import type { Author } from "./events.ts";

/** The user speaking from elsewhere in the editor, or their own imported history. */
const OWN_CHANNELS: ReadonlySet<string> = new Set<Author>(["channel:VS Code chat", "channel:cli", "channel:import"]);

/** Another agent or an external channel. */
export function isForeignAuthor(by: string): by is `agent:${string}` | `channel:${string}` {
	return !OWN_CHANNELS.has(by) && /^(?:agent|channel):/.test(by);
}

/** Returns true if an author may decide for the user: answer, approve, execute. */
export function mayDecide(by: Author): boolean {
	return by === "person" || by === "api";
}
