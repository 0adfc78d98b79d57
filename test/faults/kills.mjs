// Kills a process that runs the real conversation and storage code, at random moments, and looks for what was lost.
// `node test/faults/kills.mjs 500`. Exits with 1 when an acknowledged event is missing, out of order, or a call is orphaned.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyParser } from "../../scripts/parserAssets.mjs";
import { bundled } from "../bundle.mjs";

const KILLS = Number(process.argv[2] ?? 500);
/** Kills in one home before a new one is taken: sessions grow over their lives. */
const LIVES = 10;

await copyParser("out/parser");
const worker = await bundled("test/faults/worker.ts", "faults");

const found = { kills: 0, acknowledged: 0, lost: 0, disordered: 0, orphans: 0, damaged: 0, leftovers: 0, slowestFirstWrite: 0 };
for (let home; found.kills < KILLS; rmSync(home, { recursive: true, force: true })) {
	home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-kills-")));
	const acknowledged = new Map();
	for (let life = 0; life < LIVES && found.kills < KILLS; life += 1) {
		await live(home, acknowledged);
		found.kills += 1;
	}
	await check(home, acknowledged);
	if (process.stdout.isTTY) process.stdout.write(`\r${found.kills} kills, ${found.acknowledged} events acknowledged, ${found.lost} lost`);
}
console.log(`\n${JSON.stringify(found, null, 2)}`);
const bad = found.lost + found.disordered + found.orphans + found.leftovers + (found.slowestFirstWrite > 1_000 ? 1 : 0);
console.log(`${found.kills - bad} passed, ${bad} failed`);
process.exitCode = bad === 0 ? 0 : 1;

/** One life: killed at a random moment after its session is open. */
function live(home, acknowledged) {
	return new Promise((resolve) => {
		const child = spawn(process.execPath, [worker, home], { stdio: ["ignore", "pipe", "inherit"] });
		let rest = "";
		let timer;
		child.stdout.on("data", (chunk) => {
			const lines = (rest + chunk).split("\n");
			rest = lines.pop() ?? "";
			for (const line of lines) {
				const { opened, seq, id } = JSON.parse(line);
				if (opened) timer ??= setTimeout(() => child.kill("SIGKILL"), Math.random() * 600);
				else acknowledged.set(seq, id);
			}
		});
		child.on("close", () => {
			clearTimeout(timer);
			resolve();
		});
	});
}

async function check(home, acknowledged) {
	const lines = await new Promise((resolve) => {
		const child = spawn(process.execPath, [worker, home, "check"], { stdio: ["ignore", "pipe", "inherit"] });
		let text = "";
		child.stdout.on("data", (chunk) => {
			text += chunk;
		});
		child.on("close", () => resolve(text.trim().split("\n").map(JSON.parse)));
	});
	const opened = lines.find((line) => line.opened);
	const state = lines.find((line) => line.orphans);
	for (const line of lines) if (line.id) acknowledged.delete(line.seq);
	found.acknowledged += acknowledged.size;
	for (const [seq, id] of acknowledged) if (opened.ids[seq - 1] !== id) found.lost += 1;
	if (!state.inOrder) found.disordered += 1;
	found.orphans += state.orphans.length;
	found.damaged += state.damaged;
	found.slowestFirstWrite = Math.max(found.slowestFirstWrite, state.firstWrite);
	const names = readdirSync(join(home, "storage"), { recursive: true }).map(String);
	found.leftovers += names.filter((name) => /\.tmp|\.temp|~$/.test(name)).length;
}
