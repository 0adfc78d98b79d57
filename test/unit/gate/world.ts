// A real workspace on disk with a gate, and helpers that ask it about commands and paths.

import { lstat, mkdir, mkdtemp, open, readdir, readlink, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type {
	CommandFacts,
	Gate,
	GateRequest,
	Grant,
	HostFolder,
	PermissionRules,
	SimpleCommand,
	ToolDeclaration,
	Verdict,
} from "../../../src/core/ports/gate.ts";
import type { PathFacts, PathUse } from "../../../src/core/ports/tool.ts";
import type { Disk, FileStat } from "../../../src/core/ports/workspace/files.ts";
import { type ApprovalMode, PERMISSIONS, type Role } from "../../../src/core/role.ts";
import { authorize } from "../../../src/gate/authorize.ts";
import { createGate } from "../../../src/gate/gate.ts";
import { assessKnownProgram } from "../../../src/gate/knownPrograms.ts";
import { assessUnknownProgram } from "../../../src/gate/programs/lookup.ts";
import { inspect, walk } from "../../../src/platform/files/walk.ts";
import { createPrograms } from "../../../src/platform/programs/programs.ts";

export const disk: Disk = {
	async lstat(path) {
		const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
			if (error.code === "ENOENT") return undefined;
			throw error;
		});
		if (!found) return undefined;
		const type: FileStat["type"] = found.isFile() ? "file" : found.isDirectory() ? "directory" : "other";
		const link = found.isSymbolicLink() ? await readlink(path) : undefined;
		return { type, size: found.size, mtime: found.mtimeMs, links: found.nlink, ...(link !== undefined && { link }) };
	},
	realpath: (path) => realpath(path).catch(() => undefined),
	async peek(path, limit) {
		const handle = await open(path).catch(() => undefined);
		if (!handle) return undefined;
		try {
			const { bytesRead, buffer } = await handle.read(Buffer.alloc(limit), 0, limit, 0);
			return buffer.subarray(0, bytesRead);
		} catch {
			return undefined;
		} finally {
			await handle.close();
		}
	},
	walk,
	inspect,
	async list(path) {
		const entries = await readdir(path, { withFileTypes: true });
		return entries.map((entry) => ({
			name: entry.name,
			type: entry.isFile() ? "file" : entry.isDirectory() ? "directory" : "other",
			link: entry.isSymbolicLink(),
		}));
	},
};

export const parser = join("out", "parser");

/** Puts both wasm files in one folder, as the build does. */
export async function layParser(): Promise<void> {
	const { copyFile } = await import("node:fs/promises");
	await mkdir(parser, { recursive: true });
	await copyFile("node_modules/web-tree-sitter/web-tree-sitter.wasm", join(parser, "web-tree-sitter.wasm"));
	await copyFile("node_modules/tree-sitter-bash/tree-sitter-bash.wasm", join(parser, "tree-sitter-bash.wasm"));
}

export interface World {
	/** Holds the workspace `ws` and whatever lies beside it. */
	root: string;
	gate: Gate;
	dispose(): Promise<void>;
}

export interface WorldOptions {
	folders?: readonly { name: string; path: string }[];
	storage?: readonly string[];
	/** Below the root, as everything else here. */
	hostFolders?: readonly HostFolder[];
	homes?: readonly string[];
}

/** Files by path below the root; a path that ends in `/` is an empty folder. */
export async function makeWorld(files: Record<string, string>, options: WorldOptions = {}): Promise<World> {
	await layParser();
	const root = await realpath(await mkdtemp(join(tmpdir(), "gate-")));
	await mkdir(join(root, "ws"));
	for (const [name, text] of Object.entries(files)) {
		const path = join(root, name);
		await mkdir(name.endsWith("/") ? path : dirname(path), { recursive: true });
		if (!name.endsWith("/")) await writeFile(path, text);
	}
	const folders = (options.folders ?? [{ name: "ws", path: "ws" }]).map(({ name, path }) => ({ name, path: join(root, path) }));
	const storage = (options.storage ?? ["storage"]).map((path) => join(root, path));
	const host = createPrograms({ folders: () => folders, extraVariables: () => [], findRipgrep: (find) => find("rg") });
	const hostFolders = (options.hostFolders ?? []).map(({ path, kind }) => ({ path: join(root, path), kind }));
	const homes = (options.homes ?? []).map((path) => join(root, path));
	const gate = createGate({ disk, folders: () => folders, storage, host, hostFolders: () => hostFolders, homes, parser });
	return { root, gate, dispose: () => rm(root, { recursive: true, force: true }) };
}

export function role(label: string, ...permissions: Role["permissions"]): Role {
	return { id: label.toLowerCase(), label, permissions, prompt: "" };
}

export const actor = role("Actor", ...PERMISSIONS);
export const planner: Role = { ...role("Planner", "ReadFiles", "Delegate"), acts: "actor" };

function tool(name: string, permissions: ToolDeclaration["permissions"], capability: string, plugin = "files"): ToolDeclaration {
	return { name, plugin, permissions, capabilities: [capability] };
}

export const tools = {
	read: tool("read_file", ["ReadFiles"], "files.read"),
	search: tool("search_code", ["ReadFiles"], "files.search"),
	update: tool("update_file", ["ReadFiles", "WriteFiles"], "files.write"),
	create: tool("create_file", ["WriteFiles", "CreateFiles"], "files.write"),
	remove: tool("delete_file", ["ReadFiles", "DeleteFiles"], "files.delete"),
	rename: tool("rename_file", ["ReadFiles", "WriteFiles", "CreateFiles"], "files.write"),
	patch: tool("apply_patch", ["ReadFiles", "WriteFiles"], "files.write"),
	run: tool("execute_command", ["ExecuteCommands"], "commands.run", "terminal"),
	fetch: tool("web_fetch", ["Network"], "web.fetch", "web"),
	plan: tool("present_plan", [], "plan.present", "plan"),
};

export function rules(lists: { deny?: string[]; ask?: string[]; allow?: string[] }): PermissionRules {
	return { deny: lists.deny ?? [], ask: lists.ask ?? [], allow: lists.allow ?? [] };
}

export interface Asking extends Partial<Omit<GateRequest, "rules" | "grants" | "mode">> {
	rules?: PermissionRules;
	grants?: Grant[];
	mode?: ApprovalMode;
}

export const agent = { agentId: "default", displayName: "General Assistant" };

export function request(asking: Asking): GateRequest {
	return {
		agent,
		role: actor,
		tool: tools.read,
		access: { pluginsOff: [] },
		paths: [],
		rules: rules({}),
		grants: [],
		workspace: "w",
		mode: "plan",
		planRuns: false,
		canAsk: true,
		...asking,
	};
}

export function grant(tool: string, className: string, scriptsHash?: string): Grant {
	return {
		agent: "default",
		tool,
		class: className,
		workspace: "w",
		at: "2026-01-01T00:00:00Z",
		...(scriptsHash !== undefined && { scriptsHash }),
	};
}

/** What the gate says of a command line. */
export async function command({ gate }: World, text: string, asking: Asking = {}, cwd?: string): Promise<Verdict> {
	return gate.authorize(request({ tool: tools.run, command: await gate.command(text, cwd), ...asking }));
}

/** What the gate says of a tool's call on paths. */
export async function paths({ gate }: World, declared: ToolDeclaration, given: [string, PathUse][], asking: Asking = {}): Promise<Verdict> {
	const facts = await Promise.all(given.map(([path, use]) => gate.path(path, use)));
	return gate.authorize(request({ tool: declared, paths: facts, ...asking }));
}

/** The allowlist that trust.md tries the command vectors with. */
export const listed = rules({
	allow: ["echo", "ls", "cat", "grep", "rg", "find", "sed", "sort", "wc", "head", "cut", "pwd", "git log", "git status", "git diff"].map(
		(name) => `execute_command(${name} *)`,
	),
});

export function file(path: string, use: PathUse, more: Partial<PathFacts> = {}): PathFacts {
	const real = `/ws/${path}`;
	return { use, given: path, literal: real, real, literalInside: path, realInside: path, exists: true, links: 1, ...more };
}

/** A line as the tables know its words; what its commands are bound to hashes to "h1". */
export function line(...commands: string[]): CommandFacts {
	const words = commands.map((text) => text.split(" "));
	return { text: commands.join(" && "), cwd: file(".", "read"), commands: words.map(simple), mentioned: words };
}

function simple(words: string[]): SimpleCommand {
	const call = { words, unknown: new Set<number>(), flavor: "gnu" as const };
	const { operands: _, bindings, git: _git, ...judged } = assessKnownProgram(call) ?? assessUnknownProgram(call);
	return { ...judged, words, paths: [], ...(words[0] === "cd" && { reads: true }), ...(bindings && { boundTo: "h1" }) };
}

export function decide(asking: Asking): string {
	return authorize(request(asking)).decision;
}
