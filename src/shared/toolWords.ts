// Words for tool calls by tool: sentences for approvals, results, and the chat, and labels for lists.
import { t } from "./l10n.ts";

export type ToolName = keyof typeof callSentences;

/** Whole sentences; `plain` is the imperative. */
export type Labels = readonly [running: string, done: string, plain: string];

/** `counted`: a label for that many calls, in a list. Tools that share the function are counted together. */
export type ListLabels = readonly [icon: string, counted: (count: number) => string];

/** Fields of `input` may be absent or of another type. `subject` formats one for a sentence, with marks in the chat; empty if absent. */
export type Sentences = (input: Record<string, unknown>, subject: (value: unknown) => string) => Labels;

export const callSentences = {
	read_file: about(["path"], (path) => [
		t("Reading {0}", path),
		t({ message: "Read {0}", args: [path], comment: ["done"] }),
		t("Read {0}", path),
	]),
	list_directory: about(["path"], (path) => [t("Listing {0}", path), t("Listed {0}", path), t("List {0}", path)]),
	find_files: about(["glob"], (glob) => [
		t("Searching for files matching {0}", glob),
		t("Searched for files matching {0}", glob),
		t("Search for files matching {0}", glob),
	]),
	get_file_info: about(["path"], (path) => [t("Checking {0}", path), t("Checked {0}", path), t("Check {0}", path)]),
	search_code: about(["pattern"], searchLabels),
	search_symbol: about(["query"], searchLabels),
	use_skill: about(["name", "file"], (name, file) => [
		t("Using the skill {0}", name),
		t("Used the skill {0}", name),
		file ? t("Read {0} of the skill {1}", file, name) : t("Use the skill {0}", name),
	]),
	get_diagnostics: about(["path"], (path) =>
		path
			? [t("Checking for problems in {0}", path), t("Checked for problems in {0}", path), t("Check for problems in {0}", path)]
			: [t("Checking for problems"), t("Checked for problems"), t("Check for problems")],
	),
	update_file: about(["path"], (path) => [t("Editing {0}", path), t("Edited {0}", path), t("Edit {0}", path)]),
	create_file: about(["path"], (path) => [t("Creating {0}", path), t("Created {0}", path), t("Create {0}", path)]),
	delete_file: about(["path"], (path) => [t("Deleting {0}", path), t("Deleted {0}", path), t("Delete {0}", path)]),
	rename_file: about(["from", "to"], (from, to) => [
		t("Renaming {0} to {1}", from, to),
		t("Renamed {0} to {1}", from, to),
		t("Rename {0} to {1}", from, to),
	]),
	apply_patch: ({ patch }, subject) => {
		const files = patchedFiles(patch);
		const count = subject(files.length);
		const file = subject(files[0]);
		return files.length === 1
			? [t("Patching {0}", file), t("Patched {0}", file), t("Patch {0}", file)]
			: [t("Patching {0} files", count), t("Patched {0} files", count), t("Patch {0} files", count)];
	},
	execute_command: ({ command, outsideSandbox }, subject) => [
		t("Running {0}", subject(command)),
		t("Ran {0}", subject(command)),
		outsideSandbox ? t("Run outside the sandbox: {0}", subject(command)) : t("Run {0}", subject(command)),
	],
	read_command_output: () => [
		t("Reading command output"),
		t({ message: "Read command output", comment: ["done"] }),
		t("Read command output"),
	],
	web_fetch: about(["url"], (url) => [t("Fetching {0}", url), t("Fetched {0}", url), t("Fetch {0}", url)]),
	present_plan: () => [t("Creating a plan"), t("Created a plan"), t("Create a plan")],
	ask_question: () => [t("Asking a question"), t("Asked a question"), t("Ask a question")],
	update_step: about(["step_number"], (step) => [t("Updating step {0}", step), t("Updated step {0}", step), t("Update step {0}", step)]),
	offer_switch: () => [t("Proposing a role switch"), t("Proposed a role switch"), t("Propose a role switch")],
	agents_message: about(["agentId", "agent"], (agentId, agent) => {
		const name = agentId || agent;
		return name
			? [t("Asking {0}", name), t("Asked {0}", name), t("Ask {0}", name)]
			: [t("Asking another agent"), t("Asked another agent"), t("Ask another agent")];
	}),
} satisfies Record<string, Sentences>;

/** Apart from the sentences, because only the page has lists: the extension's bundle leaves them out. */
export const listLabels: Record<ToolName, ListLabels> = {
	read_file: ["file", (count) => (count === 1 ? t("Read a file") : t("Read {0} files", count))],
	list_directory: ["folder", (count) => (count === 1 ? t("Listed a folder") : t("Listed {0} folders", count))],
	find_files: ["files", (count) => (count === 1 ? t("Searched for files") : t("Searched for files {0} times", count))],
	get_file_info: ["info", (count) => (count === 1 ? t("Checked a file") : t("Checked {0} files", count))],
	search_code: ["search", countSearches],
	search_symbol: ["symbol-method", countSearches],
	use_skill: ["book", (count) => (count === 1 ? t("Used a skill") : t("Used {0} skills", count))],
	get_diagnostics: ["warning", (count) => (count === 1 ? t("Checked for problems") : t("Checked for problems {0} times", count))],
	update_file: ["edit", (count) => (count === 1 ? t("Edited a file") : t("Edited {0} files", count))],
	create_file: ["new-file", (count) => (count === 1 ? t("Created a file") : t("Created {0} files", count))],
	delete_file: ["trash", (count) => (count === 1 ? t("Deleted a file") : t("Deleted {0} files", count))],
	rename_file: ["arrow-swap", (count) => (count === 1 ? t("Renamed a file") : t("Renamed {0} files", count))],
	apply_patch: ["diff", (count) => (count === 1 ? t("Applied a patch") : t("Applied {0} patches", count))],
	execute_command: ["terminal", (count) => (count === 1 ? t("Ran a command") : t("Ran {0} commands", count))],
	read_command_output: ["output", (count) => (count === 1 ? t("Read command output once") : t("Read command output {0} times", count))],
	web_fetch: ["globe", (count) => (count === 1 ? t("Fetched a page") : t("Fetched {0} pages", count))],
	present_plan: ["checklist", (count) => (count === 1 ? t("Created a plan") : t("Created {0} plans", count))],
	ask_question: ["question", (count) => (count === 1 ? t("Asked a question") : t("Asked {0} questions", count))],
	update_step: ["tasklist", (count) => (count === 1 ? t("Updated a step") : t("Updated {0} steps", count))],
	// An offer ends the turn.
	offer_switch: ["arrow-swap", () => t("Proposed a role switch")],
	agents_message: ["comment-discussion", (count) => (count === 1 ? t("Asked an agent") : t("Asked agents {0} times", count))],
};

/** `summary` and `done` of a built-in tool, without marks. */
export function summaryAndDone(tool: ToolName): { summary(input: object): string; done(input: object): string } {
	const sentences: Sentences = callSentences[tool];
	const labelsOf = (input: object) => sentences(input as Record<string, unknown>, textOf);
	return { summary: (input) => labelsOf(input)[2], done: (input) => labelsOf(input)[1] };
}

/** Labels about these fields of the input; one that is absent is empty. */
function about(fields: readonly string[], labels: (...subjects: string[]) => Labels): Sentences {
	return (input, subject) => labels(...fields.map((field) => subject(input[field])));
}

function searchLabels(subject: string): Labels {
	return [t("Searching for {0}", subject), t("Searched for {0}", subject), t("Search for {0}", subject)];
}

function countSearches(count: number): string {
	return count === 1 ? t("Searched once") : t("Searched {0} times", count);
}

function patchedFiles(patch: unknown): string[] {
	return [...textOf(patch).matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.+)$/gm)].map(([, file = ""]) => file);
}

export function textOf(value: unknown): string {
	return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
