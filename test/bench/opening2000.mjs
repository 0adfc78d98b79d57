// Measures the time from clicking a 2,000-message session to its last message being visible.

// Includes reading the session from disk, the fold, the host's chat, the page's bundle and its painting. Excludes VS
// Code's own messaging between host and page.

import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { median } from "./figures.mjs";
import { buildAll, openPage, serve } from "./page/site.mjs";

export async function measureOpening2000({ browser, scratch, say, rounds = 5 }) {
	const host = await buildAll();
	const site = await serve();
	const home = await mkdtemp(join(scratch, "opening2000-"));
	const session = await host.writeSession(home);
	const found = { webview: [], bare: [] };
	try {
		for (let round = 0; round <= rounds; round += 1)
			for (const name of ["webview", "bare"]) {
				const opened = await openOnce({ browser, url: site.url, name, home, host, session });
				if (round > 0) found[name].push(opened);
				say(`opening2000 ${round}/${rounds} ${name} ${Math.round(opened.visible)} ms, long tasks ${opened.tasks.join(", ") || "none"}`);
			}
	} finally {
		await site.close();
	}
	const of = (name, what) => median(found[name].map((each) => each[what]));
	return [
		{
			name: "session of 2,000 messages: click to last one visible, scrollable (floor: bare text)",
			unit: "ms",
			value: of("webview", "visible"),
			floor: of("bare", "visible"),
			reach: { value: 500 },
			details: { samples: found, processorTime: of("webview", "cpu") },
		},
		{
			name: "session of 2,000 messages: longest task of the page",
			unit: "ms",
			value: median(found.webview.map(({ tasks }) => Math.max(0, ...tasks))),
			floor: median(found.bare.map(({ tasks }) => Math.max(0, ...tasks))),
			reach: { value: 100 },
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
