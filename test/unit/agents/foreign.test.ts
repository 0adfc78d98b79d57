// Agents written for VS Code and for Claude Code, read in place.
import assert from "node:assert/strict";
import { translateToolNames } from "../../../src/agents/toolNameTranslation.ts";
import { brought, catalogOf } from "./support.ts";

async function read(path: string, content: string | Uint8Array) {
	const { agents, broken } = await catalogOf({ workspace: [brought(path, content)] });
	const found = agents.at(-1);
	if (broken[0]) return broken[0].problem;
	return { ...found?.definition, ...(found?.notes.length && { notes: found.notes }) };
}

const github = (head: string, body = "Be brief.") => read(".github/agents/Code Reviewer.agent.md", `---\n${head}\n---\n${body}\n`);
const claude = (head: string, body = "Be brief.") => read(".claude/agents/code-reviewer.md", `---\n${head}\n---\n${body}\n`);

const plain = { agentId: "Code-Reviewer", displayName: "Code Reviewer", systemPrompt: "Be brief." };

describe("an agent of VS Code", () => {
	it("is read with its tools, servers, peers and prompt", async () => {
		const head = [
			"name: Reviewer",
			"description: Reviews changes",
			"tools: ['read', 'search/codebase', 'github/*', 'context7/get-docs', 'web/fetch', 'vscode/newWorkspace']",
			"agents: [tester]",
			"model: [Claude Sonnet 4.5, GPT-5]",
			"argument-hint: What to review",
			"handoffs:\n  - label: Go\n    agent: agent",
			"user-invocable: true",
		].join("\n");
		assert.deepEqual(await github(head), {
			agentId: "Code-Reviewer",
			displayName: "Reviewer",
			description: "Reviews changes",
			systemPrompt: "Be brief.",
			toolAllowlist: [
				...["read_file", "get_file_info", "get_diagnostics", "read_command_output"],
				...["list_directory", "find_files", "search_code", "search_symbol"],
				...["mcp__github__*", "mcp__context7__get-docs", "web_fetch", "vscode/newWorkspace"],
			],
			mcpServers: ["github", "context7"],
			agentAllowlist: ["tester"],
			notes: [
				"Troupe has no equivalent for these tools: vscode/newWorkspace.",
				"This agent requests the model Claude Sonnet 4.5, GPT-5, but your settings determine the model.",
				"Troupe doesn't use these fields: handoffs.",
			],
		});
	});

	for (const spelling of ["user-invocable", "user-invokable"]) {
		it(`is not listed with ${spelling}: false`, async () =>
			assert.deepEqual(await github(`${spelling}: false`), { ...plain, uiVisible: false }));
	}

	it("may speak in replies, and in no other way", async () => {
		assert.deepEqual(await github("output: reply"), { ...plain, output: "reply" });
		assert.match(String(await github("output: loud")), /line 2, output: Must be one of reply/);
	});

	it("may have every tool, no tool, no head, and any line ends", async () => {
		assert.deepEqual(await github("tools: ['*']"), plain);
		assert.deepEqual(await github("tools: []"), { ...plain, toolAllowlist: [] });
		assert.deepEqual(await github("agents: ['*']"), plain);
		assert.deepEqual(await read(".github/agents/Code Reviewer.agent.md", "Be brief."), plain);
		assert.deepEqual(await read(".github/agents/Code Reviewer.agent.md", "\uFEFF---\r\nname: X\r\n---\r\nBe brief.\r\n"), {
			...plain,
			displayName: "X",
		});
	});
});

describe("an agent of Claude Code", () => {
	it("is read with its tools by commas, its color and prompt", async () => {
		const head =
			"name: code-reviewer\ndescription: Use after changes\ntools: Read, Grep, Glob, Bash, mcp__linear__list_issues, WebSearch\nmodel: sonnet\ncolor: cyan\npermissionMode: bypassPermissions";
		assert.deepEqual(await claude(head), {
			agentId: "code-reviewer",
			displayName: "code-reviewer",
			description: "Use after changes",
			systemPrompt: "Be brief.",
			toolAllowlist: [
				...["read_file", "get_file_info", "search_code", "list_directory", "find_files"],
				...["execute_command", "read_command_output", "mcp__linear__list_issues", "WebSearch"],
			],
			mcpServers: ["linear"],
			color: "terminal.ansiCyan",
			notes: [
				"Troupe has no equivalent for these tools: WebSearch.",
				"This agent requests the model sonnet, but your settings determine the model.",
				"Troupe doesn't use these fields: permissionMode.",
			],
		});
	});

	it("keeps what it is denied, and no condition makes a tool wider", async () => {
		const found = await claude(
			"name: a\ntools: Bash(git diff, git log), Read\ndisallowedTools: [Write, 'Bash(rm *)', mcp__x]\nmodel: inherit",
		);
		assert.deepEqual(found, {
			agentId: "a",
			displayName: "a",
			systemPrompt: "Be brief.",
			toolAllowlist: ["Bash(git diff, git log)", "read_file", "get_file_info"],
			toolDenylist: [
				"update_file",
				"create_file",
				"delete_file",
				"rename_file",
				"apply_patch",
				"execute_command",
				"read_command_output",
				"mcp__x__*",
			],
			notes: [
				"Conditions on tools aren't supported, so these tools aren't available: Bash(git diff, git log).",
				"Conditions on tools aren't supported, so these tools are always denied: Bash(rm *).",
			],
		});
	});

	it("may have a description that YAML would not take", async () => {
		const found = await claude('name: a\ndescription: Use it when: the user asks. <example>user: "hi"</example>');
		assert.equal((found as { description?: string }).description, 'Use it when: the user asks. <example>user: "hi"</example>');
	});

	const wrong: [string, string, string][] = [
		["no head", "Just notes.", ", line 1: No front matter"],
		["a head without an end", "---\nname: a\n", ", line 1: No front matter"],
		["a list that is none", "---\nname: a\ntools: 5\n---\n", ", line 3: tools: Must be a list"],
		["aliases", "---\nname: a\nx: &x [1]\ny: [*x, *x]\n---\n", ": The front matter uses YAML aliases, which aren't supported"],
		[
			"a head that costs more than it says",
			`---\nname: a\nx: ${"a".repeat(16_384)}\n---\n`,
			", line 1: The front matter is longer than 16 KB",
		],
		["a head that is a list", "---\n- a\n---\n", ", line 2: The front matter must be an object"],
	];
	for (const [what, content, problem] of wrong) {
		it(`is broken by ${what}`, async () => assert.equal(await read(".claude/agents/a.md", content), `.claude/agents/a.md${problem}`));
	}

	it("names the line where its head is no YAML", async () => {
		assert.match(
			String(await read(".claude/agents/a.md", "---\nname: a\ntools: [Read\n---\n")),
			/^\.claude\/agents\/a\.md, line \d: The front matter isn't valid YAML/,
		);
	});
});

describe("names of others' tools", () => {
	it("mean the same in any case, and nothing of ours by accident", () => {
		const globs = (...names: string[]) => translateToolNames(names, "github").globs;
		assert.deepEqual(globs("EDIT/editFiles"), ["update_file", "create_file", "delete_file", "rename_file", "apply_patch"]);
		assert.deepEqual(globs("update_file", "notes_*"), ["update_file", "notes_*"]);
		assert.deepEqual(globs("*_file", "constructor", "toString/x", "re*"), ["\\*_file", "constructor", "mcp__toString__x", "re\\*"]);
		assert.deepEqual(translateToolNames(["Edit"], "claude").globs, ["update_file"]);
		assert.deepEqual(translateToolNames(["TodoWrite"], "claude"), { globs: [], servers: [], unknown: [], conditional: [] });
	});
});
