// Measures the overhead of the sandbox: the same command with and without it, alternating in one run.

import { join } from "node:path";
import { build } from "esbuild";
import { ensureBubblewrap } from "../../scripts/bubblewrap.mjs";
import { root } from "../../scripts/install.mjs";
import { run } from "../../scripts/processes.mjs";
import { median, quantile } from "./figures.mjs";

const outdir = join(root, "out", "bench", "sandbox");

export async function measureSandbox({ rounds = 60, say }) {
	await ensureBubblewrap({ say });
	await build({
		absWorkingDir: root,
		entryPoints: { sandbox: "test/bench/sandbox.ts" },
		outdir,
		bundle: true,
		minify: true,
		format: "esm",
		outExtension: { ".js": ".mjs" },
		platform: "node",
		// l10n for Node asks for CommonJS.
		alias: { "@vscode/l10n": "@vscode/l10n/dist/browser.js" },
		target: "node20",
		logLevel: "warning",
	});
	const { free, read, work, found } = JSON.parse(await run(process.execPath, [join(outdir, "sandbox.mjs"), String(rounds)]));
	const spread = (samples) => ({ p10: quantile(samples, 0.1), p90: quantile(samples, 0.9) });
	return [
		{
			name: "a command kept in to read (floor: the same one free)",
			unit: "ms",
			value: median(read),
			floor: median(free),
			reach: { over: 15 },
			details: { read: spread(read), free: spread(free) },
		},
		{
			name: "a command kept in to work (floor: the same one free)",
			unit: "ms",
			value: median(work),
			floor: median(free),
			details: spread(work),
		},
		{ name: "finding out whether the sandbox works, once in a window", unit: "ms", value: found },
	];
}
