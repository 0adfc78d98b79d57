// Tests blocked language model tools: those of VS Code and Copilot Chat, and similar ones.
import assert from "node:assert/strict";
import { blockReason } from "../../../src/vscode/adapters/blockedTools.ts";

const tool = (name: string, rest: Partial<Parameters<typeof blockReason>[0]> = {}) => ({ name, description: "", tags: [], ...rest });

describe("tools of VS Code and its extensions", () => {
	for (const [why, names] of Object.entries({
		command:
			"run_in_terminal send_to_terminal kill_terminal get_terminal_output terminal_selection terminal_last_command create_and_run_task run_task get_task_output runTests copilot_runTests1 run_notebook_cell copilot_runNotebookCell copilot_runVscodeCommand run_vscode_command run_playwright_code copilot_installExtension vscode_installExtensions install_python_packages configure_python_environment vscode_get_terminal_confirmation my_shell acme-exec executeBash runCommands acme_run_script launchProcess installPackage RUN_IN_TERMINAL",
		edit: "vscode_editFile_internal copilot_applyPatch apply_patch copilot_insertEdit copilot_createFile copilot_createDirectory copilot_replaceString copilot_multiReplaceString copilot_editNotebook edit_notebook_file copilot_editFiles copilot_createNewWorkspace copilot_createNewJupyterNotebook vscode_renameSymbol copilot_memory copilot_resolveMemoryFileUri writeFile acme_delete_files moveFolder update_cells insertText",
		delegate: "runSubagent search_subagent explore_subagent execution_subagent copilot_switchAgent troupe_ask skill ask_agent delegateTask",
		double:
			"copilot_readFile copilot_findTextInFiles copilot_searchCodebase copilot_fetchWebPage vscode_fetchWebPage_internal copilot_viewImage read_any_file",
		internal:
			"manage_todo_list vscode_get_confirmation vscode_askQuestions vscode_reviewPlan copilot_sessionStoreSql vscode_searchExtensions_internal",
	})) {
		it(`${why}: never offered by name`, () => {
			assert.deepEqual(
				names.split(" ").map((name) => [name, blockReason(tool(name))]),
				names.split(" ").map((name) => [name, why]),
			);
		});
	}

	it("that only look may be switched on", () => {
		const fine =
			"copilot_getErrors copilot_getVSCodeAPI copilot_githubRepo copilot_findTestFiles vscode_listCodeUsages renderMermaidDiagram mcp_github_search_issues create_issue azure_get_resource list_pull_requests testFailure screenshot_page";
		assert.deepEqual(
			fine.split(" ").filter((name) => blockReason(tool(name)) !== undefined),
			[],
		);
	});

	it("are known by their tags, their inputs and what they say, too", () => {
		assert.equal(blockReason(tool("helper", { tags: ["vscode_editing"] })), "edit");
		assert.equal(blockReason(tool("helper", { tags: ["terminal"] })), "command");
		for (const input of ["command", "commandLine", "shell_command", "cmd"])
			assert.equal(blockReason(tool("helper", { inputSchema: { properties: { [input]: {} } } })), "command", input);
		assert.equal(blockReason(tool("helper", { description: "Runs a shell command and returns its output." })), "command");
		assert.equal(blockReason(tool("helper", { description: "Creates or replaces files of the project." })), "edit");
		assert.equal(blockReason(tool("helper", { description: "Starts a sub-agent." })), "delegate");
		assert.equal(blockReason(tool("helper", { description: "Lists open issues. Does not edit files." })), undefined);
	});

	it("decide quickly whatever they say", () => {
		const odd = { properties: JSON.parse('{"__proto__": 1, "constructor": 2}') as object };
		assert.equal(blockReason(tool("helper", { description: "edit ".repeat(100_000), inputSchema: odd })), undefined);
	});
});
