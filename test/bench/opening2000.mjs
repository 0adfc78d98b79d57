// Measures the time from clicking a long session to its last message being visible.

// Includes reading the session from disk, the fold, the host's chat, the page's bundle and its painting. Excludes VS
// Code's own messaging between host and page.

import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { median } from "./figures.mjs";
import { buildAll, openPage, serve } from "./page/site.mjs";

const SESSIONS = {
	opening2000: { name: "session of 2,000 messages", write: "writeSession", visible: 500, longest: 100 },
	openingTasks: { name: "session with the cards of 500 finished tasks", write: "writeTaskSession", visible: 200, longest: 100 },
};

export const measureOpening2000 = (options) => measure("opening2000", options);
export const measureOpeningTasks = (options) => measure("openingTasks", options);

async function measure(part, { browser, scratch, say, rounds = 5 }) {
	const { name, write, visible, longest } = SESSIONS[part];
	const host = await buildAll();
	const site = await serve();
	const home = await mkdtemp(join(scratch, `${part}-`));
	const session = await host[write](home);
	const found = { webview: [], bare: [] };
	try {
		for (let round = 0; round <= rounds; round += 1)
			for (const page of ["webview", "bare"]) {
				const opened = await openOnce({ browser, url: site.url, name: page, home, host, session });
				if (round > 0) found[page].push(opened);
				say(`${part} ${round}/${rounds} ${page} ${Math.round(opened.visible)} ms, long tasks ${opened.tasks.join(", ") || "none"}`);
			}
	} finally {
		await site.close();
	}
	const of = (page, what) => median(found[page].map((each) => each[what]));
	return [
		{
			name: `${name}: click to last message visible, scrollable (floor: bare text)`,
			unit: "ms",
			value: of("webview", "visible"),
			floor: of("bare", "visible"),
			reach: { value: visible },
			details: { samples: found, processorTime: of("webview", "cpu") },
		},
		{
			name: `${name}: longest task of the page`,
			unit: "ms",
			value: median(found.webview.map(({ tasks }) => Math.max(0, ...tasks))),
			floor: median(found.bare.map(({ tasks }) => Math.max(0, ...tasks))),
			reach: { value: longest },
		},
	];
}

async function openOnce({ browser, url, name, home, host, session }) {
	const opened = await openPage({ browser, url, name, home, host, prepare: watch });
	try {
		const { page } = opened;
		await opened.load();
		await page.waitForFunction(() => document.querySelector(".scroller"));
		await pause(500);
		const devtools = await page.context().newCDPSession(page);
		await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
		const before = await processorTime(devtools);
		await page.evaluate((words) => window.watchFor(words), host.LAST_WORDS);
		const clicked = Date.now();
		await opened.host.chat.show(session);
		await page.waitForFunction(() => window.visibleAt, undefined, { timeout: 60_000, polling: 100 });
		// What comes after counts for the long tasks: earlier messages arrive, and more is drawn when there is time.
		await pause(1_500);
		const { visibleAt, tasks } = await page.evaluate(() => ({ visibleAt: window.visibleAt, tasks: window.tasks }));
		return { visible: visibleAt - clicked, tasks, cpu: (await processorTime(devtools)) - before };
	} finally {
		await opened.close();
	}
}

/** Of the page's main thread, in milliseconds: what other programs do does not count. */
async function processorTime(devtools) {
	const { metrics } = await devtools.send("Performance.getMetrics");
	return metrics.find(({ name }) => name === "TaskDuration").value * 1_000;
}

/** Runs in the page: notes when words are in sight and have been painted. */
function watch() {
	window.tasks = [];
	window.watchFor = (words) => {
		new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => Math.round(duration)))).observe({
			type: "longtask",
		});
		const look = () => {
			const box = document.querySelector(".scroller");
			const walker = document.createTreeWalker(box.querySelector(".content") ?? box.firstElementChild, NodeFilter.SHOW_TEXT);
			let node = walker.lastChild();
			while (node && !node.data?.includes(words)) node = walker.previousNode();
			const place = node?.parentElement.getBoundingClientRect();
			const seen = place && place.top >= 0 && place.bottom <= innerHeight && box.scrollHeight > 2 * box.clientHeight;
			// The frame after the next has it on the screen.
			if (seen) requestAnimationFrame(() => requestAnimationFrame(() => Object.assign(window, { visibleAt: Date.now() })));
			else requestAnimationFrame(look);
		};
		requestAnimationFrame(look);
	};
}
