// Notes of a case for the reporter: where its seconds went, and what went wrong beside it.
import { join } from "node:path";
import type { Page } from "playwright-core";

/** Milliseconds. See scripts/testRun/reporter.cjs. */
interface CaseNotes {
	start: number;
	driving: number;
	problems: string[];
}

/** The folder for what a failed case leaves, another one for each attempt. */
export function failedFolder(parent: string, title: string): string {
	return join(parent, [title.replaceAll(/\W+/g, "-").slice(0, 150), process.env["TEST_ATTEMPT"]].filter(Boolean).join("."));
}

function notes(): CaseNotes {
	const shared = globalThis as { caseNotes?: CaseNotes };
	shared.caseNotes ??= { start: 0, driving: 0, problems: [] };
	return shared.caseNotes;
}

/** An uncaught error, or an error in our log: a case that leaves one is not run again. */
export function noteProblem(problem: string): void {
	notes().problems.push(problem);
}

/** Counts what lasts until the window or page is there. */
export async function countStart<T>(open: () => Promise<T>): Promise<T> {
	const [began, { driving }] = [Date.now(), notes()];
	try {
		return await open();
	} finally {
		notes().start += Date.now() - began;
		// What was driven meanwhile is part of the start.
		notes().driving = driving;
	}
}

const ACTIONS = ["click", "fill", "press", "pressSequentially", "hover", "type", "check", "selectOption", "move", "down", "up", "wheel"];
let isCounting = false;

/** Counts what lasts while a person would move, press and type, also until Playwright sees that something can be pressed. */
export function countDriving(page: Page): void {
	if (isCounting) return;
	isCounting = true;
	for (const driver of [page.locator("html"), page.keyboard, page.mouse]) {
		const methods = Object.getPrototypeOf(driver) as Record<string, unknown>;
		for (const name of ACTIONS) {
			const action = methods[name];
			if (typeof action !== "function") continue;
			methods[name] = async function (this: unknown, ...given: unknown[]): Promise<unknown> {
				const began = Date.now();
				try {
					return await action.apply(this, given);
				} finally {
					notes().driving += Date.now() - began;
				}
			};
		}
	}
}
