// Opens VS Code in a browser on a fresh copy of the sample workspace for each end-to-end test.

// Cleans up after the test. A failed test leaves a screenshot in out/e2e/failed.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { copySample } from "../../scripts/sample.mjs";
import { Chat } from "./chat.ts";
import { Tree } from "./tree.ts";
import { Workbench } from "./workbench.ts";

export interface Stage {
	/** The absolute path of the workspace. */
	folder: string;
	workbench: Workbench;
	chat: Chat;
	tree: Tree;
	page: Page;
}

interface Opened {
	page: Page;
	folder: string;
	heard: string[];
}

let browser: Browser | undefined;
/** One for the run: what VS Code keeps in it is kept by folder, and each test has a folder of its own. */
let context: BrowserContext | undefined;
let settingsAtStart: string | undefined;
const opened: Opened[] = [];

/** Opens a window. `settings` are the person's, on top of those the run starts with. */
export async function openShop({ settings = {}, width = 1280, height = 800 } = {}): Promise<Stage> {
	await writeSettings(settings);
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
	const heard: string[] = [];
	page.on("console", (message) => heard.push(`[${message.type()}] ${message.text()}`));
	opened.push({ page, folder, heard });
	const workbench = new Workbench(page);
	await page.goto(`${given("E2E_ORIGIN")}/?folder=${encodeURIComponent(folder)}`);
	await workbench.ready();
	return { folder, workbench, chat: new Chat(page), tree: new Tree(page), page };
}

/** Saves what the window shows as out/e2e/<name>.png. */
export async function picture(page: Page, name: string): Promise<void> {
	await page.screenshot({ path: join(given("E2E_PICTURES"), `${name}.png`), animations: "disabled" });
}

/** Asks until the answer is there; the last refusal is the error. For what has no event to wait for, such as files on disk. */
export async function until<T>(what: string, ask: () => Promise<T | undefined | false>, patience = 60_000): Promise<T> {
	const deadline = Date.now() + patience;
	let refusal = "";
	while (Date.now() < deadline) {
		try {
			const answer = await ask();
			if (answer !== undefined && answer !== false) return answer;
		} catch (error) {
			refusal = `: ${error instanceof Error ? error.message : String(error)}`;
		}
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	throw new Error(`Within ${patience / 1_000} s it did not happen that ${what}${refusal}`);
}

async function writeSettings(settings: Record<string, unknown>): Promise<void> {
	const file = given("E2E_SETTINGS");
	settingsAtStart ??= await readFile(file, "utf8");
	await writeFile(file, JSON.stringify({ ...JSON.parse(settingsAtStart), ...settings }, undefined, "\t"));
}

function given(name: string): string {
	const value = process.env[name];
	if (value === undefined) throw new Error(`${name} is not set: run these tests with \`npm run e2e\``);
	return value;
}

afterEach(async function () {
	const failed = this.currentTest?.state === "failed" ? this.currentTest.fullTitle().replaceAll(/\W+/g, "-") : undefined;
	for (const { page, folder, heard } of opened.splice(0)) {
		if (failed) {
			const place = join(given("E2E_PICTURES"), "failed");
			await mkdir(place, { recursive: true });
			await page.screenshot({ path: join(place, `${failed}.png`) }).catch(() => undefined);
			await writeFile(join(place, `${failed}.log`), heard.join("\n"));
		}
		await page.close();
		await rm(dirname(folder), { recursive: true, force: true, maxRetries: 10 });
	}
});

after(async () => {
	await browser?.close();
});
