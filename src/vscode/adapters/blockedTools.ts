// Blocks tools of VS Code and extensions that run commands, edit files, delegate or duplicate ours.

// They would bypass the gate, which sees neither their paths nor their commands. The names are those VS Code and Copilot Chat
// have used; the patterns match similar tools of other extensions.

export type BlockReason = "command" | "edit" | "delegate" | "double" | "internal";

/** A tool as the editor lists it; all fields are untrusted. */
export interface LanguageModelToolFacts {
	name: string;
	description: string;
	inputSchema?: object | undefined;
	tags: readonly string[];
}

const NAMES: Readonly<Record<BlockReason, readonly string[]>> = {
	command: [
		"run_in_terminal",
		"send_to_terminal",
		"kill_terminal",
		"get_terminal_output",
		"terminal_selection",
		"terminal_last_command",
		"vscode_get_terminal_confirmation",
		"create_and_run_task",
		"copilot_createAndRunTask",
		"run_task",
		"get_task_output",
		"runTests",
		"copilot_runTests",
		"copilot_runTests1",
		"run_notebook_cell",
		"copilot_runNotebookCell",
		"run_vscode_command",
		"copilot_runVscodeCommand",
		"run_playwright_code",
		"install_extension",
		"copilot_installExtension",
		"vscode_installExtensions",
		"install_python_packages",
		"configure_python_environment",
		"configure_notebook",
	],
	edit: [
		"vscode_editFile",
		"vscode_editFile_internal",
		"vscode_renameSymbol",
		"apply_patch",
		"copilot_applyPatch",
		"insert_edit_into_file",
		"copilot_insertEdit",
		"create_file",
		"copilot_createFile",
		"create_directory",
		"copilot_createDirectory",
		"replace_string_in_file",
		"copilot_replaceString",
		"multi_replace_string_in_file",
		"copilot_multiReplaceString",
		"edit_notebook_file",
		"copilot_editNotebook",
		"edit_files",
		"copilot_editFiles",
		"create_new_workspace",
		"copilot_createNewWorkspace",
		"setup_tools_createNewWorkspace",
		"create_new_jupyter_notebook",
		"copilot_createNewJupyterNotebook",
		"update_user_preferences",
		"copilot_updateUserPreferences",
		"memory",
		"copilot_memory",
		"resolve_memory_file_uri",
		"copilot_resolveMemoryFileUri",
	],
	delegate: [
		"troupe_ask",
		"runSubagent",
		"search_subagent",
		"explore_subagent",
		"execution_subagent",
		"switch_agent",
		"copilot_switchAgent",
		"skill",
	],
	double: [
		"read_file",
		"copilot_readFile",
		"view_image",
		"copilot_viewImage",
		"list_dir",
		"copilot_listDirectory",
		"file_search",
		"copilot_findFiles",
		"grep_search",
		"copilot_findTextInFiles",
		"semantic_search",
		"copilot_searchCodebase",
		"read_project_structure",
		"copilot_readProjectStructure",
		"get_changed_files",
		"copilot_getChangedFiles",
		"get_search_view_results",
		"copilot_getSearchResults",
		"fetch_webpage",
		"copilot_fetchWebPage",
		"vscode_fetchWebPage_internal",
	],
	internal: [
		"manage_todo_list",
		"tool_search",
		"session_store_sql",
		"copilot_sessionStoreSql",
		"vscode_askQuestions",
		"vscode_reviewPlan",
		"vscode_get_confirmation",
		"vscode_get_confirmation_with_options",
		"vscode_get_modified_files_confirmation",
	],
};

const known = new Map(
	Object.entries(NAMES).flatMap(([why, names]) => names.map((name) => [name.toLowerCase(), why as BlockReason] as const)),
);

/** Words that by themselves classify a tool by its name. */
const SINGLE_WORDS: readonly [BlockReason, ReadonlySet<string>][] = [
	["command", words("terminal shell bash zsh powershell pwsh cmd exec execute subprocess")],
	["edit", words("edit edits patch")],
	["delegate", words("agent agents subagent subagents delegate handoff")],
	["internal", words("internal")],
];

/** One word of each set must occur together. */
const PAIRS: readonly [BlockReason, ReadonlySet<string>, ReadonlySet<string>][] = [
	[
		"command",
		words("run start launch invoke spawn send kill eval evaluate"),
		words("command commands task tasks test tests script scripts code cell cells notebook program process job build python node"),
	],
	["command", words("install uninstall"), words("extension extensions package packages dependency dependencies module modules")],
	[
		"edit",
		words("write create delete remove rename move copy modify update insert replace apply save append overwrite refactor format"),
		words("file files directory folder notebook cell cells text string strings symbol symbols workspace code diff buffer line lines"),
	],
	["double", words("read"), words("file files")],
];

/** Input names that only tools with a command line have. */
const COMMAND_INPUTS = words("command commands commandline cmd shell shellcommand script");

/** Patterns for the first sentence of a description. */
const SENTENCES: readonly [BlockReason, RegExp][] = [
	["command", /\b(?:run|execute|launch|send)s?\b[^.]{0,60}\b(?:shell|terminal|command|commands|bash|powershell)\b/i],
	["edit", /\b(?:edit|write|modif|creat|delet|patch|replac|renam|insert)\w*\b[^.]{0,40}\b(?:files?|notebooks?|director(?:y|ies))\b/i],
	["delegate", /\bsub-?agents?\b|\bdelegat/i],
];

/** Returns the reason why a tool is never offered; undefined if the user may enable it. */
export function blockReason({ name, description, inputSchema, tags }: LanguageModelToolFacts): BlockReason | undefined {
	return (
		known.get(name.toLowerCase()) ??
		[name, ...tags].map((text) => byWords(wordsOf(text))).find((why) => why !== undefined) ??
		(inputsOf(inputSchema).some((input) => COMMAND_INPUTS.has(input)) ? "command" : undefined) ??
		SENTENCES.find(([, pattern]) => pattern.test(firstSentence(description)))?.[0]
	);
}

function byWords(all: readonly string[]): BlockReason | undefined {
	const has = (some: ReadonlySet<string>) => all.some((word) => some.has(word));
	return SINGLE_WORDS.find(([, telling]) => has(telling))?.[0] ?? PAIRS.find(([, acts, objects]) => has(acts) && has(objects))?.[0];
}

/** Splits `copilot_runInTerminal` into "copilot", "run", "in", "terminal". */
function wordsOf(name: string): string[] {
	return name
		.replace(/([a-z0-9])([A-Z])/g, "$1 $2")
		.replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
		.toLowerCase()
		.split(/[^a-z]+/)
		.map((word) => (word === "editing" ? "edit" : word));
}

function inputsOf(schema: object | undefined): string[] {
	const properties = (schema as { properties?: unknown } | undefined)?.properties;
	const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
	return names.map((name) => name.toLowerCase().replace(/[^a-z]/g, ""));
}

function firstSentence(description: string): string {
	return description.slice(0, 400).split(/\.\s/, 1)[0] ?? "";
}

function words(list: string): ReadonlySet<string> {
	return new Set(list.split(" "));
}
