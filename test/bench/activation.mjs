// Measures cold activation in a new extension host and checks the packages loaded by then.

// Timed from inside the host by probe/extension.js. No SDK, parser or schema library may be loaded.

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { packFloor, startEditor, subjects } from "./editor.mjs";
import { median } from "./figures.mjs";
import { within } from "./processes.mjs";

/** 3 kB that look words up in a table. */
const light = new Set(["@vscode/l10n"]);

export async function measureActivation({ browser, scratch, vsix, metafile, say, rounds: starts = 20 }) {
	const probe = await packFloor("probe", scratch);
	const seen = { troupe: [], floor: [] };
	const editors = {
		troupe: await watchedEditor("troupe", [vsix, probe]),
		floor: await watchedEditor("floor", [await packFloor("floor", scratch), probe]),
	};
	try {
		// The first of each fills the disk's cache.
		for (let start = 0; start <= starts; start += 1)
			for (const name of ["troupe", "floor"]) {
				const found = await editors[name].start();
				if (start > 0) seen[name].push(found);
				say(`activation ${start}/${starts} ${name} ${found.total.toFixed(1)} ms`);
			}
	} finally {
		await Promise.all(Object.values(editors).map((editor) => editor.stop()));
	}
	const loaded = seen.troupe[0].files;
	const heavy = packagesIn(loaded, metafile).filter((name) => !light.has(name));
	if (heavy.length > 0) throw new Error(`Activation loaded ${heavy.join(", ")}: it should load no package but ${[...light].join(", ")}.`);
	const parts = (samples) =>
		Object.fromEntries(["require", "between", "activate", "cpu"].map((part) => [part, median(samples.map((each) => each[part]))]));
	const own = (samples) => median(samples.map(({ require, activate }) => require + activate));
	return [
		{
			name: "activation, require and activate alone, without VS Code's work between them",
			unit: "ms",
			value: own(seen.troupe),
			floor: own(seen.floor),
			reach: { over: 15 },
		},
		{
			name: "activation, require to activate resolved",
			unit: "ms",
			value: median(seen.troupe.map(({ total }) => total)),
			floor: median(seen.floor.map(({ total }) => total)),
			reach: { over: 15 },
			note: `loaded by then: ${loaded.join(", ")}; no package but ${[...light].join(", ")}`,
			details: { troupe: parts(seen.troupe), floor: parts(seen.floor), samples: seen },
		},
	];

	async function watchedEditor(name, packages) {
		const file = join(scratch, `seen-${name}.json`);
		const environment = { BENCH_WATCHED: subjects[name].extension, BENCH_SEEN: file };
		const editor = await startEditor({ browser, scratch, packages, environment });
		return {
			stop: editor.stop,
			async start() {
				await rm(file, { force: true });
				const window = await editor.open();
				const found = await within(60_000, `${name} was not activated`, () => readFile(file, "utf8").then(JSON.parse, () => undefined));
				await window.close();
				return found;
			},
		};
	}
}

/** Names of npm packages with code in these files of the bundle, as its metafile tells. */
function packagesIn(files, { outputs }) {
	const inputs = files.flatMap((file) => {
		const output = outputs[file];
		if (!output) throw new Error(`${file} was loaded and is not in dist/meta.json: dist/ and the package differ.`);
		return Object.keys(output.inputs);
	});
	const names = inputs.flatMap((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []);
	return [...new Set(names)];
}
