// Creates a workspace with a repository and many files, and a gate configured as in the extension.

// Also works with the gate of an earlier commit.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { builtinRoles, defaultAgent } from "../../src/agents/builtinRoles.ts";
import type { GateRequest } from "../../src/core/ports/gate.ts";
import { createGate } from "../../src/gate/gate.ts";
import { createPlatform } from "../../src/platform/platform.ts";

/** Below `many`, in 50 folders of folders. */
const FILES = 5_000;

export interface Asking {
	/** `memo` keeps what was learned, as a session does for a turn. */
	command(text: string, memo: Map<string, unknown>): Promise<void>;
	path(given: string, use: "read" | "write"): Promise<void>;
	close(): Promise<void>;
}

export function askingOver(parser: string): Asking {
	const home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-bench-turns-")));
	const folder = join(home, "workspace");
	layWorkspace(folder);
	const folders = () => [{ name: "workspace", path: folder }];
	const blobs = { put: async () => ({ blob: "", size: 0 }), get: async () => new Uint8Array() };
	const machine = createPlatform({
		folders,
		identity: () => folder,
		outputFolder: join(home, "spill"),
		blobs: blobs as never,
		findRipgrep: async () => undefined,
		extraVariables: () => [],
	});
	const host = "programs" in machine ? { host: machine.programs } : {};
	const gate = createGate({ disk: machine, folders, storage: [join(home, "storage")], parser, ...host });
	const role = builtinRoles.find(({ id }) => id === "actor");
	if (!role) throw new Error("there is no actor");
	const access = { pluginsOff: [] };
	const rest = { agent: defaultAgent, role, access, grants: [], workspace: "bench", mode: "plan", planRuns: false, canAsk: true } as const;
	const rules = { deny: ["execute_command(curl *)"], ask: ["execute_command(git push *)"], allow: ["execute_command(npm test *)"] };
	const authorize = (asked: object) => void gate.authorize({ ...rest, rules, ...asked } as unknown as GateRequest);
	// An earlier gate kept nothing for a turn.
	const command = gate.command as (text: string, cwd: undefined, memo: Map<string, unknown>) => ReturnType<typeof gate.command>;
	return {
		async command(text, memo) {
			authorize({ tool: COMMAND, paths: [], command: await command(text, undefined, memo) });
		},
		async path(given, use) {
			authorize({ tool: FILE, paths: [await gate.path(given, use)] });
		},
		async close() {
			await machine.dispose();
			rmSync(home, { recursive: true, force: true });
		},
	};
}

const COMMAND = { name: "execute_command", plugin: "terminal", permissions: ["ExecuteCommands"], capabilities: [] };
const FILE = { name: "update_file", plugin: "files", permissions: ["ReadFiles"], capabilities: [] };

function layWorkspace(folder: string): void {
	const put = (name: string, content: string): void => {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), content);
	};
	for (let part = 0; part < 16; part += 1) for (let file = 0; file < 20; file += 1) put(`packages/part${part}/src/file${file}.ts`, "x\n");
	for (let file = 0; file < FILES; file += 1) put(`many/f${file % 50}/g${file % 10}/n${file}.ts`, "x\n");
	put("package.json", JSON.stringify({ name: "bench", scripts: { test: "node --test", build: "tsc" } }));
	put("README.md", "# Bench\n");
	const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, stdio: "ignore" });
	git("init", "-q");
	git("add", "README.md", "package.json");
	git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one");
}
