// Opens the chat or "Manage Agents" in one browser for all tests, with the test as the host.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "mocha";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Locator, type Page } from "playwright-core";
import { browserArguments, ensureBrowser } from "../../scripts/browser.mjs";
import type { AgentsIntent, AgentsUpdate } from "../../src/shared/protocol/agents.ts";
import type { DisplayEvent, Intent, Update } from "../../src/shared/protocol/chat.ts";
import { countDriving, countStart, failedFolder, noteProblem } from "../caseNotes.ts";
import { type Bundle, buildSite, type Site, serveSite } from "./site.ts";
import type { Theme } from "./themes/themes.ts";

declare global {
	interface Window {
		/** What the page has posted to its host and no test has taken yet. */
		posted: (Intent | AgentsIntent)[];
		/** Acknowledges what the page posts from when a test sets it; otherwise, the host acknowledges at once. */
		holds?: (() => void)[];
		/** What a test put aside to compare it later. */
		marked?: unknown;
	}
}

/** `errors` and `requests` fill with what should not happen. */
export interface OpenPage<HostUpdate, PageIntent extends { type: string }> {
	chat: Page;
	context: BrowserContext;
	/** Resolves when the page shows it: updates are drawn once a frame. */
	send(update: HostUpdate): Promise<void>;
	/** Sends them all at once. */
	sendAll(updates: readonly HostUpdate[]): Promise<void>;
	/** Sends them in one message. */
	sendTogether(updates: readonly HostUpdate[]): Promise<void>;
	/** What the page posted since the last call, without what it says and asks by itself at its own time. */
	posted(): Promise<PageIntent[]>;
	/** That, with the paths it asks about. */
	postedPaths(): Promise<PageIntent[]>;
	errors: string[];
	requests: string[];
}

export type ChatPage = OpenPage<Update, Intent>;
export type AgentsPage = OpenPage<AgentsUpdate, AgentsIntent>;
export type Snapshot = Extract<Update, { type: "snapshot" }>;
export type AgentsSnapshot = Extract<AgentsUpdate, { type: "snapshot" }>;

/** `before`: what the person does before the page's script is there. */
export interface OpenOptions extends Omit<BrowserContextOptions, "viewport" | "locale" | "timezoneId"> {
	theme?: Theme;
	width?: number;
	height?: number;
	language?: string;
	before?(chat: Page): Promise<void>;
	/** Runs in the page before any script of ours. */
	initScript?: () => void;
}

let running: { sizes: Readonly<Record<string, number>>; site: Site; browser: Browser } | undefined;
const contexts: BrowserContext[] = [];

export const mochaHooks = {
	async beforeAll(): Promise<void> {
		const executablePath = await ensureBrowser();
		const sizes = await buildSite();
		running = { sizes, site: await serveSite(), browser: await chromium.launch({ executablePath, args: [...browserArguments] }) };
	},
	async afterEach(this: Context): Promise<void> {
		// A hook that fails would keep all other cases from running.
		if (this.currentTest?.state === "failed") await keepEvidence(this.currentTest.fullTitle()).catch(console.error);
		await Promise.all(contexts.splice(0).map((context) => context.close()));
	},
	async afterAll(): Promise<void> {
		await running?.browser.close();
		await running?.site.close();
	},
};

/** Saves the last state of each page that is open. */
async function keepEvidence(title: string): Promise<void> {
	const folder = failedFolder(process.env["UI_FAILED"] ?? join("out", "ui", "failed"), title);
	await mkdir(folder, { recursive: true });
	for (const [index, page] of contexts.flatMap((context) => context.pages()).entries()) {
		await page.screenshot({ path: join(folder, `page${index}.png`) }).catch(() => undefined);
		await writeFile(join(folder, `page${index}.html`), await page.content().catch(String));
	}
}

/** Bytes of a built file. */
export function builtSize(file: string): number {
	const size = running?.sizes[file];
	assert.ok(size !== undefined, `${file} was not built`);
	return size;
}

export const openChat = (options: OpenOptions = {}): Promise<ChatPage> => countStart(() => openPage("webview", options));
export const openAgentsPage = (options: OpenOptions = {}): Promise<AgentsPage> => countStart(() => openPage("agents", options));

async function openPage<HostUpdate, PageIntent extends { type: string }>(
	bundle: Bundle,
	{ theme = "dark", width = 380, height = 900, language = "en", before, initScript, ...options }: OpenOptions,
): Promise<OpenPage<HostUpdate, PageIntent>> {
	assert.ok(running, "the browser is not open");
	const { browser, site } = running;
	const context = await browser.newContext({ viewport: { width, height }, locale: "en-GB", timezoneId: "UTC", ...options });
	contexts.push(context);
	const chat = await context.newPage();
	countDriving(chat);
	const { errors, requests } = watch(context, chat, new URL(site.url).origin);
	let letScript: () => void = () => undefined;
	const acted = new Promise<void>((resolve) => {
		letScript = resolve;
	});
	if (initScript) await chat.addInitScript(initScript);
	if (before) await chat.route("**/webview.js", (route) => acted.then(() => route.continue()));
	const opened = chat.goto(`${site.url}?theme=${theme}&width=${width}&language=${language}&bundle=${bundle}`);
	await before?.(chat);
	letScript();
	await opened;
	await chat.waitForFunction(() => window.posted.some((message) => message.type === "ready"));
	const sendAll = (updates: readonly HostUpdate[]) => postAll(chat, updates);
	const postedBut = async (excluded: readonly string[]) =>
		(await chat.evaluate(
			(types) => window.posted.splice(0).filter(({ type }) => !types.includes(type)),
			excluded,
		)) as unknown as PageIntent[];
	return {
		chat,
		context,
		send: (update) => sendAll([update]),
		sendAll,
		sendTogether: (updates) => postAll(chat, [updates]),
		posted: () => postedBut(["focused", "findPaths"]),
		postedPaths: () => postedBut(["focused"]),
		errors,
		requests,
	};
}

function watch(context: BrowserContext, page: Page, origin: string): { errors: string[]; requests: string[] } {
	const errors: string[] = [];
	const requests: string[] = [];
	page.on("pageerror", (error) => {
		errors.push(String(error));
		noteProblem(String(error));
	});
	page.on("console", (message) => {
		if (message.type() === "error") errors.push(message.text());
	});
	page.on("dialog", (dialog) => {
		errors.push(`dialog: ${dialog.message()}`);
		void dialog.dismiss();
	});
	context.on("request", (request) => {
		if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) requests.push(request.url());
	});
	return { errors, requests };
}

/** Posts updates to the page and waits until it has drawn them. */
async function postAll(page: Page, updates: readonly unknown[]): Promise<void> {
	await page.evaluate(
		(sent) =>
			new Promise<void>((taken) => {
				let left = sent.length;
				const received = ({ data }: MessageEvent<{ type: string }>) => {
					if (data.type === "acknowledged") return;
					left -= 1;
					if (left > 0) return;
					window.removeEventListener("message", received);
					taken();
				};
				if (left === 0) return taken();
				window.addEventListener("message", received);
				for (const update of sent) window.postMessage(update, "*");
			}),
		updates,
	);
	await waitUntilSettled(page);
}

/** Waits until the host has acknowledged what the page posted, and the page has drawn what it received. */
export async function waitUntilSettled(page: Page): Promise<void> {
	await page.locator("html[data-settled]").waitFor({ state: "attached" });
}

/** Shows a snapshot in the chat; what the page posted until then is forgotten. */
export async function showSnapshot(page: ChatPage, update: Snapshot): Promise<ChatPage> {
	await page.send(update);
	await page.chat.waitForSelector(".content > :last-child");
	await page.posted();
	return page;
}

/** Gives a function that sends the events that follow these, with the numbers they then have. */
export function continueSession(page: ChatPage, events: readonly DisplayEvent[]): (...more: DisplayEvent[]) => Promise<void> {
	let { seq } = newest(events);
	return (...more) =>
		page.sendAll(
			more.map((event) => {
				seq += 1;
				return { type: "event", event: { ...event, seq, id: `x${seq}` } };
			}),
		);
}

/** The last of a list that is not empty. */
export function newest<Item>(items: readonly Item[]): Item {
	const item = items.at(-1);
	assert.ok(item !== undefined, "the list is empty");
	return item;
}

/** Those of one type. */
export function ofType<Message extends { type: string }, Type extends Message["type"]>(
	messages: readonly Message[],
	type: Type,
): Extract<Message, { type: Type }>[] {
	return messages.filter((message): message is Extract<Message, { type: Type }> => message.type === type);
}

/** Waits until the page has drawn what it has received. */
export function nextFrame(page: Page): Promise<void> {
	return page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))));
}

/** Its text as the page holds it, seen or not. */
export async function textOf(part: Locator): Promise<string> {
	return (await part.textContent()) ?? "";
}

/** Where it is, in CSS pixels. */
export async function boxOf(part: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
	const box = await part.boundingBox();
	assert.ok(box, "it is not drawn");
	return box;
}

export function hasFocus(part: Locator): Promise<boolean> {
	return part.evaluate((element) => element === document.activeElement);
}

/** A click that no person made. */
export function clickByScript(part: Locator): Promise<void> {
	return part.evaluate((element) => (element as HTMLElement).click());
}
