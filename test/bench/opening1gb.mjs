// Measures opening a 1 GB session in the host: first while its index is built, then with it.

// Memory is the growth of the process. The file is created in the scratch folder and removed with it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { median } from "./figures.mjs";

const BYTES = 1024 ** 3;

export async function measureOpening1gb({ scratch, say, rounds = 5 }) {
	const root = join(scratch, "opening1gb");
	const script = join(scratch, "opening1gb-open.mjs");
	const alias = { "@vscode/l10n": "@vscode/l10n/dist/browser.js" };
	await build({ entryPoints: ["test/bench/opening1gb.ts"], outfile: script, bundle: true, alias, platform: "node", format: "esm" });
	await writeSession(join(root, "sessions", "big", "current.jsonl"));
	try {
		const first = await open(script, root);
		say(`opening1gb first ${Math.round(first.open)} ms, told ${first.told} times, ${Math.round(first.memory)} MB`);
		const again = [];
		for (let round = 1; round <= rounds; round += 1) {
			again.push(await open(script, root));
			say(`opening1gb ${round}/${rounds} ${Math.round(again.at(-1).open)} ms, ${Math.round(again.at(-1).memory)} MB`);
		}
		const of = (what) => median(again.map((each) => each[what]));
		return [
			{ name: "session of 1 GB: first opening, its index is built", unit: "ms", value: first.open, reach: { value: 20_000 } },
			{ name: "session of 1 GB: memory of its first opening", unit: "MB", value: first.memory },
			{ name: "session of 1 GB: opening with its index", unit: "ms", value: of("open"), reach: { value: 1_000 } },
			{ name: "session of 1 GB: memory of that", unit: "MB", value: of("memory"), reach: { value: 60 } },
			{ name: "session of 1 GB: an earlier part", unit: "ms", value: of("page") },
		];
	} finally {
		await rm(root, { recursive: true, force: true });
	}
}

/** In a process of its own, which has read nothing before. */
async function open(script, root) {
	const child = spawn(process.execPath, [script, root], { stdio: ["ignore", "pipe", "inherit"] });
	let output = "";
	child.stdout.on("data", (chunk) => {
		output += chunk;
	});
	await once(child, "close");
	return JSON.parse(output);
}

/** Turns of eight calls, every fourth with a long output. */
async function writeSession(path) {
	await mkdir(dirname(path), { recursive: true });
	const file = createWriteStream(path);
	const source = Array.from({ length: 900 }, (_, line) => `${line + 1}\texport const value${line} = compute(${line});`).join("\n");
	let [seq, size] = [0, 0];
	for (let turn = 1; size < BYTES; turn += 1) {
		let text = "";
		const put = (by, body) => {
			seq += 1;
			const at = new Date(Date.UTC(2026, 0, 1) + seq * 700).toISOString();
			const id = `${seq.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
			text += `${JSON.stringify({ id, seq, at, turn: `turn-${turn}`, by, ...body })}\n`;
		};
		if (turn === 1) put("host", { type: "role", role: "actor" });
		put("person", { type: "user", text: `Question ${turn}: look at file ${turn % 97}` });
		put("host", { type: "started", agent: "default", definitionHash: "", role: "actor", model: "offline/offline" });
		for (let step = 0; step < 8; step += 1) {
			const call = `call-${turn}-${step}`;
			const usage = { input: 5_000, output: 120, cached: 4_000, cost: 0.001 };
			put("model", {
				type: "assistant",
				text: `Step ${step}.`,
				calls: [{ id: call, name: "read_file", input: { path: `src/file${step}.ts` } }],
				usage,
			});
			put("host", { type: "result", call, status: "ok", output: source.slice(0, step % 4 === 3 ? 40_000 : 1_500 + ((turn * 31) % 3_000)) });
		}
		put("model", { type: "assistant", text: `Answer ${turn}.` });
		put("host", { type: "ended", outcome: "done" });
		size += text.length;
		if (!file.write(text)) await once(file, "drain");
	}
	file.end();
	await once(file, "close");
}
