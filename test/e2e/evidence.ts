// Saves the last state of a failed case's window, its logs, and what was in flight.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { noteProblem } from "../caseNotes.ts";
import { given } from "./given.ts";

export interface Watched {
	page: Page;
	/** What the window's console said. */
	heard: string[];
	/** Milliseconds since the epoch. */
	began: number;
}

/** Follows a window from its start. */
export function watchPage(page: Page): Watched {
	const heard: string[] = [];
	page.on("console", (message) => heard.push(`[${message.type()}] ${message.text()}`));
	page.on("pageerror", (error) => heard.push(`[uncaught] ${error.stack ?? error.message}`));
	return { page, heard, began: Date.now() };
}

/** Saves what is known, and tells the reporter of errors of ours. */
export async function keepEvidence({ page, heard, began }: Watched, title: string): Promise<void> {
	const folder = join(given("E2E_PICTURES"), "failed", title.replaceAll(/\W+/g, "-").slice(0, 150));
	await mkdir(folder, { recursive: true });
	await page.screenshot({ path: join(folder, "window.png") }).catch(() => undefined);
	await writeFile(join(folder, "console.log"), heard.join("\n"));
	const window = await page.locator("body").ariaSnapshot({ timeout: 5_000 }).catch(String);
	const pages: string[] = [];
	for (const frame of page.frames()) {
		if (!/extensionId=troupe\.troupe/.test(frame.parentFrame()?.url() ?? "")) continue;
		const settled = await frame.evaluate(() => JSON.stringify({ ...document.documentElement.dataset })).catch(String);
		const shown = await frame.locator("body").ariaSnapshot({ timeout: 5_000 }).catch(String);
		pages.push(`A page of Troupe, with the marks ${settled} \n${shown}`);
	}
	await writeFile(join(folder, "state.txt"), [window, ...pages].join("\n\n"));
	const logs = await readLogs(began);
	for (const { name, text } of logs) await writeFile(join(folder, name), text);
	const errors = [
		...logs.flatMap(({ text }) => text.split("\n").filter((line) => / \[error\] /.test(line) && isOurs(line))),
		...uncaught(heard),
	];
	for (const error of errors) noteProblem(error);
}

const uncaught = (heard: readonly string[]) => heard.filter((line) => line.startsWith("[uncaught]") && isOurs(line));

function isOurs(line: string): boolean {
	return /troupe/i.test(line) && !/troupe-test\./.test(line);
}

/** Our log and that of the extension host, of windows that were open since then. */
async function readLogs(since: number): Promise<{ name: string; text: string }[]> {
	const root = join(dirname(dirname(given("E2E_SETTINGS"))), "logs");
	const files = (await readdir(root, { recursive: true }).catch(() => [])).filter((name) => /(Troupe|remoteexthost)\.log$/.test(name));
	const logs = await Promise.all(
		files.map(async (name) => ({
			name: name.replaceAll(/[\\/]/g, "-"),
			text: linesSince(await readFile(join(root, name), "utf8"), since),
		})),
	);
	return logs.filter(({ text }) => text !== "");
}

/** Lines begin with their local time; those without one belong to the line before. */
function linesSince(text: string, since: number): string {
	const lines = text.split("\n");
	const first = lines.findIndex((line) => {
		const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d\.\d{3})/.exec(line) ?? [];
		return day !== undefined && new Date(`${day}T${time}`).getTime() >= since;
	});
	return first < 0 ? "" : lines.slice(first).join("\n");
}
