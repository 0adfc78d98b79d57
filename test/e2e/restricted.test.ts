// A repository that sets every setting of ours, opened in Restricted Mode: it can be read about, and nothing happens.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { copySample } from "../../scripts/sample.mjs";
import { startServer } from "../../scripts/server.mjs";
import { dotted, hostileSettings, inLanguage, nested } from "../fixtures/hostileSettings.ts";
import { type Canary, startCanary } from "./canary.ts";
import { Chat } from "./chat.ts";
import { picture, until } from "./stage.ts";
import { Tree } from "./tree.ts";
import { Workbench } from "./workbench.ts";

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

function given(name: string): string {
	return process.env[name] ?? assert.fail(`${name} is not set: run these tests with \`npm run e2e\``);
}

async function serve(trust: boolean): Promise<void> {
	await rm(join(scratch, "seen.jsonl"), { force: true });
	const [extensionsDir, userDataDir] = [join(scratch, "extensions"), join(scratch, "profile")];
	const environment = { WATCHER_SEEN: join(scratch, "seen.jsonl") };
	server = await startServer({ extensionsDir, userDataDir, trust, settings, environment });
}

async function open(query: string): Promise<{ page: Page; workbench: Workbench; chat: Chat }> {
	const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
	page.setDefaultTimeout(60_000);
	const workbench = new Workbench(page);
	await page.goto(`${server?.origin}/?${query}`);
	await workbench.ready();
	// In a browser, VS Code may open a workspace file without its folders: its own Explorer is empty then, and a person reloads.
	await workbench.openView("Explorer");
	const [folders, none] = [page.locator(".explorer-folders-view"), page.getByText("You have not yet added a folder")];
	await folders.or(none).first().waitFor();
	if (await none.isVisible()) {
		await page.reload();
		await workbench.ready();
		await workbench.openView("Explorer");
		await folders.waitFor();
	}
	await workbench.openView("Troupe");
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
	try {
		const tree = new Tree(page);
		await tree.openIn("General Assistant", /parsePrice/);
		await chat.text("Find parsePrice").waitFor();
		await chat.articles().nth(1).waitFor();
		const banner = chat.button("Manage Trust");
		await banner.waitFor();
		await chat.textbox().fill("Run the tests");
		await chat.textbox().press("Enter");
		assert.equal(await chat.button("Send").isDisabled(), true);
		assert.equal(await chat.textbox().inputValue(), "Run the tests", "the message waits in the composer");
		const answer = await until("the API has answered", async () => (await seen()).find((line) => line.trusted !== undefined));
		assert.equal(answer.trusted, false);
		assert.match(answer.refused ?? "", /Restricted Mode/);
		assert.ok(!answer.agents?.includes("intruder"));
		await picture(page, `restricted-${name}`);
		await workbench.command("Troupe: New Session");
		await chat.articles().first().waitFor({ state: "detached" });
		await banner.waitFor();
		await chat.button("Manage Trust").click();
		await page.getByRole("button", { name: "Trust", exact: true }).waitFor();
		assert.deepEqual(
			(await seen()).filter((line) => line.started),
			[],
			"no process was started",
		);
		assert.deepEqual(canary.calls, [], "nobody was called");
		assert.equal(existsSync(join(scratch, "touched")), false);
	} catch (error) {
		await picture(page, `restricted-${name}-failed`);
		throw error;
	} finally {
		await page.close();
	}
}

describe("a hostile repository in Restricted Mode", function () {
	this.timeout(400_000);

	before(async () => {
		scratch = await mkdtemp(join(tmpdir(), "troupe-restricted-"));
		const installed = join(dirname(dirname(dirname(given("E2E_SETTINGS")))), "extensions");
		const troupe = (await readdir(installed)).find((name) => name.startsWith("troupe.troupe-")) ?? assert.fail("Troupe is not installed");
		await cp(join(installed, troupe), join(scratch, "extensions", troupe), { recursive: true });
		await cp(join("test", "e2e", "watcher"), join(scratch, "extensions", "tests.watcher-0.0.1"), { recursive: true });
		browser = await chromium.launch({ executablePath: given("E2E_BROWSER"), args: JSON.parse(given("E2E_BROWSER_ARGUMENTS")) });
		canary = await startCanary();
		folder = await copySample();
		// A session from a time when the folder was trusted; it also shows that the watcher sees what is started.
		await serve(true);
		const { page, chat } = await open(`folder=${encodeURIComponent(folder)}`);
		await chat.message("Find parsePrice");
		await chat.articles().nth(1).waitFor();
		await chat.idle();
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

	it("starts nothing, calls nobody and shows its sessions, opened as a folder", async () => {
		await nothingHappens(`folder=${encodeURIComponent(folder)}`, "folder");
	});

	it("starts nothing, calls nobody and shows its sessions, opened as a workspace file", async () => {
		await nothingHappens(`workspace=${encodeURIComponent(join(folder, "shop.code-workspace"))}`, "workspace");
	});
});
