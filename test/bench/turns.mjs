// Measures a turn of twenty tool calls, and streamed text from the server to the page.

// The turn is timed from Enter to the last text on the page. Troupe and its baseline alternate, each in its own
// window.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "../../scripts/install.mjs";
import { packFloor, startEditor, subjects, textbox, viewIcon } from "./editor.mjs";
import { median, quantile } from "./figures.mjs";
import { untilQuiet } from "./processes.mjs";

const names = ["troupe", "floor"];

export async function measureTurns(bench) {
	const { scratch, say, rounds: turns = 9, answers = 15 } = bench;
	const script = await bundleScript(scratch);
	const server = await script.startBenchServer();
	const chats = {};
	const spent = { troupe: [], floor: [] };
	const shown = { troupe: [], floor: [] };
	try {
		for (const name of names) chats[name] = await openChat(name, { ...bench, server, script });
		// The first two warm up: code is loaded and compiled.
		for (let turn = 0; turn < turns + 2; turn += 1)
			for (const name of names) {
				const milliseconds = (await chats[name].turn(turn)) / script.callsInTurn;
				if (server.complaints.length > 0) throw new Error(`The turn went wrong in ${name}: ${server.complaints[0]}`);
				if (turn >= 2) spent[name].push(milliseconds);
				say(`turn ${turn - 1}/${turns} ${name} ${milliseconds.toFixed(1)} ms a call`);
			}
		for (let answer = -1; answer < answers; answer += 1)
			for (const name of names) {
				const milliseconds = await chats[name].answer(`${name[0]}${answer + 2}`);
				if (answer >= 0) shown[name].push(milliseconds);
				say(`answer ${answer + 1}/${answers} ${name} ${milliseconds} ms`);
			}
	} finally {
		await Promise.all(Object.values(chats).map((chat) => chat.close()));
		await server.close();
	}
	return [
		{
			name: "a turn of 20 tool calls, for each call",
			unit: "ms",
			value: median(spent.troupe),
			floor: median(spent.floor),
			reach: { ratio: 2.5 },
			details: { samples: spent },
		},
		{
			name: "first streamed words written to visible",
			unit: "ms",
			value: median(shown.troupe),
			floor: median(shown.floor),
			reach: { value: 25 },
			details: { p95: quantile(shown.troupe, 0.95), samples: shown },
		},
	];
}

export async function bundleScript(scratch) {
	const outfile = join(scratch, "script.mjs");
	const entryPoints = [join(root, "test", "bench", "script.ts")];
	await build({ entryPoints, outfile, bundle: true, format: "esm", platform: "node", target: "node20", logLevel: "warning" });
	return import(pathToFileURL(outfile).href);
}

/** `before` has the window as it came, and gives the one that is measured. */
export async function openChat(name, { browser, scratch, vsix, server, script, environment, before }) {
	const subject = subjects[name];
	const packages = [name === "troupe" ? vsix : await packFloor("floor", scratch)];
	const editor = await startEditor({ browser, scratch, packages, settings: settingsFor(server.url), environment });
	try {
		const first = await editor.open({ sample: true });
		const window = (await before?.(editor, first)) ?? first;
		await writeFile(join(window.folder, script.changing.path), script.changing.content);
		await viewIcon(window.page, subject).click();
		const box = textbox(window.page, subject);
		await box.waitFor({ timeout: 60_000 });
		await untilQuiet(window.host);
		await box.evaluate(watchPage);
		return {
			window,
			async turn(number) {
				const { pressed, seen } = await send(window, box, `Turn ${number}`, `finished${number}.`);
				return seen - pressed;
			},
			async answer(word) {
				await box.evaluate((_, words) => window.benchAwait(words), `last${word}.`);
				const began = send(window, box, `Say ${word}`, `first${word}`);
				await untilQuiet(window.host);
				server.release(word, "first");
				const { seen } = await began;
				server.release(word, "rest");
				await box.evaluate((_, words) => window.benchSeen(words), `last${word}.`);
				return seen - server.written(word);
			},
			async close() {
				await window.close();
				await editor.stop();
			},
		};
	} catch (error) {
		await editor.stop();
		throw error;
	}
}

/** Nothing asks, and the model is the scripted one. */
export function settingsFor(url) {
	return {
		"troupe.model": "bench/scripted",
		"troupe.providers": { bench: { type: "openai-compatible", baseUrl: url, models: ["scripted"] } },
		"troupe.defaultRole": "actor",
		"troupe.approval": "auto",
		"floor.url": url,
		"git.enabled": false,
	};
}

/** Presses Enter as a person does; resolves with when that was and when the words were on the page. */
async function send({ page }, box, text, words) {
	await page.bringToFront();
	await box.fill(text);
	await box.evaluate((_, awaited) => window.benchAwait(awaited), words);
	await box.press("Enter");
	try {
		return await box.evaluate((_, awaited) => window.benchSeen(awaited), words);
	} catch (error) {
		const picture = join(root, "out", "bench", "failed.png");
		await page.screenshot({ path: picture });
		throw new Error(`${error.message.split("\n")[0]}. What the window showed is in ${picture}.`);
	}
}

/** Runs in the chat's page. Times are those of the clock on the wall, which the server has, too. */
function watchPage(box) {
	const log = document.querySelector('[role="log"]');
	const awaited = new Map();
	let pressed = 0;
	box.addEventListener("keydown", (event) => {
		if (event.key === "Enter") pressed = Date.now();
	});
	new MutationObserver((changes) => {
		for (const [words, entry] of awaited) {
			if (
				entry.seen ||
				!changes.some(({ target }) => (target.nodeType === Node.TEXT_NODE ? target.parentNode : target)?.textContent.includes(words))
			)
				continue;
			entry.seen = true;
			// In the next frame, and after it was drawn.
			requestAnimationFrame(() => {
				const channel = new MessageChannel();
				channel.port1.onmessage = () => entry.resolve({ pressed, seen: Date.now() });
				channel.port2.postMessage("");
			});
		}
	}).observe(log, { subtree: true, childList: true, characterData: true });
	window.benchAwait = (words) => {
		const entry = { seen: false };
		entry.promise = new Promise((resolve, reject) => {
			entry.resolve = resolve;
			setTimeout(() => reject(new Error(`"${words}" was not seen within two minutes`)), 120_000);
		});
		awaited.set(words, entry);
	};
	window.benchSeen = async (words) => {
		try {
			return await awaited.get(words).promise;
		} finally {
			awaited.delete(words);
		}
	};
}
