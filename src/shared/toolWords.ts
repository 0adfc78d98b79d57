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
	current_time: about(["timezone"], (zone) =>
		zone
			? [t("Looking up the time in {0}", zone), t("Looked up the time in {0}", zone), t("Look up the time in {0}", zone)]
			: [t("Looking up the time"), t("Looked up the time"), t("Look up the time")],
	),
	agents_list: () => [t("Listing agents"), t("Listed agents"), t("List agents")],
	agents_message: about(["agentId", "agent"], (agentId, agent) => {
		const name = agentId || agent;
		return name
			? [t("Asking {0}", name), t("Asked {0}", name), t("Ask {0}", name)]
			: [t("Asking another agent"), t("Asked another agent"), t("Ask another agent")];
	}),
	agents_switch: about(["agentId"], (agent) => [
		t("Offering to switch to {0}", agent),
		t("Offered to switch to {0}", agent),
		t("Offer to switch to {0}", agent),
	]),
	spawn_subagent: about(["description"], (name) => [
		t("Starting the background task {0}", name),
		t("Started the background task {0}", name),
		t("Start the background task {0}", name),
	]),
	resume_task: () => [t("Continuing a background task"), t("Continued a background task"), t("Continue a background task")],
	task_status: () => [t("Checking a background task"), t("Checked a background task"), t("Check a background task")],
	task_list: () => [t("Listing background tasks"), t("Listed background tasks"), t("List background tasks")],
	task_replay: () => [
		t("Reading a background task"),
		t({ message: "Read a background task", comment: ["done"] }),
		t("Read a background task"),
	],
	task_stop: () => [t("Stopping a background task"), t("Stopped a background task"), t("Stop a background task")],
	reply: () => [t("Replying"), t("Replied"), t("Reply")],
	session_archive_read: about(["find"], (text) =>
		text
			? [t("Searching the archive for {0}", text), t("Searched the archive for {0}", text), t("Search the archive for {0}", text)]
			: [t("Reading the archive"), t({ message: "Read the archive", comment: ["done"] }), t("Read the archive")],
	),
	memory_list: () => [t("Listing memory"), t("Listed memory"), t("List memory")],
	memory_read: about(["path"], (path) => [
		t("Reading {0} in memory", path),
		t({ message: "Read {0} in memory", args: [path], comment: ["done"] }),
		t("Read {0} in memory", path),
	]),
	memory_write: about(["path"], (path) => [
		t("Writing {0} in memory", path),
		t("Wrote {0} in memory", path),
		t("Write {0} in memory", path),
	]),
	memory_patch: about(["path"], (path) => [
		t("Editing {0} in memory", path),
		t("Edited {0} in memory", path),
		t("Edit {0} in memory", path),
	]),
	memory_append: about(["path"], (path) => [
		t("Adding to {0} in memory", path),
		t("Added to {0} in memory", path),
		t("Add to {0} in memory", path),
	]),
	notify: () => [t("Sending a message"), t("Sent a message"), t("Send a message")],
	need_more_info: () => [t("Asking for information"), t("Asked for information"), t("Ask for information")],
} satisfies Record<string, Sentences>;

/** Labels for lists, apart from the sentences because only the page has lists: the extension's bundle leaves them out. */
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
	current_time: ["clock", (count) => (count === 1 ? t("Looked up the time") : t("Looked up the time {0} times", count))],
	agents_list: ["organization", (count) => (count === 1 ? t("Listed agents") : t("Listed agents {0} times", count))],
	// An offer ends the turn.
	agents_switch: ["arrow-swap", () => t("Offered another agent")],
	spawn_subagent: ["server-process", (count) => (count === 1 ? t("Started a background task") : t("Started {0} background tasks", count))],
	resume_task: ["debug-continue", (count) => (count === 1 ? t("Continued a background task") : t("Continued {0} background tasks", count))],
	task_status: ["pulse", (count) => (count === 1 ? t("Checked a background task") : t("Checked {0} background tasks", count))],
	task_list: ["list-unordered", (count) => (count === 1 ? t("Listed background tasks") : t("Listed background tasks {0} times", count))],
	task_replay: ["history", (count) => (count === 1 ? t("Read a background task once") : t("Read background tasks {0} times", count))],
	task_stop: ["debug-stop", (count) => (count === 1 ? t("Stopped a background task") : t("Stopped {0} background tasks", count))],
	reply: ["reply", (count) => (count === 1 ? t("Replied once") : t("Replied {0} times", count))],
	session_archive_read: ["archive", (count) => (count === 1 ? t("Read the archive once") : t("Read the archive {0} times", count))],
	memory_list: ["list-unordered", (count) => (count === 1 ? t("Listed memory") : t("Listed memory {0} times", count))],
	memory_read: ["notebook", (count) => (count === 1 ? t("Read a memory file") : t("Read {0} memory files", count))],
	memory_write: ["notebook", (count) => (count === 1 ? t("Wrote a memory file") : t("Wrote {0} memory files", count))],
	memory_patch: ["notebook", countMemoryEdits],
	memory_append: ["notebook", countMemoryEdits],
	notify: ["mail", (count) => (count === 1 ? t("Sent a message") : t("Sent {0} messages", count))],
	// A question ends the turn.
	need_more_info: ["question", () => t("Asked for information")],
	agents_message: ["comment-discussion", (count) => (count === 1 ? t("Asked an agent") : t("Asked agents {0} times", count))],
};

/** `summary` and `done` of a built-in tool, without marks. */
export function summaryAndDone(tool: ToolName): { summary(input: object): string; done(input: object): string } {
	const sentences: Sentences = callSentences[tool];
	const labelsOf = (input: object) => sentences(input as Record<string, unknown>, textOf);
	return { summary: (input) => labelsOf(input)[2], done: (input) => labelsOf(input)[1] };
}

/** A call of a built-in tool in a sentence, in the imperative; undefined for other tools. */
export function describeCall(name: string, input: Record<string, unknown>): string | undefined {
	return Object.hasOwn(callSentences, name) ? summaryAndDone(name as ToolName).summary(input) : undefined;
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

function countMemoryEdits(count: number): string {
	return count === 1 ? t("Edited a memory file") : t("Edited {0} memory files", count);
}

function patchedFiles(patch: unknown): string[] {
	return [...textOf(patch).matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.+)$/gm)].map(([, file = ""]) => file);
}

export function textOf(value: unknown): string {
	return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
