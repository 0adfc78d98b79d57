// Tests the declarations of every built-in tool.

// The gate sees nothing else of a call.
import assert from "node:assert/strict";
import * as z from "zod";
import type { Tool } from "../../../src/core/ports/tool.ts";
import { PERMISSIONS, type Role } from "../../../src/core/role.ts";
import { builtinTools } from "../../../src/tools/builtinTools.ts";
import { pathsOfPatch } from "../../../src/tools/shared/patchFormat.ts";
import { toolNamed } from "./support.ts";

interface Declared {
	plugin: string;
	permissions: string[];
	capabilities: string[];
	required: string[];
	optional?: string[];
}

const expected: Record<string, Declared> = {
	read_file: { plugin: "files", permissions: ["ReadFiles"], capabilities: ["files.read"], required: ["path"], optional: ["start", "end"] },
	list_directory: { plugin: "files", permissions: ["ReadFiles"], capabilities: ["files.read"], required: ["path"] },
	find_files: { plugin: "files", permissions: ["ReadFiles"], capabilities: ["files.read"], required: ["glob"], optional: ["path"] },
	get_file_info: { plugin: "files", permissions: ["ReadFiles"], capabilities: ["files.read"], required: ["path"] },
	search_code: {
		plugin: "files",
		permissions: ["ReadFiles"],
		capabilities: ["files.read"],
		required: ["pattern"],
		optional: ["path", "glob", "literal", "ignore_case", "context"],
	},
	search_symbol: { plugin: "files", permissions: ["ReadFiles"], capabilities: ["files.read"], required: ["query"] },
	get_diagnostics: { plugin: "files", permissions: ["ReadFiles"], capabilities: ["files.read"], required: [], optional: ["path"] },
	update_file: {
		plugin: "files",
		permissions: ["ReadFiles", "WriteFiles"],
		capabilities: ["files.write"],
		required: ["path", "old", "new"],
	},
	create_file: {
		plugin: "files",
		permissions: ["WriteFiles", "CreateFiles"],
		capabilities: ["files.create"],
		required: ["path", "content"],
	},
	delete_file: { plugin: "files", permissions: ["ReadFiles", "DeleteFiles"], capabilities: ["files.delete"], required: ["path"] },
	rename_file: {
		plugin: "files",
		permissions: ["ReadFiles", "WriteFiles", "CreateFiles"],
		capabilities: ["files.write", "files.create"],
		required: ["from", "to"],
	},
	apply_patch: {
		plugin: "files",
		permissions: ["ReadFiles", "WriteFiles"],
		capabilities: ["files.write", "files.create", "files.delete"],
		required: ["patch"],
	},
	execute_command: {
		plugin: "terminal",
		permissions: ["ExecuteCommands"],
		capabilities: ["terminal.execute"],
		required: ["command"],
		optional: ["cwd", "timeout", "background", "outsideSandbox"],
	},
	read_command_output: {
		plugin: "terminal",
		permissions: ["ReadFiles"],
		capabilities: ["terminal.execute"],
		required: ["id"],
		optional: ["offset"],
	},
	web_fetch: { plugin: "web", permissions: ["Network"], capabilities: ["web.fetch"], required: ["url"], optional: ["start"] },
	present_plan: {
		plugin: "plan",
		permissions: [],
		capabilities: ["plan.write"],
		required: ["goal", "steps"],
		optional: ["type", "format_version", "estimated_total_time", "risks", "prerequisites"],
	},
	ask_question: {
		plugin: "plan",
		permissions: [],
		capabilities: ["plan.ask"],
		required: ["question"],
		optional: ["type", "format_version", "context", "severity", "options", "default", "allow_custom"],
	},
	offer_switch: { plugin: "plan", permissions: [], capabilities: ["plan.ask"], required: ["reason"] },
	update_step: { plugin: "plan", permissions: [], capabilities: ["plan.write"], required: ["step_number", "status"], optional: ["note"] },
};

/** A call of every field that names a place, and what the gate must get to see of it. */
const pathCalls: { tool: string; input: Record<string, unknown>; paths: { path: string; use: string }[] }[] = [
	...["read_file", "list_directory", "get_file_info", "get_diagnostics"].map((tool) => ({
		tool,
		input: { path: "a" },
		paths: [{ path: "a", use: "read" }],
	})),
	{ tool: "find_files", input: { glob: "*", path: "a" }, paths: [{ path: "a", use: "read" }] },
	{ tool: "search_code", input: { pattern: "x", path: "a" }, paths: [{ path: "a", use: "read" }] },
	{ tool: "update_file", input: { path: "a", old: "x", new: "y" }, paths: [{ path: "a", use: "write" }] },
	{ tool: "create_file", input: { path: "a", content: "" }, paths: [{ path: "a", use: "create" }] },
	{ tool: "delete_file", input: { path: "a" }, paths: [{ path: "a", use: "delete" }] },
	{
		tool: "rename_file",
		input: { from: "a", to: "b" },
		paths: [
			{ path: "a", use: "write" },
			{ path: "b", use: "create" },
		],
	},
	{ tool: "apply_patch", input: { patch: "*** Begin Patch\n*** Delete File: a\n*** End Patch" }, paths: [{ path: "a", use: "delete" }] },
	{ tool: "execute_command", input: { command: "ls", cwd: "a" }, paths: [{ path: "a", use: "read" }] },
];

describe("the built-in tools", () => {
	it("are those of the contract, with what they need", () => {
		assert.deepEqual(Object.fromEntries(builtinTools().map((tool) => [tool.name, declarationOf(tool)])), expected);
	});

	it("declare every place that a field of theirs can name", () => {
		const pathLike = /^(path|paths|file|files|folder|directory|dir|cwd|from|to|patch|source|target|destination|uri)$/;
		const naming = builtinTools().flatMap((tool) => (fieldsOf(tool).some((field) => pathLike.test(field)) ? [tool.name] : []));
		assert.deepEqual(pathCalls.map(({ tool }) => tool).sort(), naming.sort());
		for (const { tool, input, paths } of pathCalls) assert.deepEqual(toolNamed(tool).paths?.(input), paths, tool);
	});

	it("declare commands and addresses", () => {
		assert.deepEqual(toolNamed("execute_command").command?.({ command: "ls", cwd: "a" }), { command: "ls", cwd: "a" });
		assert.equal(toolNamed("web_fetch").url?.({ url: "https://example.com" }), "https://example.com");
	});

	it("either change files or run, and know nothing but their declared permissions", () => {
		for (const tool of builtinTools()) {
			const changes = tool.permissions.some((permission) => ["WriteFiles", "CreateFiles", "DeleteFiles"].includes(permission));
			assert.deepEqual([Boolean(tool.edits), Boolean(tool.run)], [changes, !changes], tool.name);
			assert.ok(tool.permissions.every((permission) => PERMISSIONS.includes(permission)));
		}
	});

	it("say what they do, and what they did, to the person", () => {
		const said = [
			["read_file", { path: "src/a.ts" }],
			["search_code", { pattern: "formatPrice" }],
			["update_file", { path: "src/a.ts", old: "a", new: "b" }],
			["rename_file", { from: "a.ts", to: "b.ts" }],
			["apply_patch", { patch: "*** Update File: a.ts\n*** Add File: b.ts" }],
			["execute_command", { command: "npm test" }],
			["update_step", { step_number: 2, status: "done" }],
		] as const;
		assert.deepEqual(
			said.map(([name, input]) => [toolNamed(name).summary(input), toolNamed(name).done?.(input)]),
			[
				["Read src/a.ts", "Read src/a.ts"],
				["Search for formatPrice", "Searched for formatPrice"],
				["Edit src/a.ts", "Edited src/a.ts"],
				["Rename a.ts to b.ts", "Renamed a.ts to b.ts"],
				["Patch 2 files", "Patched 2 files"],
				["Run npm test", "Ran npm test"],
				["Update step 2", "Updated step 2"],
			],
		);
	});

	it("cost a model few tokens to know", () => {
		const sizeOf = (tools: Tool[]) =>
			tools.reduce(
				(sum, { name, description, input }) => sum + JSON.stringify({ name, description, input: z.toJSONSchema(input) }).length,
				0,
			) / 4;
		assert.ok(sizeOf(builtinTools()) < 2_250);
		const planner: Role = { id: "planner", label: "Planner", permissions: ["ReadFiles"], prompt: "", acts: "actor" };
		const agent = { agentId: "a", displayName: "A" };
		const offered = builtinTools().filter(
			({ permissions, suits }) => permissions.every((name) => name === "ReadFiles") && (suits?.(planner, agent) ?? true),
		);
		assert.ok(sizeOf(offered) < 1_400);
	});
});

describe("the paths of a patch", () => {
	it("are all it names, with the use of each", () => {
		const patch = [
			"*** Begin Patch",
			"*** Add File: a",
			"+*** Delete File: not-this",
			"*** Update File: b",
			"*** Move to: c",
			"@@",
			" *** Delete File: nor-this",
			"-x",
			"+y",
			"*** Delete File: d",
			"*** End Patch",
		];
		assert.deepEqual(pathsOfPatch(patch.join("\n")), [
			{ path: "a", use: "create" },
			{ path: "b", use: "write" },
			{ path: "c", use: "create" },
			{ path: "d", use: "delete" },
		]);
	});

	it("are found in a malformed patch, too", () => {
		assert.deepEqual(pathsOfPatch("garbage\n  *** Delete File: .git/config\n*** Move to:../x\r\n*** Update File:a\n*** Add File:   "), [
			{ path: ".git/config", use: "delete" },
			{ path: "../x", use: "create" },
			{ path: "a", use: "write" },
		]);
	});
});

function declarationOf(tool: Tool): Declared {
	const { required = [], properties = {} } = z.toJSONSchema(tool.input);
	const optional = Object.keys(properties).filter((field) => !required.includes(field));
	const declared = { plugin: tool.plugin, permissions: [...tool.permissions], capabilities: [...tool.capabilities], required };
	return optional.length === 0 ? declared : { ...declared, optional };
}

function fieldsOf(tool: Tool): string[] {
	return Object.keys(z.toJSONSchema(tool.input).properties ?? {});
}
