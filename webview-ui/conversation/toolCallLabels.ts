// Labels of tool calls in the chat: the icon, a verb for the status, and the subject.
import type { ResultStatus, ToolCall } from "../../src/core/events.ts";
import { formatList, t } from "../../src/shared/l10n.ts";

/** `noTool`: the model has made it up. `asked`: its approval card stands for it. `waiting`: nothing of it runs yet, for all that is known. */
export type ToolCallStatus = ResultStatus | "running" | "asked" | "waiting" | "noTool";

type Verbs = readonly [running: string, done: string, plain: string];

interface Words {
	icon: string;
	/** How it is told while it runs and once it is done, and as what could not be done; the slot takes what it is about. */
	verbs: Verbs | ((input: Record<string, unknown>) => Verbs);
	/** What it was once, and many times, in a list of such. */
	counted: readonly [string, (count: number) => string];
	about: (input: Record<string, unknown>) => string;
}

/** Where what a call is about stands in a sentence. */
const SLOT = "\u0000";
const path = (input: Record<string, unknown>) => word(input["path"]);

const words: Record<string, Words> = {
	read_file: {
		icon: "file",
		verbs: [t("Reading {0}", SLOT), t({ message: "Read {0}", args: [SLOT], comment: ["done"] }), t("read {0}", SLOT)],
		counted: [t("read a file"), (count) => t("read {0} files", count)],
		about: path,
	},
	list_directory: {
		icon: "folder",
		verbs: [t("Listing {0}", SLOT), t("Listed {0}", SLOT), t("list {0}", SLOT)],
		counted: [t("listed a folder"), (count) => t("listed {0} folders", count)],
		about: path,
	},
	find_files: {
		icon: "files",
		verbs: [
			t("Searching for files matching {0}", SLOT),
			t("Searched for files matching {0}", SLOT),
			t("search for files matching {0}", SLOT),
		],
		counted: [t("searched for files"), (count) => t("searched for files {0} times", count)],
		about: (input) => word(input["glob"]),
	},
	get_file_info: {
		icon: "info",
		verbs: [t("Checking {0}", SLOT), t("Checked {0}", SLOT), t("check {0}", SLOT)],
		counted: [t("checked a file"), (count) => t("checked {0} files", count)],
		about: path,
	},
	search_code: {
		icon: "search",
		verbs: [t("Searching for {0}", SLOT), t("Searched for {0}", SLOT), t("search for {0}", SLOT)],
		counted: [t("searched once"), (count) => t("searched {0} times", count)],
		about: (input) => word(input["pattern"]),
	},
	search_symbol: {
		icon: "symbol-method",
		verbs: [t("Searching for {0}", SLOT), t("Searched for {0}", SLOT), t("search for {0}", SLOT)],
		counted: [t("searched once"), (count) => t("searched {0} times", count)],
		about: (input) => word(input["query"]),
	},
	use_skill: {
		icon: "book",
		verbs: [t("Using the skill {0}", SLOT), t("Used the skill {0}", SLOT), t("use the skill {0}", SLOT)],
		counted: [t("used a skill"), (count) => t("used {0} skills", count)],
		about: (input) => word(input["name"]),
	},
	get_diagnostics: {
		icon: "warning",
		verbs: (input) =>
			input["path"]
				? [t("Checking for problems in {0}", SLOT), t("Checked for problems in {0}", SLOT), t("check for problems in {0}", SLOT)]
				: [t("Checking for problems"), t("Checked for problems"), t("check for problems")],
		counted: [t("checked for problems"), (count) => t("checked for problems {0} times", count)],
		about: path,
	},
	update_file: {
		icon: "edit",
		verbs: [t("Editing {0}", SLOT), t("Edited {0}", SLOT), t("edit {0}", SLOT)],
		counted: [t("edited a file"), (count) => t("edited {0} files", count)],
		about: path,
	},
	create_file: {
		icon: "new-file",
		verbs: [t("Creating {0}", SLOT), t("Created {0}", SLOT), t("create {0}", SLOT)],
		counted: [t("created a file"), (count) => t("created {0} files", count)],
		about: path,
	},
	delete_file: {
		icon: "trash",
		verbs: [t("Deleting {0}", SLOT), t("Deleted {0}", SLOT), t("delete {0}", SLOT)],
		counted: [t("deleted a file"), (count) => t("deleted {0} files", count)],
		about: path,
	},
	rename_file: {
		icon: "arrow-swap",
		verbs: [t("Renaming {0}", SLOT), t("Renamed {0}", SLOT), t("rename {0}", SLOT)],
		counted: [t("renamed a file"), (count) => t("renamed {0} files", count)],
		about: (input) => t("{0} to {1}", word(input["from"]), word(input["to"])),
	},
	apply_patch: {
		icon: "diff",
		verbs: [t("Patching {0}", SLOT), t("Patched {0}", SLOT), t("patch {0}", SLOT)],
		counted: [t("applied a patch"), (count) => t("applied {0} patches", count)],
		about: patched,
	},
	execute_command: {
		icon: "terminal",
		verbs: [t("Running {0}", SLOT), t("Ran {0}", SLOT), t("run {0}", SLOT)],
		counted: [t("ran a command"), (count) => t("ran {0} commands", count)],
		about: (input) => word(input["command"]),
	},
	read_command_output: {
		icon: "output",
		verbs: [t("Reading output"), t("Read output"), t("read the output")],
		counted: [t("read output once"), (count) => t("read output {0} times", count)],
		about: () => "",
	},
	web_fetch: {
		icon: "globe",
		verbs: [t("Fetching {0}", SLOT), t("Fetched {0}", SLOT), t("fetch {0}", SLOT)],
		counted: [t("fetched a page"), (count) => t("fetched {0} pages", count)],
		about: (input) => word(input["url"]),
	},
	present_plan: {
		icon: "checklist",
		verbs: [t("Creating a plan"), t("Created a plan"), t("plan")],
		counted: [t("created a plan"), (count) => t("created {0} plans", count)],
		about: () => "",
	},
	ask_question: {
		icon: "question",
		verbs: [t("Asking a question"), t("Asked a question"), t("ask a question")],
		counted: [t("asked a question"), (count) => t("asked {0} questions", count)],
		about: () => "",
	},
	update_step: {
		icon: "tasklist",
		verbs: [t("Updating step {0}", SLOT), t("Updated step {0}", SLOT), t("update step {0}", SLOT)],
		counted: [t("updated a step"), (count) => t("updated {0} steps", count)],
		about: (input) => word(input["step_number"]),
	},
	agents_message: {
		icon: "comment-discussion",
		verbs: [t("Asking {0}", SLOT), t("Asked {0}", SLOT), t("ask {0}", SLOT)],
		counted: [t("asked once"), (count) => t("asked {0} times", count)],
		about: (input) => word(input["agent"] ?? input["agentId"]) || t("another agent"),
	},
};
/** A map, because a model may name a tool like something that every object has. */
const table = new Map([...Object.entries(words), ["grep", words["search_code"] as Words]]);

/** How a call is told: "Could not read" + "src/a.ts"; in some languages words follow, too. */
export interface ToolCallLabel {
	icon: string;
	verb: string;
	about: string;
	suffix: string;
}

const TOLD: Record<ToolCallStatus, (verbs: Verbs) => string> = {
	running: ([running]) => running,
	asked: ([, , plain]) => t("Waiting to {0}", plain),
	waiting: ([, , plain]) => t("Waiting to {0}", plain),
	ok: ([, done]) => done,
	error: ([, , plain]) => t("Could not {0}", plain),
	denied: ([, , plain]) => t("Not allowed to {0}", plain),
	cancelled: ([, , plain]) => t("Stopped: {0}", plain),
	noTool: () => t("Unknown tool {0}", SLOT),
	unknown: ([, , plain]) => t("Interrupted: {0}", plain),
};

export function toolCallLabel(call: ToolCall, status: ToolCallStatus): ToolCallLabel {
	const known = table.get(call.name) ?? foreign(call.name);
	const input = asRecord(call.input);
	const [verb = "", after = ""] = TOLD[status](typeof known.verbs === "function" ? known.verbs(input) : known.verbs)
		.split(SLOT)
		.map((part) => part.trim());
	return { icon: known.icon, verb, about: oneLine(known.about(input)), suffix: after };
}

/** The name of a call's group, and what a screen reader says. */
export function toolCallName(call: ToolCall, status: ToolCallStatus): string {
	const { verb, about, suffix: after } = toolCallLabel(call, status);
	return [verb, about, after].filter(Boolean).join(" ");
}

/** "Read 12 files, searched 3 times". */
export function summarizeToolCalls(calls: readonly ToolCall[]): string {
	const groups = new Map<string, { counted: Words["counted"]; count: number }>();
	for (const { name } of calls) {
		const counted = table.get(name)?.counted ?? foreign(name).counted;
		const group = groups.get(counted[0]) ?? { counted, count: 0 };
		group.count += 1;
		groups.set(counted[0], group);
	}
	const text = formatList([...groups.values()].map(({ counted: [once, many], count }) => (count === 1 ? once : many(count))));
	return text.charAt(0).toUpperCase() + text.slice(1);
}

function foreign(name: string): Words {
	return {
		icon: "tools",
		verbs: [t("Using {0}", SLOT), t("Used {0}", SLOT), t("use {0}", SLOT)],
		counted: [t("used {0} once", name), (count) => t("used {0} {1} times", name, count)],
		about: () => name.replace(/^mcp__/, "").replace("__", " · "),
	};
}

function patched(input: Record<string, unknown>): string {
	const files = [...word(input["patch"]).matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.+)$/gm)].map((match) => match[1] ?? "");
	return files.length === 1 ? (files[0] ?? "") : t("{0} files", files.length);
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
