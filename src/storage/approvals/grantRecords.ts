// The file of approvals, record by record: one that cannot be read takes no other along and stays as it is.
import type { GrantRecord } from "../../core/grant.ts";
import { isRecord, parseJson } from "../files.ts";

export interface GrantFile {
	grants: readonly GrantRecord[];
	/** Records that cannot be read, a character for each of their bytes. */
	unreadable: readonly string[];
}

/** Undefined where they are no list at all. */
export function parseGrantFile(bytes: Uint8Array): GrantFile | undefined {
	const whole = Buffer.from(bytes).toString("latin1").replace(MARK, "").replace(EDGES, "");
	if (!whole.startsWith("[")) return undefined;
	const grants: GrantRecord[] = [];
	const unreadable: string[] = [];
	for (const element of elementsOf(whole.slice(1, whole.length > 1 && whole.endsWith("]") ? -1 : undefined))) {
		const value = parseJson(Buffer.from(element, "latin1").toString());
		if (isGrant(value)) grants.push(value);
		else unreadable.push(element);
	}
	return { grants, unreadable };
}

export function serializeGrantFile({ grants, unreadable }: GrantFile): Uint8Array {
	const known = grants.map((grant) => Buffer.from(JSON.stringify(grant, undefined, "\t").replaceAll("\n", "\n\t")).toString("latin1"));
	const records = [...known, ...unreadable];
	return Buffer.from(records.length === 0 ? "[]\n" : `[\n${records.map((record) => `\t${record}`).join(",\n")}\n]\n`, "latin1");
}

/** The byte order mark. */
const MARK = /^\xEF\xBB\xBF/;
/** What JSON takes for spaces, at either end. */
const EDGES = /^[ \t\r\n]+|[ \t\r\n]+$/g;

/** What stands between the commas of a list. A text ends with its line: JSON has none that goes on. */
function elementsOf(list: string): string[] {
	const elements: string[] = [];
	let [start, depth, inText] = [0, 0, false];
	const end = (at: number): void => {
		const element = list.slice(start, at).replace(EDGES, "");
		if (element !== "") elements.push(element);
		start = at + 1;
	};
	for (let at = 0; at < list.length; at += 1) {
		const letter = list[at] as string;
		if (inText && letter === "\\") at += 1;
		else if (inText) inText = letter !== '"' && letter !== "\n";
		else if (letter === '"') inText = true;
		else if (letter === "{" || letter === "[") depth += 1;
		else if (letter === "}" || letter === "]") depth = Math.max(0, depth - 1);
		else if (letter === "," && depth === 0) end(at);
	}
	end(list.length);
	return elements;
}

const TEXTS = ["agent", "tool", "class", "workspace", "at"];
const MAYBE_TEXTS = ["scriptsHash", "definition", "place"];
const MAYBE_FLAGS = ["external", "line", "listed", "written"];

function isGrant(value: unknown): value is GrantRecord {
	if (!isRecord(value)) return false;
	const may = (type: string, fields: readonly string[]) =>
		fields.every((field) => value[field] === undefined || typeof value[field] === type);
	const { bound } = value;
	const names = bound === undefined || (Array.isArray(bound) && bound.every((name) => typeof name === "string"));
	return names && TEXTS.every((field) => typeof value[field] === "string") && may("string", MAYBE_TEXTS) && may("boolean", MAYBE_FLAGS);
}
