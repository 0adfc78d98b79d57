// Labels of tool calls in the chat: an icon and a sentence for each status.
import type { ResultStatus, ToolCall } from "../../src/core/events.ts";
import { t } from "../../src/shared/l10n.ts";

/** `noTool`: no such tool exists. `asked`: shown by its approval card. `waiting`: not known to run yet. */
export type ToolCallStatus = ResultStatus | "running" | "asked" | "waiting" | "noTool";

/** Whole sentences; `plain` is the imperative. Each subject is enclosed in marks. */
type Labels = readonly [running: string, done: string, plain: string];
/** Labels for one and for several calls, in a list. */
type Counted = readonly [string, (count: number) => string];

interface ToolWords {
	icon: string;
	labels: (input: Record<string, unknown>) => Labels;
	counted: Counted;
}

/** Encloses each subject of a label, which is formatted differently. */
const MARK = "\u0000";

function mark(value: unknown): string {
	return `${MARK}${oneLine(word(value).replaceAll(MARK, ""))}${MARK}`;
}

/** Labels about one argument of the call. */
function about(argument: string, labels: (subject: string) => Labels): ToolWords["labels"] {
	return (input) => labels(mark(input[argument]));
}

const searchLabels = (subject: string): Labels => [
	t("Searching for {0}", subject),
	t("Searched for {0}", subject),
	t("Search for {0}", subject),
];
const searches: Counted = [t("Searched once"), (count) => t("Searched {0} times", count)];

const words: Record<string, ToolWords> = {
	read_file: {
		icon: "file",
		labels: about("path", (path) => [
			t("Reading {0}", path),
			t({ message: "Read {0}", args: [path], comment: ["done"] }),
			t("Read {0}", path),
		]),
		counted: [t("Read a file"), (count) => t("Read {0} files", count)],
	},
	list_directory: {
		icon: "folder",
		labels: about("path", (path) => [t("Listing {0}", path), t("Listed {0}", path), t("List {0}", path)]),
		counted: [t("Listed a folder"), (count) => t("Listed {0} folders", count)],
	},
	find_files: {
		icon: "files",
		labels: about("glob", (glob) => [
			t("Searching for files matching {0}", glob),
			t("Searched for files matching {0}", glob),
			t("Search for files matching {0}", glob),
		]),
		counted: [t("Searched for files"), (count) => t("Searched for files {0} times", count)],
	},
	get_file_info: {
		icon: "info",
		labels: about("path", (path) => [t("Checking {0}", path), t("Checked {0}", path), t("Check {0}", path)]),
		counted: [t("Checked a file"), (count) => t("Checked {0} files", count)],
	},
	search_code: { icon: "search", labels: about("pattern", searchLabels), counted: searches },
	search_symbol: { icon: "symbol-method", labels: about("query", searchLabels), counted: searches },
	use_skill: {
		icon: "book",
		labels: about("name", (name) => [t("Using the skill {0}", name), t("Used the skill {0}", name), t("Use the skill {0}", name)]),
		counted: [t("Used a skill"), (count) => t("Used {0} skills", count)],
	},
	get_diagnostics: {
		icon: "warning",
		labels: ({ path }) =>
			path
				? [
						t("Checking for problems in {0}", mark(path)),
						t("Checked for problems in {0}", mark(path)),
						t("Check for problems in {0}", mark(path)),
					]
				: [t("Checking for problems"), t("Checked for problems"), t("Check for problems")],
		counted: [t("Checked for problems"), (count) => t("Checked for problems {0} times", count)],
	},
	update_file: {
		icon: "edit",
		labels: about("path", (path) => [t("Editing {0}", path), t("Edited {0}", path), t("Edit {0}", path)]),
		counted: [t("Edited a file"), (count) => t("Edited {0} files", count)],
	},
	create_file: {
		icon: "new-file",
		labels: about("path", (path) => [t("Creating {0}", path), t("Created {0}", path), t("Create {0}", path)]),
		counted: [t("Created a file"), (count) => t("Created {0} files", count)],
	},
	delete_file: {
		icon: "trash",
		labels: about("path", (path) => [t("Deleting {0}", path), t("Deleted {0}", path), t("Delete {0}", path)]),
		counted: [t("Deleted a file"), (count) => t("Deleted {0} files", count)],
	},
	rename_file: {
		icon: "arrow-swap",
		labels: ({ from, to }) => [
			t("Renaming {0} to {1}", mark(from), mark(to)),
			t("Renamed {0} to {1}", mark(from), mark(to)),
			t("Rename {0} to {1}", mark(from), mark(to)),
		],
		counted: [t("Renamed a file"), (count) => t("Renamed {0} files", count)],
	},
	apply_patch: {
		icon: "diff",
		labels: ({ patch }) => {
			const files = patchedFiles(patch);
			if (files.length !== 1) {
				const count = mark(files.length);
				return [t("Patching {0} files", count), t("Patched {0} files", count), t("Patch {0} files", count)];
			}
			const file = mark(files[0]);
			return [t("Patching {0}", file), t("Patched {0}", file), t("Patch {0}", file)];
		},
		counted: [t("Applied a patch"), (count) => t("Applied {0} patches", count)],
	},
	execute_command: {
		icon: "terminal",
		labels: about("command", (command) => [t("Running {0}", command), t("Ran {0}", command), t("Run {0}", command)]),
		counted: [t("Ran a command"), (count) => t("Ran {0} commands", count)],
	},
	read_command_output: {
		icon: "output",
		labels: () => [t("Reading command output"), t({ message: "Read command output", comment: ["done"] }), t("Read command output")],
		counted: [t("Read command output once"), (count) => t("Read command output {0} times", count)],
	},
	web_fetch: {
		icon: "globe",
		labels: about("url", (url) => [t("Fetching {0}", url), t("Fetched {0}", url), t("Fetch {0}", url)]),
		counted: [t("Fetched a page"), (count) => t("Fetched {0} pages", count)],
	},
	present_plan: {
		icon: "checklist",
		labels: () => [t("Creating a plan"), t("Created a plan"), t("Create a plan")],
		counted: [t("Created a plan"), (count) => t("Created {0} plans", count)],
	},
	ask_question: {
		icon: "question",
		labels: () => [t("Asking a question"), t("Asked a question"), t("Ask a question")],
		counted: [t("Asked a question"), (count) => t("Asked {0} questions", count)],
	},
	update_step: {
		icon: "tasklist",
		labels: about("step_number", (step) => [t("Updating step {0}", step), t("Updated step {0}", step), t("Update step {0}", step)]),
		counted: [t("Updated a step"), (count) => t("Updated {0} steps", count)],
	},
	agents_message: {
		icon: "comment-discussion",
		labels: ({ agent, agentId = agent }) =>
			word(agentId)
				? [t("Asking {0}", mark(agentId)), t("Asked {0}", mark(agentId)), t("Ask {0}", mark(agentId))]
				: [t("Asking another agent"), t("Asked another agent"), t("Ask another agent")],
		counted: [t("Asked an agent"), (count) => t("Asked agents {0} times", count)],
	},
};
/** A map, because a model may name a tool like a property of Object.prototype. */
const table = new Map([...Object.entries(words), ["grep", words["search_code"] as ToolWords]]);

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
	const { icon, labels } = table.get(name) ?? wordsOfOther(name);
	const parts = BY_STATUS[status](labels(asRecord(input)), name)
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

/** "Read 12 files · Searched 3 times" */
export function summarizeToolCalls(calls: readonly ToolCall[]): string {
	const groups = new Map<Counted | string, { counted: Counted; count: number }>();
	for (const { name } of calls) {
		const known = table.get(name)?.counted;
		const group = groups.get(known ?? name) ?? { counted: known ?? wordsOfOther(name).counted, count: 0 };
		group.count += 1;
		groups.set(known ?? name, group);
	}
	return [...groups.values()].map(({ counted: [once, many], count }) => (count === 1 ? once : many(count))).join(" · ");
}

/** Labels for a tool from a server or another extension. */
function wordsOfOther(name: string): ToolWords {
	const subject = mark(displayName(name));
	return {
		icon: "tools",
		labels: () => [t("Using {0}", subject), t("Used {0}", subject), t("Use {0}", subject)],
		counted: [t("Used {0} once", name), (count) => t("Used {0} {1} times", name, count)],
	};
}

/** "server · tool" */
function displayName(tool: string): string {
	return tool.replace(/^mcp__/, "").replace("__", " · ");
}

function patchedFiles(patch: unknown): string[] {
	return [...word(patch).matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.+)$/gm)].map(([, file = ""]) => file);
}

export function asRecord(input: unknown): Record<string, unknown> {
	return typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : {};
}

function word(value: unknown): string {
	return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function oneLine(text: string): string {
	const line = text.trim().replace(/\s+/g, " ");
	return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
