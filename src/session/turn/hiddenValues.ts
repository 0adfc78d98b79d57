// Blanks the person's secrets out of results before the model and the transcript have them, and refuses to write the blank.
import type { FileChange, ToolView } from "../../core/events.ts";
import type { Tool } from "../../core/ports/tool.ts";
import type { Services } from "../context.ts";

/** Stands where a secret was. */
export const REDACTED_VALUE = "[secret hidden by Troupe]";

/** Shorter values stand in half of all texts. */
const SHORTEST = 12;

/** What takes the secrets that are known now out of a text. */
export async function createRedactor({ hidden }: Pick<Services, "hidden">): Promise<(text: string) => string> {
	const known = (await hidden?.()) ?? [];
	// One that holds another goes first, or its rest would be left.
	const values = [...new Set(known)].filter(({ length }) => length >= SHORTEST).sort((left, right) => right.length - left.length);
	return (text) => values.reduce((left, value) => (left.includes(value) ? left.replaceAll(value, REDACTED_VALUE) : left), text);
}

export function redactView(view: ToolView, hide: (text: string) => string): ToolView {
	const shown = (change: FileChange): FileChange => ({ ...change, diff: hide(change.diff) });
	if (view.kind === "change") return { ...view, changes: view.changes.map(shown) };
	return view.kind === "command" ? { ...view, changed: view.changed.map(shown) } : view;
}

/** Why a call is refused that would write the blank where the secret was; undefined where it would not. */
export function redactedWriteReason({ edits, command, external, capabilities, plugin }: Tool, input: unknown): string | undefined {
	const writes = edits || command || external || (plugin !== "plan" && capabilities.some((capability) => capability.endsWith(".write")));
	if (!writes || !holdsBlank(input)) return undefined;
	return `“${REDACTED_VALUE}” stands for a secret that you are not shown: written down it would destroy it. Nothing ran. Leave the lines with the secret as they are, or ask the person.`;
}

function holdsBlank(value: unknown): boolean {
	if (typeof value === "string") return value.includes(REDACTED_VALUE);
	return typeof value === "object" && value !== null && Object.values(value).some(holdsBlank);
}
