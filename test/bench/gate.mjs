// The gate's figures: bundles the gate as the extension has it, and runs it in processes of its own.

import { join } from "node:path";
import { build } from "esbuild";
import { root } from "../../scripts/install.mjs";
import { copyParser } from "../../scripts/parserAssets.mjs";
import { run } from "../../scripts/processes.mjs";
import { median, quantile } from "./figures.mjs";
import { measureGateBefore } from "./gateBefore.mjs";

const outdir = join(root, "out", "bench", "gate");
const parser = join(outdir, "parser");
const coldStarts = 9;

export async function measureGate(bench) {
	await build({
		absWorkingDir: root,
		entryPoints: { gate: "test/bench/gate.ts" },
		outdir,
		bundle: true,
		splitting: true,
		minify: true,
		format: "esm",
		outExtension: { ".js": ".mjs" },
		platform: "node",
		// l10n for Node asks for CommonJS.
		alias: { "@vscode/l10n": "@vscode/l10n/dist/browser.js" },
		target: "node20",
		logLevel: "warning",
	});
	await copyParser(parser);
	const { decisions, ...warm } = await inProcess("warm");
	const cold = [];
	const coldFloor = [];
	for (let start = 0; start < coldStarts; start += 1) {
		cold.push((await inProcess("cold")).milliseconds);
		coldFloor.push((await inProcess("cold-floor")).milliseconds);
	}
	const micro = (samples) => median(samples) * 1_000;
	return [
		{ name: "authorize on a path, given facts", unit: "µs", value: micro(warm.path), reach: { value: 50 }, details: { decisions } },
		{ name: "authorize on a command, given facts", unit: "µs", value: micro(warm.command), reach: { value: 200 } },
		{
			name: "whole decision on a path, p95 (floor: realpath and stat)",
			unit: "ms",
			value: quantile(warm.wholePath, 0.95),
			floor: quantile(warm.wholePathFloor, 0.95),
			reach: { value: 2 },
			details: { median: median(warm.wholePath), floorMedian: median(warm.wholePathFloor) },
		},
		{
			name: "whole decision on a command, p95",
			unit: "ms",
			value: quantile(warm.wholeCommand, 0.95),
			reach: { value: 2 },
			details: { median: median(warm.wholeCommand), medians: perCommand(warm) },
		},
		{
			name: "first command, parser cold (floor: the bare parser)",
			unit: "ms",
			value: median(cold),
			floor: median(coldFloor),
			reach: { value: 100 },
			details: { samples: cold, floorSamples: coldFloor },
		},
		...(await measureGateBefore(bench)),
	];
}

/** The commands come in turn, and what was left out was whole rounds. */
function perCommand({ commands, wholeCommand }) {
	return Object.fromEntries(
		commands.map((text, index) => [text, median(wholeCommand.filter((_, sample) => sample % commands.length === index))]),
	);
}

async function inProcess(kind) {
	return JSON.parse(await run(process.execPath, [join(outdir, "gate.mjs"), kind, parser], { cwd: root }));
}
