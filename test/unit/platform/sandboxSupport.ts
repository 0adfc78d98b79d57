// A platform with a real sandbox: a workspace, a home folder with secrets, and our storage.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { RunOptions, RunResult, SandboxRestrictions } from "../../../src/core/ports/workspace/commands.ts";
import { createPlatform, type Platform, type PlatformOptions } from "../../../src/platform/platform.ts";
import type { Sandbox } from "../../../src/platform/sandbox/sandbox.ts";
import { how, memoryBlobs } from "./support.ts";

export interface Yard {
	machine: Platform;
	sandbox: Sandbox;
	/** The workspace folder. */
	folder: string;
	home: string;
	storage: string;
	/** What the log was told. */
	said: string[];
	/** Writes a file below the yard with its folders: "workspace/a", "home/.ssh/id". Returns its path. */
	put(name: string, content: string): string;
	/** Runs a command that may only read, unless it is told otherwise. */
	run(command: string, confine?: Partial<SandboxRestrictions>, more?: Partial<RunOptions>): Promise<RunResult>;
	/** Runs a command that works in the workspace. */
	work(command: string, confine?: Partial<SandboxRestrictions>, more?: Partial<RunOptions>): Promise<RunResult>;
	dispose(): Promise<void>;
}

export const SECRET = "canary-51c0ffee";

type Options = Partial<NonNullable<PlatformOptions["sandbox"]>> & {
	/** The workspace folder, relative to the yard. */
	folder?: string;
	/** That folder is a link. */
	linked?: boolean;
	/** Others that are open, too. */
	further?: readonly string[];
	/** Where the yard lies. */
	around?: string;
};

/** `shared`: names in the storage. */
export function yard({ folder: named = "workspace", around = tmpdir(), further = [], linked = false, ...options }: Options = {}): Yard {
	const root = realpathSync(mkdtempSync(join(around, "sandbox-")));
	const [folder, home, storage] = [join(root, named), join(root, "home"), join(root, "storage")];
	const others = further.map((name) => join(root, name));
	if (linked) {
		mkdirSync(`${folder}-itself`);
		symlinkSync(`${folder}-itself`, folder);
	}
	for (const made of [folder, home, storage, ...others]) mkdirSync(made, { recursive: true });
	const said: string[] = [];
	const { readableFolders: shared = [], ...rest } = options;
	const machine = createPlatform({
		folders: () => [folder, ...others].map((path) => ({ name: basename(path), path })),
		identity: () => folder,
		outputFolder: join(root, "spill"),
		blobs: memoryBlobs(),
		findRipgrep: async () => undefined,
		extraVariables: () => [],
		sandbox: {
			hiddenFolders: [storage],
			readableFolders: shared.map((name) => join(storage, name)),
			cacheFolder: join(storage, "caches"),
			writableCaches: () => [],
			isProtected: (inside) => PROTECTED.test(inside),
			log: (line) => said.push(line),
			home,
			...rest,
		},
	});
	assert.ok(machine.sandbox);
	const run = (command: string, confine: Partial<SandboxRestrictions>, more: Partial<RunOptions> = {}) =>
		machine.run(command, how(folder, { env: { HOME: home }, confine: { kind: "read", network: false, masked: [], ...confine }, ...more }));
	return {
		machine,
		sandbox: machine.sandbox,
		folder,
		home,
		storage,
		said,
		put(name, content) {
			const path = join(root, name);
			mkdirSync(dirname(path), { recursive: true });
			writeFileSync(path, content);
			return path;
		},
		run: (command, confine = {}, more) => run(command, confine, more),
		work: (command, confine = {}, more) => run(command, { kind: "workspace", ...confine }, more),
		async dispose() {
			await machine.dispose();
			rmSync(root, { recursive: true, force: true });
		},
	};
}

/** Makes the folder a repository with one commit of what lies in it. */
export function commitAll(folder: string): void {
	const call = (...words: string[]) => execFileSync("git", words, { cwd: folder, stdio: "ignore" });
	call("init", "-q");
	call("config", "user.email", "who@example.com");
	call("config", "user.name", "Who");
	call("add", "-A");
	call("commit", "-q", "--allow-empty", "-m", "first");
}

/**
 * Tests that need bubblewrap: left out, with the reason, where it cannot be had. On Debian as root the project installs it,
 * so there they run, and fail where it is missing.
 */
export function describeKeptIn(name: string, tests: () => void): void {
	const why = noBubblewrap();
	if (why === undefined) return void describe(name, tests);
	console.log(`Left out because ${why}: ${name}`);
	describe.skip(`${name} (left out because ${why})`, tests);
}

const PROTECTED = /(^|\/)(\.git|\.vscode|\.env|\.husky|AGENTS\.md)$/i;

function noBubblewrap(): string | undefined {
	if (process.platform !== "linux") return "bubblewrap is for Linux only";
	const installable = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
	if (installable) return undefined;
	if (!isInstalled("bwrap")) return "bubblewrap is not installed and only root could install it";
	try {
		execFileSync("bwrap", ["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"], { stdio: "ignore" });
		return undefined;
	} catch {
		return "this machine does not let programs have namespaces of their own";
	}
}

function isInstalled(name: string): boolean {
	const folders = (process.env["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"));
	return folders.some((folder) => {
		try {
			accessSync(join(folder, name), constants.X_OK);
			return true;
		} catch {
			return false;
		}
	});
}
