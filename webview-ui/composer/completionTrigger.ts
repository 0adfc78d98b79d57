// Finds the completion trigger at the cursor: an @, or a slash that starts the message.

// Pure functions.

export interface CompletionTrigger {
	kind: "mention" | "slash";
	/** Range that the item replaces, including the trigger character. */
	from: number;
	to: number;
	/** Text after the trigger character. */
	query: string;
}

export function findTrigger(text: string, cursor: number): CompletionTrigger | undefined {
	const before = text.slice(0, cursor);
	const slash = /^\/([a-z][a-z0-9_-]*|)$/i.exec(before);
	if (slash) return { kind: "slash", from: 0, to: wordEnd(text, cursor), query: slash[1] ?? "" };
	const mention = /(?:^|[\s([{'„“‘<])@("[^"\n]*|[^\s"]*)$/.exec(before);
	const query = mention?.[1];
	if (query === undefined || isPlace(query)) return undefined;
	return { kind: "mention", from: cursor - query.length - 1, to: wordEnd(text, cursor), query };
}

/** Line numbers after a complete path. */
function isPlace(query: string): boolean {
	return /:\d*(-\d*)?$/.test(query) && !/^https?:/i.test(query);
}

function wordEnd(text: string, cursor: number): number {
	const rest = /^[^\s"]*/.exec(text.slice(cursor));
	return cursor + (rest?.[0].length ?? 0);
}
