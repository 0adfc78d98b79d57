// Labels of tool calls in the chat: an icon and a sentence for each status.
import type { ResultStatus, ToolCall } from "../../src/core/events.ts";
import { t } from "../../src/shared/l10n.ts";
import {
	callSentences,
	type Labels,
	type ListLabels,
	listLabels,
	type Sentences,
	type ToolName,
	textOf,
} from "../../src/shared/toolWords.ts";

/** `noTool`: no such tool exists. `asked`: shown by its approval card. `waiting`: not known to run yet. */
export type ToolCallStatus = ResultStatus | "running" | "asked" | "waiting" | "noTool";

/** Encloses each subject of a label, which is formatted differently. */
const MARK = "\u0000";

function mark(value: unknown): string {
	const text = oneLine(textOf(value).replaceAll(MARK, ""));
	return text && `${MARK}${text}${MARK}`;
}

export interface ToolCallLabel {
	icon: string;
	/** Pieces of the sentence, in order; a subject is, for example, a path. */
	parts: readonly { text: string; isSubject: boolean }[];
}

const BY_STATUS: Record<ToolCallStatus, (labels: Labels, name: string) => string> = {
	running: ([running]) => running,
	asked: ([, , plain]) => t("Waiting: {0}", plain),
	waiting: ([, , plain]) => t("Waiting: {0}", plain),
	ok: ([, done]) => done,
	error: ([, , plain]) => t("Failed: {0}", plain),
	denied: ([, , plain]) => t("Denied: {0}", plain),
	cancelled: ([, , plain]) => t("Stopped: {0}", plain),
	noTool: (_, name) => t("Unknown tool {0}", mark(displayName(name))),
	unknown: ([, , plain]) => t("Interrupted: {0}", plain),
};

export function toolCallLabel({ name, input }: ToolCall, status: ToolCallStatus): ToolCallLabel {
	const known = knownTool(name);
	const [icon] = known ? listLabels[known] : listLabelsOfOther(name);
	const sentences: Sentences = known ? callSentences[known] : () => sentencesOfOther(name);
	const parts = BY_STATUS[status](sentences(asRecord(input), mark), name)
		.split(MARK)
		.map((text, index) => ({ text, isSubject: index % 2 === 1 }));
	return { icon, parts: parts.filter(({ text }) => text !== "") };
}

/** Accessible name of a call's group. */
export function toolCallName(call: ToolCall, status: ToolCallStatus): string {
	return toolCallLabel(call, status)
		.parts.map(({ text }) => text)
		.join("")
		.trim();
}

/** Tools that count files, however often each of them was called for. */
const COUNTS_FILES: ReadonlySet<string> = new Set<ToolName>([
	...(["read_file", "list_directory", "get_file_info", "update_file", "create_file", "delete_file"] as const),
	...(["memory_read", "memory_write", "memory_patch", "memory_append"] as const),
]);

/** "Read 12 files · Searched 3 times": of calls that were carried out. */
export function summarizeToolCalls(calls: readonly ToolCall[]): string {
	const groups = new Map<unknown, { counted: ListLabels[1]; subjects: Set<string> }>();
	for (const [index, { name, input }] of calls.entries()) {
		const known = knownTool(name);
		const [, counted] = known ? listLabels[known] : listLabelsOfOther(name);
		const key = known ? counted : name;
		const group = groups.get(key) ?? { counted, subjects: new Set() };
		const path = COUNTS_FILES.has(name) ? textOf(asRecord(input)["path"]) : "";
		groups.set(key, { counted, subjects: group.subjects.add(path === "" ? `call ${index}` : `file ${path}`) });
	}
	return [...groups.values()].map(({ counted, subjects }) => counted(subjects.size)).join(" · ");
}

/** Says what the calls have done, and the first of those that have no result yet; of calls that did nothing, the latest. */
export function summarizeProgress(calls: readonly { call: ToolCall; status: ToolCallStatus }[]): string {
	const done = summarizeToolCalls(calls.filter(({ status }) => status === "ok").map(({ call }) => call));
	const open = calls.find(({ status }) => status === "running" || status === "waiting");
	const shown = open ?? (done === "" ? calls.at(-1) : undefined);
	return [done, shown ? toolCallName(shown.call, shown.status) : ""].filter((part) => part !== "").join(" · ");
}

/** `hasOwn`, because a model may name a tool like a property of Object.prototype. */
function knownTool(name: string): ToolName | undefined {
	if (name === "grep") return "search_code";
	return Object.hasOwn(callSentences, name) ? (name as ToolName) : undefined;
}

/** Labels for a tool from a server or another extension. */
function sentencesOfOther(name: string): Labels {
	const subject = mark(displayName(name));
	return [t("Using {0}", subject), t("Used {0}", subject), t("Use {0}", subject)];
}

function listLabelsOfOther(name: string): ListLabels {
	return ["tools", (count) => (count === 1 ? t("Used {0} once", name) : t("Used {0} {1} times", name, count))];
}

/** "server · tool" */
function displayName(tool: string): string {
	return tool.replace(/^mcp__/, "").replace("__", " · ");
}

export function asRecord(input: unknown): Record<string, unknown> {
	return typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : {};
}

function oneLine(text: string): string {
	const line = text.trim().replace(/\s+/g, " ");
	return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
