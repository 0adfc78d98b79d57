// Measures the idle memory of the extension host against a host with an empty extension.

import { packFloor, startEditor } from "./editor.mjs";
import { median } from "./figures.mjs";
import { proportionalSize, untilQuiet, within } from "./processes.mjs";

/** Readings in a row that lie as close together (MB) as this. */
const alike = { readings: 8, apart: 0.3 };

export async function measureMemory({ browser, scratch, vsix, say, rounds: starts = 5 }) {
	const sizes = { troupe: [], empty: [] };
	const editors = {
		troupe: await startEditor({ browser, scratch, packages: [vsix] }),
		empty: await startEditor({ browser, scratch, packages: [await packFloor("empty", scratch)] }),
	};
	try {
		for (let start = 1; start <= starts; start += 1)
			for (const name of ["troupe", "empty"]) {
				const window = await editors[name].open();
				const size = await settledSize(window.host);
				await window.close();
				sizes[name].push(size);
				say(`memory ${start}/${starts} ${name} ${size.toFixed(1)} MB`);
			}
	} finally {
		await Promise.all(Object.values(editors).map((editor) => editor.stop()));
	}
	return [
		{
			name: "extension host, idle, PSS (floor: an empty extension)",
			unit: "MB",
			value: median(sizes.troupe),
			floor: median(sizes.empty),
			reach: { over: 15 },
			details: { samples: sizes },
		},
	];
}

async function settledSize(pid) {
	await untilQuiet(pid);
	const last = [];
	await within(120_000, `the memory of process ${pid} did not settle`, async () => {
		last.push(await proportionalSize(pid));
		if (last.length > alike.readings) last.shift();
		return last.length === alike.readings && Math.max(...last) - Math.min(...last) <= alike.apart;
	});
	return median(last);
}
