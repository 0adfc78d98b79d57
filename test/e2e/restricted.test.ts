// A repository that sets every setting of ours, opened in Restricted Mode: it can be read about, and nothing happens.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { copySample } from "../../scripts/sample.mjs";
import { startServer } from "../../scripts/server.mjs";
import { dotted, hostileSettings, inLanguage, nested } from "../fixtures/hostileSettings.ts";
import { type Canary, startCanary } from "./canary.ts";
import { Chat } from "./chat.ts";
import { listen } from "./driver.ts";
import { watchPage } from "./evidence.ts";
import { expect } from "./expect.ts";
import { copyExtensions } from "./extensions.ts";
import { given } from "./given.ts";
import { closeAfterTest, takeScreenshot } from "./testWindow.ts";
import { TreeView } from "./vscode/treeView.ts";
import { Workbench } from "./vscode/workbench.ts";

interface Seen {
	/** What Troupe started as a process: the program and its arguments. */
	started?: string[];
	/** What became of a message sent over the API when the window opened. */
	refused?: string;
	trusted?: boolean;
	agents?: string[];
}

const settings = { "troupe.model": "offline/offline", "security.workspace.trust.startupPrompt": "never", "git.enabled": false };

let scratch: string;
let folder: string;
let browser: Browser;
let canary: Canary;
let server: Awaited<ReturnType<typeof startServer>> | undefined;

async function serve(trust: boolean): Promise<void> {
	await rm(join(scratch, "seen.jsonl"), { force: true });
	const [extensionsDir, userDataDir] = [join(scratch, "extensions"), join(scratch, "profile")];
	const environment = { WATCHER_SEEN: join(scratch, "seen.jsonl") };
	server = await startServer({ extensionsDir, userDataDir, trust, settings, environment, isLean: true });
}

async function open(query: string): Promise<{ page: Page; workbench: Workbench; chat: Chat }> {
	const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
	page.setDefaultTimeout(60_000);
	closeAfterTest(watchPage(page, join(scratch, "profile")));
	const workbench = new Workbench(page, folder);
	await workbench.load(`${server?.origin}/?${query}`);
	// In a browser, VS Code may open a workspace file without its folders: its own Explorer is empty then, and a person reloads.
	await workbench.sideBar.open("Explorer");
	const [folders, none] = [page.locator(".explorer-folders-view"), page.getByText("You have not yet added a folder")];
	await folders.or(none).first().waitFor();
	if (await none.isVisible()) {
		await workbench.reload();
		await workbench.sideBar.open("Explorer");
		await folders.waitFor();
	}
	await workbench.sideBar.open("Troupe");
	return { page, workbench, chat: new Chat(page) };
}

async function seen(): Promise<Seen[]> {
	const text = await readFile(join(scratch, "seen.jsonl"), "utf8").catch(() => "");
	return text
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line) as Seen);
}

async function write(path: string, content: unknown): Promise<void> {
	await mkdir(dirname(path), { recursive: true });
	await writeFile(path, JSON.stringify(content, undefined, "\t"));
}

/** What a person meets there, by every way that could start something. */
async function nothingHappens(query: string, name: string): Promise<void> {
	const { page, workbench, chat } = await open(query);
	const tree = new TreeView(page, "Agents");
	await tree.openIn("General Assistant", /parsePrice/);
	await chat.text("Find parsePrice").waitFor();
	await chat.articles().nth(1).waitFor();
	const banner = chat.button("Manage Trust");
	await banner.waitFor();
	await chat.textbox().fill("Run the tests");
	await chat.textbox().press("Enter");
	assert.equal(await chat.button("Send").isDisabled(), true);
	assert.equal(await chat.textbox().inputValue(), "Run the tests", "the message waits in the composer");
	const answer = async () => (await seen()).find((line) => line.trusted !== undefined);
	await expect.poll(answer, { message: "the API has answered" }).toMatchObject({ trusted: false, refused: /Restricted Mode/ });
	assert.ok(!(await answer())?.agents?.includes("intruder"));
	await takeScreenshot(page, `restricted-${name}`);
	await workbench.run("troupe.newSession");
	await chat.articles().first().waitFor({ state: "detached" });
	await banner.waitFor();
	await chat.press("Manage Trust");
	await page.getByRole("button", { name: "Trust", exact: true }).waitFor();
	assert.deepEqual(
		(await seen()).filter((line) => line.started),
		[],
		"no process was started",
	);
	assert.deepEqual(canary.calls, [], "nobody was called");
	assert.equal(existsSync(join(scratch, "touched")), false);
}

describe("a hostile repository in Restricted Mode", function () {
	this.timeout(400_000);

	before(async () => {
		scratch = await mkdtemp(join(tmpdir(), "troupe-restricted-"));
		await copyExtensions(join(scratch, "extensions"), { name: "tests.watcher-0.0.1", from: join("test", "e2e", "watcher") });
		await listen();
		browser = await chromium.launch({ executablePath: given("E2E_BROWSER"), args: JSON.parse(given("E2E_BROWSER_ARGUMENTS")) });
		canary = await startCanary();
		folder = await copySample();
		// A session from a time when the folder was trusted; it also shows that the watcher sees what is started.
		await serve(true);
		const { page, chat } = await open(`folder=${encodeURIComponent(folder)}`);
		await chat.message("Find parsePrice");
		await chat.articles().nth(1).waitFor();
		await chat.waitUntilIdle();
		assert.ok(
			(await seen()).some((line) => line.started?.some((word) => word.includes("rg"))),
			"a search was started and seen",
		);
		await page.close();
		await server?.stop();
		const hostile = hostileSettings(canary.url, join(scratch, "touched"));
		await write(join(folder, ".vscode", "settings.json"), { ...dotted(hostile), ...inLanguage(hostile) });
		await write(join(folder, "more", ".vscode", "settings.json"), nested(hostile));
		const folders = [{ path: "." }, { path: "more" }];
		await write(join(folder, "shop.code-workspace"), { folders, settings: { ...nested(hostile), ...inLanguage(hostile) } });
		await serve(false);
	});

	after(async () => {
		await browser?.close();
		await server?.stop();
		await canary?.close();
		for (const path of [scratch, dirname(folder)]) await rm(path, { recursive: true, force: true, maxRetries: 10 });
	});

	it("a hostile folder in Restricted Mode starts nothing, calls nobody and shows its sessions", async () => {
		await nothingHappens(`folder=${encodeURIComponent(folder)}`, "folder");
	});

	it("a hostile workspace file in Restricted Mode starts nothing, calls nobody and shows its sessions", async () => {
		await nothingHappens(`workspace=${encodeURIComponent(join(folder, "shop.code-workspace"))}`, "workspace");
	});
});
