// What a tool call is called in the chat: its icon, a verb for how it went, and what it was about.
import type { ResultStatus, ToolCall } from "../src/core/events.ts";

/** `waiting`: for the person's approval. */
export type CallStatus = ResultStatus | "running" | "waiting";

interface Words {
	icon: string;
	/** Running, done, and after "Could not". */
	verbs: readonly [string, string, string];
	/** One of them, and many, when calls are counted: "3 files". */
	counted: readonly [string, string];
	about: (input: Record<string, unknown>) => string;
}

const path = (input: Record<string, unknown>) => word(input["path"]);
const reading = { icon: "file", verbs: ["Reading", "Read", "read"] } as const;
const searching = { icon: "search", verbs: ["Searching", "Searched", "search"] } as const;

const words: Record<string, Words> = {
	read_file: { ...reading, counted: ["a file", "files"], about: path },
	list_directory: { icon: "folder", verbs: ["Listing", "Listed", "list"], counted: ["a folder", "folders"], about: path },
	find_files: {
		icon: "files",
		verbs: ["Looking for", "Looked for", "look for"],
		counted: ["files once", "times for files"],
		about: (input) => word(input["glob"]),
	},
	get_file_info: { icon: "info", verbs: ["Checking", "Checked", "check"], counted: ["a file", "files"], about: path },
	search_code: { ...searching, counted: ["once", "times"], about: (input) => word(input["pattern"]) },
	search_symbol: { ...searching, icon: "symbol-method", counted: ["once", "times"], about: (input) => word(input["query"]) },
	get_diagnostics: {
		icon: "warning",
		verbs: ["Checking problems", "Checked problems", "check problems"],
		counted: ["once", "times"],
		about: (input) => (input["path"] ? `in ${path(input)}` : ""),
	},
	update_file: { icon: "edit", verbs: ["Editing", "Edited", "edit"], counted: ["a file", "files"], about: path },
	create_file: { icon: "new-file", verbs: ["Creating", "Created", "create"], counted: ["a file", "files"], about: path },
	delete_file: { icon: "trash", verbs: ["Deleting", "Deleted", "delete"], counted: ["a file", "files"], about: path },
	rename_file: {
		icon: "arrow-swap",
		verbs: ["Renaming", "Renamed", "rename"],
		counted: ["a file", "files"],
		about: (input) => `${word(input["from"])} to ${word(input["to"])}`,
	},
	apply_patch: { icon: "diff", verbs: ["Patching", "Patched", "patch"], counted: ["once", "times"], about: patched },
	execute_command: {
		icon: "terminal",
		verbs: ["Running", "Ran", "run"],
		counted: ["a command", "commands"],
		about: (input) => word(input["command"]),
	},
	read_command_output: {
		icon: "output",
		verbs: ["Reading output", "Read output", "read the output"],
		counted: ["once", "times"],
		about: () => "",
	},
	web_fetch: { icon: "globe", verbs: ["Fetching", "Fetched", "fetch"], counted: ["a page", "pages"], about: (input) => word(input["url"]) },
	present_plan: { icon: "checklist", verbs: ["Planning", "Planned", "plan"], counted: ["once", "times"], about: () => "" },
	ask_question: { icon: "question", verbs: ["Asking", "Asked", "ask"], counted: ["once", "times"], about: () => "" },
	update_step: {
		icon: "tasklist",
		verbs: ["Marking step", "Marked step", "mark step"],
		counted: ["a step", "steps"],
		about: (input) => word(input["step_number"]),
	},
	agents_message: {
		icon: "comment-discussion",
		verbs: ["Asking", "Asked", "ask"],
		counted: ["once", "times"],
		about: (input) => word(input["agent"] ?? input["agentId"]) || "another agent",
	},
};
/** A map, because a model may name a tool like something that every object has. */
const table = new Map([...Object.entries(words), ["grep", words["search_code"] as Words]]);

/** How a call is told: "Could not" + "read" + "src/a.ts". */
export interface Told {
	icon: string;
	verb: string;
	about: string;
}

export function tell(call: ToolCall, status: CallStatus): Told {
	const known = table.get(call.name) ?? foreign(call.name);
	const [running, done, plain] = known.verbs;
	const verb: Record<CallStatus, string> = {
		running,
		waiting: running,
		ok: done,
		error: `Could not ${plain}`,
		denied: `Not allowed to ${plain}`,
		cancelled: `Stopped: ${plain}`,
		unknown: `Interrupted: ${plain}`,
	};
	return { icon: known.icon, verb: verb[status], about: oneLine(known.about(asRecord(call.input))) };
}

/** The name of a call's group, and what a screen reader says. */
export function nameOf(call: ToolCall, status: CallStatus): string {
	const { verb, about } = tell(call, status);
	return about ? `${verb} ${about}` : verb;
}

/** "Read 12 files, searched 3 times". */
export function summarise(calls: readonly ToolCall[]): string {
	const groups = new Map<string, { verb: string; counted: Words["counted"]; count: number }>();
	for (const { name } of calls) {
		const known = table.get(name);
		const verb = known ? known.verbs[1] : `Used ${name}`;
		const counted = (known ?? foreign(name)).counted;
		const key = `${verb} ${counted[1]}`;
		const group = groups.get(key) ?? { verb, counted, count: 0 };
		group.count += 1;
		groups.set(key, group);
	}
	const parts = [...groups.values()].map(({ verb, counted, count }) => `${verb} ${count === 1 ? counted[0] : `${count} ${counted[1]}`}`);
	return parts.map((part, index) => (index === 0 ? part : part.charAt(0).toLowerCase() + part.slice(1))).join(", ");
}

function foreign(name: string): Words {
	return {
		icon: "tools",
		verbs: ["Using", "Used", "use"],
		counted: ["once", "times"],
		about: () => name.replace(/^mcp__/, "").replace("__", " · "),
	};
}

function patched(input: Record<string, unknown>): string {
	const files = [...word(input["patch"]).matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.+)$/gm)].map((match) => match[1] ?? "");
	return files.length === 1 ? (files[0] ?? "") : `${files.length} files`;
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
