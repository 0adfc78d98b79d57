// Times one command in turns: free, kept in to read, kept in to work. Prints the samples as JSON.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxRestrictions } from "../../src/core/ports/workspace/commands.ts";
import { createPlatform } from "../../src/platform/platform.ts";

const ROUNDS = Number(process.argv[2] ?? 60);
const FILES = 400;

const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-bench-sandbox-")));
const folder = join(root, "workspace");
mkdirSync(folder);
for (let index = 0; index < FILES; index += 1) writeFileSync(join(folder, `file${index}.txt`), `line ${index}\n`);
const git = (...words: string[]) => execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...words], { cwd: folder });
git("init", "-q");
git("add", "-A");
git("commit", "-qm", "files");

const machine = createPlatform({
	folders: () => [{ name: "workspace", path: folder }],
	identity: () => folder,
	outputFolder: join(root, "spill"),
	blobs: { put: async () => "", get: async () => undefined },
	findRipgrep: async () => undefined,
	extraVariables: () => [],
	sandbox: {
		hiddenFolders: [join(root, "storage")],
		readableFolders: [],
		cacheFolder: join(root, "storage", "caches"),
		writableCaches: () => [],
		isProtected: (inside) => /(^|\/)\.git$/.test(inside),
		log: () => undefined,
		home: homedir(),
	},
});

/** Milliseconds. */
async function timed(confine: SandboxRestrictions | undefined): Promise<number> {
	const started = performance.now();
	const how = { cwd: folder, signal: new AbortController().signal, timeout: 60_000, ...(confine && { confine }) };
	const { exitCode } = await machine.run("git status --short && ls", how);
	if (exitCode !== 0) throw new Error("the command failed");
	return performance.now() - started;
}

const reading: SandboxRestrictions = { kind: "read", network: false, masked: [] };
const working: SandboxRestrictions = { kind: "workspace", network: false, masked: [] };
const began = performance.now();
const works = await machine.sandbox?.isAvailable();
const found = performance.now() - began;
if (!works) throw new Error(machine.sandbox?.statusMessage());
const samples = { free: [] as number[], read: [] as number[], work: [] as number[], found };
for (let round = -2; round < ROUNDS; round += 1) {
	const [free, read, work] = [await timed(undefined), await timed(reading), await timed(working)];
	if (round < 0) continue;
	samples.free.push(free);
	samples.read.push(read);
	samples.work.push(work);
}
await machine.dispose();
rmSync(root, { recursive: true, force: true });
console.log(JSON.stringify(samples));
