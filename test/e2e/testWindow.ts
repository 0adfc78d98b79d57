// Opens VS Code in a browser on a fresh copy of the sample workspace for each end-to-end test.

// Cleans up after the test. A failed one leaves its evidence in out/e2e/failed.
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { copySample } from "../../scripts/sample.mjs";
import { countDriving, countStart } from "../caseNotes.ts";
import { Chat } from "./chat.ts";
import { listen } from "./driver.ts";
import { keepEvidence, type Watched, watchPage } from "./evidence.ts";
import { given } from "./given.ts";
import { TreeView } from "./vscode/treeView.ts";
import { type Theme, Workbench } from "./vscode/workbench.ts";

export interface TestWindow {
	/** The absolute path of the workspace. */
	folder: string;
	workbench: Workbench;
	chat: Chat;
	/** The agents and their sessions. */
	tree: TreeView;
	page: Page;
}

let browser: Browser | undefined;
/** One for the run: what VS Code keeps in it is kept by folder, and each test has a folder of its own. */
let context: BrowserContext | undefined;
let settingsAtStart: string | undefined;
/** `folder`: of the workspace, if it goes with the window. */
const opened: (Watched & { folder?: string })[] = [];

/** Closes a window that a test has opened itself after the test; a failed test leaves its evidence. */
export function closeAfterTest(watched: Watched): void {
	opened.push(watched);
}

/** Opens a window. `settings` are the person's, on top of those the run starts with. */
export function openWindow(options: { settings?: Record<string, unknown>; width?: number; height?: number } = {}): Promise<TestWindow> {
	return countStart(() => open(options));
}

async function open({ settings = {}, width = 1280, height = 800 }: Parameters<typeof openWindow>[0] & {}): Promise<TestWindow> {
	await writeSettings(settings);
	await listen();
	browser ??= await chromium.launch({
		executablePath: given("E2E_BROWSER"),
		args: JSON.parse(given("E2E_BROWSER_ARGUMENTS")),
		headless: process.env["E2E_SHOW"] === undefined,
	});
	const folder = await copySample();
	context ??= await browser.newContext({ colorScheme: "dark" });
	const page = await context.newPage();
	await page.setViewportSize({ width, height });
	page.setDefaultTimeout(60_000);
	countDriving(page);
	opened.push({ ...watchPage(page), folder });
	const workbench = new Workbench(page, folder);
	await workbench.load(`${given("E2E_ORIGIN")}/?folder=${encodeURIComponent(folder)}`);
	return { folder, workbench, chat: new Chat(page), tree: new TreeView(page, "Agents"), page };
}

/** Saves what the window shows as out/e2e/<name>.png. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
	await page.screenshot({ path: join(given("E2E_PICTURES"), `${name}.png`), animations: "disabled" });
}

const THEMES: Record<string, Theme> = { light: "Light Modern", contrast: "Dark High Contrast", dark: "Dark Modern" };

/** Saves a picture in the theme of the run, or in all of them where pictures are what the run is for (`--themes`). */
export async function takeScreenshots(
	{ workbench, page }: TestWindow,
	name: string,
	show: () => Promise<unknown> = async () => undefined,
): Promise<void> {
	if (process.env["E2E_THEMES"] === undefined) {
		await show();
		return takeScreenshot(page, name);
	}
	for (const [kind, theme] of Object.entries(THEMES)) {
		await workbench.theme(theme);
		await show();
		await takeScreenshot(page, `${name}-${kind}`);
	}
}

async function writeSettings(settings: Record<string, unknown>): Promise<void> {
	const file = given("E2E_SETTINGS");
	settingsAtStart ??= await readFile(file, "utf8");
	await writeFile(file, JSON.stringify({ ...JSON.parse(settingsAtStart), ...settings }, undefined, "\t"));
}

afterEach(async function () {
	const failed = this.currentTest?.state === "failed" ? this.currentTest.fullTitle() : undefined;
	for (const { folder, ...watched } of opened.splice(0)) {
		// A hook that fails would keep all other cases from running.
		if (failed !== undefined) await keepEvidence(watched, failed).catch(console.error);
		await watched.page.close();
		if (folder !== undefined) await rm(dirname(folder), { recursive: true, force: true, maxRetries: 10 }).catch(console.error);
	}
});

after(async () => {
	await browser?.close();
});
