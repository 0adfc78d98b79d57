// Finds the JSON object at the end of a message.

// Separate from the schemas: the webview imports this file and must not load a schema library.

interface TrailingJson {
	/** The text before the object and its fence. */
	prose: string;
	value: Record<string, unknown>;
	/** Other objects in the message. */
	others: Record<string, unknown>[];
}

/** Limit of scanned characters, after which the message is treated as text: every unclosed brace starts a scan. */
const MAX_SCANNED = 4_000_000;

const FENCE = /^[ \t]{0,3}(`{3,}|~{3,})([^`]*)$/;

/** The object is bare or in one fence, and nothing follows it. */
export function parseTrailingJson(text: string): TrailingJson | undefined {
	const whole = text.trim();
	const closing = /\n[ \t]{0,3}(`{3,}|~{3,})$/.exec(whole);
	const body = (closing ? whole.slice(0, closing.index) : whole).trimEnd();
	if (!body.endsWith("}")) return undefined;
	const found = objectsIn(body);
	const last = found?.pop();
	if (!found || last?.end !== body.length) return undefined;
	const before = body.slice(0, last.start).trimEnd();
	const fence = openFence(before);
	if (closing ? fence?.marks !== closing[1] || !fence?.last : fence) return undefined;
	const prose = fence ? before.slice(0, fence.start).trimEnd() : before;
	return { prose, value: last.value, others: found.map(({ value }) => value) };
}

/** The fence that is open at the end of a text; `last` if its line is the last one. */
function openFence(text: string): { marks: string; start: number; last: boolean } | undefined {
	let open: { marks: string; start: number; last: boolean } | undefined;
	let start = 0;
	for (const line of text.split("\n")) {
		const [, marks, info = ""] = FENCE.exec(line) ?? [];
		const closes = open && marks?.startsWith(open.marks) && info.trim() === "";
		if (open) open.last = false;
		if (closes) open = undefined;
		else if (marks && !open) open = { marks, start, last: true };
		start += line.length + 1;
	}
	return open;
}

interface FoundObject {
	start: number;
	end: number;
	value: Record<string, unknown>;
}

/** Top-level JSON objects; undefined if the scan limit was reached. */
function objectsIn(text: string): FoundObject[] | undefined {
	const found: FoundObject[] = [];
	let remaining = MAX_SCANNED;
	for (let start = text.indexOf("{"); start >= 0; ) {
		const end = closingBrace(text, start);
		remaining -= (end ?? text.length) - start;
		if (remaining < 0) return undefined;
		const value = end === undefined ? undefined : parsed(text.slice(start, end));
		if (value && end !== undefined) found.push({ start, end, value });
		start = text.indexOf("{", value && end !== undefined ? end : start + 1);
	}
	return found;
}

function closingBrace(text: string, start: number): number | undefined {
	let depth = 0;
	let quoted = false;
	for (let index = start; index < text.length; index += 1) {
		const character = text[index];
		if (quoted) {
			if (character === "\\") index += 1;
			else if (character === '"') quoted = false;
		} else if (character === '"') quoted = true;
		else if (character === "{") depth += 1;
		else if (character === "}") {
			depth -= 1;
			if (depth === 0) return index + 1;
		}
	}
	return undefined;
}

function parsed(json: string): Record<string, unknown> | undefined {
	try {
		return JSON.parse(json) as Record<string, unknown>;
	} catch {
		return undefined;
	}
}
