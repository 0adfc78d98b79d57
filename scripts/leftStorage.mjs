// Makes test/fixtures/leftStorage: the storage of windows that died with calls between agents and background tasks under way.

// `node scripts/leftStorage.mjs --write`. Run it only when a released version has changed what sessions store, and keep the old
// fixture beside the new one then: a storage that was left once has to be recovered by every later version.
import { spawn } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { bundled } from "../test/bundle.mjs";
import { root } from "./install.mjs";
import { copyParser } from "./parserAssets.mjs";

const FIXTURE = join(root, "test", "fixtures", "leftStorage");
/** They name processes and inodes of this computer, and are made anew. */
const OWN = /(^|[/\\])(owner\.json|index\.json|wanted|[^/\\]+\.lock)$/;

if (process.argv[2] !== "--write") throw new Error("`node scripts/leftStorage.mjs --write` replaces test/fixtures/leftStorage.");
await copyParser(join(root, "out", "parser"));
const program = await bundled("test/faults/leftStorage.program.ts", "leftStorage");
const home = await mkdtemp(join(tmpdir(), "troupe-left-"));
try {
	await killedAt(start("interrupts"), "left");
	const dying = start("dies");
	await reached(dying, "ready");
	const holding = start("holds");
	await reached(holding, "left");
	// Alive, so that it keeps its sessions, and without a chance to read what comes.
	holding.kill("SIGSTOP");
	dying.stdin.write("go on\n");
	await killedAt(dying, "left");
	await kill(holding);
	await refuseMachinePaths(join(home, "storage"));
	await rm(FIXTURE, { recursive: true, force: true });
	await cp(join(home, "storage"), FIXTURE, { recursive: true, filter: (path) => !OWN.test(path) });
} finally {
	await rm(home, { recursive: true, force: true });
}

function start(part) {
	const child = spawn(process.execPath, [program, home, part], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
	child.moments = new Set();
	createInterface({ input: child.stdout }).on("line", (line) => {
		child.moments.add(JSON.parse(line).moment);
		child.emit("moment");
	});
	return child;
}

function reached(child, moment) {
	return new Promise((resolve, reject) => {
		const look = () => child.moments.has(moment) && resolve();
		child.on("moment", look);
		child.on("close", (code) => reject(new Error(`The program ended with ${code} before it was ${moment}.`)));
		look();
	});
}

async function killedAt(child, moment) {
	await reached(child, moment);
	await kill(child);
}

function kill(child) {
	return new Promise((resolve) => {
		child.on("close", resolve);
		child.kill("SIGKILL");
	});
}

/** The fixture is opened in other places. */
async function refuseMachinePaths(storage) {
	for (const name of await readdir(storage, { recursive: true })) {
		const text = await readFile(join(storage, name), "utf8").catch(() => "");
		for (const path of [home, root]) if (!OWN.test(name) && text.includes(path)) throw new Error(`${name} names ${path}.`);
	}
}
