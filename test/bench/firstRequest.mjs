// Measures the time from a window's first Enter to the request at the model server.

// Includes everything that a host loads and reads only then.

import { packFloor, startEditor, subjects, textbox, viewIcon } from "./editor.mjs";
import { median } from "./figures.mjs";
import { untilQuiet, within } from "./processes.mjs";
import { bundleScript, settingsFor } from "./turns.mjs";

export async function measureFirstRequest({ browser, scratch, vsix, say, rounds = 7 }) {
	const { startBenchServer } = await bundleScript(scratch);
	const server = await startBenchServer();
	const packages = { troupe: [vsix], floor: [await packFloor("floor", scratch)] };
	const editors = {};
	const waited = { troupe: [], floor: [] };
	try {
		for (const name of ["troupe", "floor"])
			editors[name] = await startEditor({ browser, scratch, packages: packages[name], settings: settingsFor(server.url) });
		// The first of each fills the caches of disk and browser.
		for (let round = 0; round <= rounds; round += 1)
			for (const name of ["troupe", "floor"]) {
				const milliseconds = await askOnce(editors[name], subjects[name], server, `${name}${round}`);
				if (round > 0) waited[name].push(milliseconds);
				say(`first request ${round}/${rounds} ${name} ${milliseconds} ms`);
			}
	} finally {
		await Promise.all(Object.values(editors).map((editor) => editor.stop()));
		await server.close();
	}
	return [
		{
			name: "first Enter of a window to the request at the server",
			unit: "ms",
			value: median(waited.troupe),
			floor: median(waited.floor),
			reach: { ratio: 1.5 },
			details: { samples: waited },
		},
	];
}

async function askOnce(editor, subject, server, word) {
	const window = await editor.open();
	await viewIcon(window.page, subject).click();
	const box = textbox(window.page, subject);
	await box.waitFor({ timeout: 60_000 });
	await untilQuiet(window.host);
	await box.fill(`Say ${word}`);
	await box.evaluate((field) => {
		field.addEventListener("keydown", () => Object.assign(window, { benchPressed: Date.now() }), { once: true });
	});
	await box.press("Enter");
	const pressed = await box.evaluate(() => window.benchPressed);
	const asked = await within(60_000, "nothing was asked", () => server.asked(word));
	server.release(word, "first");
	server.release(word, "rest");
	await untilQuiet(window.host);
	await window.close();
	return asked - pressed;
}
