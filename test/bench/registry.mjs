// The registry's figures: bundles it as the extension has it, and runs it in a process of its own.

import { join } from "node:path";
import { build } from "esbuild";
import { root } from "../../scripts/install.mjs";
import { run } from "../../scripts/processes.mjs";
import { median, quantile } from "./figures.mjs";

const outdir = join(root, "out", "bench", "registry");

export async function measureRegistry() {
	await build({
		absWorkingDir: root,
		entryPoints: { registry: "test/bench/registry.ts" },
		outdir,
		bundle: true,
		splitting: true,
		minify: true,
		format: "esm",
		outExtension: { ".js": ".mjs" },
		platform: "node",
		// l10n for Node asks for CommonJS; the other form of the parser hides what it asks for.
		alias: {
			"@vscode/l10n": "@vscode/l10n/dist/browser.js",
			"jsonc-parser": "jsonc-parser/lib/esm/main.js",
			vscode: join(root, "test", "bench", "treePieces.ts"),
		},
		// What the rows do not need of the editor is not there.
		logOverride: { "import-is-undefined": "silent" },
		banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
		target: "node20",
		logLevel: "warning",
	});
	const { worst, catalog, catalogFloor, tree, treeFloor, tasks, effective, first, floor, offered } = JSON.parse(
		await run(process.execPath, [join(outdir, "registry.mjs")], { cwd: root }),
	);
	return [
		{
			name: "effective tools of an agent, 500 agents and 2,000 tools (floor: 2,000 names looked up)",
			unit: "ms",
			value: median(effective),
			floor: median(floor),
			reach: { value: 5 },
			details: { p95: quantile(effective, 0.95), offered },
		},
		{
			name: "the same for the first time, lists not compiled yet",
			unit: "ms",
			value: median(first),
			floor: median(floor),
			reach: { value: 25 },
			details: { best: Math.min(...first) },
		},
		{
			name: "the nastiest list there may be, over 2,000 tools for the first time, processor time",
			unit: "ms",
			value: Math.max(...worst),
			reach: { value: 50 },
			details: { samples: worst },
		},
		{
			name: "catalog of 500 agents in files (floor: reading and parsing them)",
			unit: "ms",
			value: median(catalog),
			floor: median(catalogFloor),
			reach: { value: 200 },
			details: { samples: catalog, floorSamples: catalogFloor },
		},
		{
			name: `tree of ${tree[0].agents} agents and ${tree[0].sessions} sessions: from files to a full screen of rows (floor: reading all files)`,
			unit: "ms",
			value: median(tree.map(({ screen }) => screen)),
			floor: median(treeFloor),
			reach: { value: 200 },
		},
		{
			name: "the same, to its last row",
			unit: "ms",
			value: median(tree.map(({ all }) => all)),
			floor: median(treeFloor),
			reach: { value: 200 },
			details: { samples: tree, floorSamples: treeFloor },
		},
		{
			name: `tree with ${tasks[0].tasks} finished tasks of one session: from files to its last row, older ones expanded`,
			unit: "ms",
			value: median(tasks.map(({ all }) => all)),
			reach: { value: 200 },
			details: { samples: tasks },
		},
	];
}
