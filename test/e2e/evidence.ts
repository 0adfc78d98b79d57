// Saves the last state of a failed case's window, its logs, and what was in flight.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { findOurErrors, readLogs } from "../../scripts/testRun/logs.mjs";
import { failedFolder, noteProblem } from "../caseNotes.ts";
import { given } from "./given.ts";

export interface Watched {
	page: Page;
	/** What the window's console said. */
	heard: string[];
	/** Milliseconds since the epoch. */
	began: number;
	/** The profile of the window's server. */
	profile: string;
}

/** Follows a window from its start. `profile`: of its server, if that is not the run's. */
export function watchPage(page: Page, profile = dirname(dirname(given("E2E_SETTINGS")))): Watched {
	const heard: string[] = [];
	page.on("console", (message) => heard.push(`[${message.type()}] ${message.text()}`));
	page.on("pageerror", (error) => heard.push(`[uncaught] ${error.stack ?? error.message}`));
	return { page, heard, began: Date.now(), profile };
}

/** Saves what there is, and tells the reporter of errors of ours. */
export async function keepEvidence({ page, heard, began, profile }: Watched, title: string): Promise<void> {
	const folder = failedFolder(join(given("E2E_PICTURES"), "failed"), title);
	await mkdir(folder, { recursive: true });
	await page.screenshot({ path: join(folder, "window.png") }).catch(() => undefined);
	await writeFile(join(folder, "console.log"), heard.join("\n"));
	const window = await page.locator("body").ariaSnapshot({ timeout: 5_000 }).catch(String);
	const pages: string[] = [];
	for (const frame of page.frames()) {
		if (!/extensionId=troupe\.troupe/.test(frame.parentFrame()?.url() ?? "")) continue;
		const marks = await frame.evaluate(() => JSON.stringify({ ...document.documentElement.dataset })).catch(String);
		const shown = await frame.locator("body").ariaSnapshot({ timeout: 5_000 }).catch(String);
		pages.push(`A page of Troupe, with the marks ${marks}\n${shown}`);
	}
	await writeFile(join(folder, "state.txt"), [window, ...pages].join("\n\n"));
	const logs = await readLogs(join(profile, "logs"), began);
	for (const { name, entries } of logs) await writeFile(join(folder, name), entries.join("\n"));
	const uncaught = heard.filter((line) => line.startsWith("[uncaught]") && /troupe\.troupe/.test(line));
	for (const error of [...findOurErrors(logs), ...uncaught]) noteProblem(error);
}
