// Measures streaming an answer of 20,000 tokens of mixed Markdown at 1,000 tokens a second.

// Includes the loop, the host's batching and checkpoints on disk, and the page's bundle. Excludes the model's wire
// format and VS Code's own messaging between host and page.

import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { quantile } from "./figures.mjs";
import { buildAll, openPage, serve } from "./page/site.mjs";
import { proportionalSize } from "./processes.mjs";

const TOKENS = 20_000;
const PER_SECOND = 1_000;

export async function measureStreaming({ browser, scratch, say }) {
	const host = await buildAll();
	const site = await serve();
	const text = host.mixedMarkdown(TOKENS);
	const found = { webview: {}, bare: {} };
	try {
		// Watching frames makes frames: processor time is taken of an answer of its own.
		for (const name of ["webview", "bare"])
			for (const what of ["frames", "processor"]) {
				const home = await mkdtemp(join(scratch, "streaming-"));
				const taken = await streamOnce({ browser, url: site.url, name, home, host, text, what });
				Object.assign(found[name], taken);
				say(
					`streaming ${name} ${Object.entries(taken)
						.map(([key, value]) => `${key} ${Math.round(value)}`)
						.join(", ")}`,
				);
			}
	} finally {
		await site.close();
	}
	const { webview, bare } = found;
	const about = `${TOKENS.toLocaleString("en-US")} tokens at ${PER_SECOND.toLocaleString("en-US")}/s`;
	return [
		{ name: `${about}: last words visible after the last byte`, unit: "ms", value: webview.last, floor: bare.last, reach: { value: 250 } },
		{ name: `${about}: gap between frames, p99`, unit: "ms", value: webview.gap, floor: bare.gap, reach: { value: 50 } },
		{
			name: `${about}: renderer's processor time (floor: a bare page, block by block)`,
			unit: "ms",
			value: webview.cpu,
			floor: bare.cpu,
			reach: { ratio: 2 },
			details: found,
		},
		{ name: `${about}: renderer's memory (PSS) gained`, unit: "MB", value: webview.memory, floor: bare.memory, reach: { value: 60 } },
	];
}

async function streamOnce({ browser, url, name, home, host, text, what }) {
	let lastByte = 0;
	const model = host.pacedModel(text, PER_SECOND, (at) => {
		lastByte = at;
	});
	const opened = await openPage({ browser, url, name, home, host, model, prepare: watchFrames });
	const system = await browser.newBrowserCDPSession();
	try {
		const { page } = opened;
		await opened.load();
		await page.waitForFunction(() => document.querySelector(".scroller"));
		await pause(1_000);
		const devtools = await page.context().newCDPSession(page);
		const renderer = await rendererOf(system, page);
		await devtools.send("HeapProfiler.collectGarbage");
		const before = { cpu: await renderer.cpu(), memory: await proportionalSize(renderer.pid) };
		if (what === "frames") await page.evaluate((words) => window.watchFrames(words), host.LAST_WORDS);
		await opened.host.say("Tell me everything.");
		await pause(500);
		const cpu = (await renderer.cpu()) - before.cpu;
		await devtools.send("HeapProfiler.collectGarbage");
		const memory = (await proportionalSize(renderer.pid)) - before.memory;
		if (what === "processor") return { cpu, memory };
		await page.waitForFunction(() => window.visibleAt, undefined, { timeout: 30_000, polling: 100 });
		const { visibleAt, gaps } = await page.evaluate(() => ({ visibleAt: window.visibleAt, gaps: window.gaps }));
		return { last: visibleAt - lastByte, gap: quantile(gaps, 0.99), longest: Math.max(...gaps) };
	} finally {
		await opened.close();
	}
}

/** The process that draws the page: the one that was not there for any other, and works when the page does. */
async function rendererOf(system, page) {
	const list = async () => (await system.send("SystemInfo.getProcessInfo")).processInfo.filter(({ type }) => type === "renderer");
	const before = new Map((await list()).map(({ id, cpuTime }) => [id, cpuTime]));
	await page.evaluate(() => {
		const until = performance.now() + 300;
		while (performance.now() < until);
	});
	const worked = (await list()).map(({ id, cpuTime }) => ({ id, worked: cpuTime - (before.get(id) ?? cpuTime) }));
	const { id: pid } = worked.reduce((one, other) => (other.worked > one.worked ? other : one));
	const cpu = async () => (await list()).find(({ id }) => id === pid).cpuTime * 1_000;
	return { pid, cpu };
}

/** Runs in the page: the time between frames, and when the words are in sight. */
function watchFrames() {
	window.gaps = [];
	window.watchFrames = (words) => {
		let before = performance.now();
		const look = (now) => {
			window.gaps.push(now - before);
			before = now;
			requestAnimationFrame(look);
			if (window.visibleAt) return;
			const walker = document.createTreeWalker(document.querySelector(".scroller"), NodeFilter.SHOW_TEXT);
			let node = walker.lastChild();
			for (let steps = 0; node && steps < 200 && !node.data?.includes(words); steps += 1) node = walker.previousNode();
			const place = node?.data?.includes(words) ? node.parentElement.getBoundingClientRect() : undefined;
			if (place && place.bottom <= innerHeight) window.visibleAt = Date.now();
		};
		requestAnimationFrame(look);
	};
}
