// Kills VS Code's extension host during a scripted session, reloads the window, and checks for lost events.

// Every event that a listener received must be on disk, in order, loaded and shown again. `HOST_KILLS=3 npm run
// faults:host` sets the number of kills.
import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { copySample } from "../../scripts/sample.mjs";
import { startServer } from "../../scripts/server.mjs";
import { Chat } from "../e2e/chat.ts";
import { listen as listenToDriver } from "../e2e/driver.ts";
import { expect } from "../e2e/expect.ts";
import { copyExtensions } from "../e2e/extensions.ts";
import { given } from "../e2e/given.ts";
import { Workbench } from "../e2e/vscode/workbench.ts";
import type { AskedRequest, ScriptedAnswer } from "../fakes/modelServer/script.ts";
import { type ModelServer, startModelServer } from "../fakes/modelServer/server.ts";
import { readTranscript, troubleIn } from "./transcriptTrouble.ts";

/** How often: `HOST_KILLS=3 npm run faults:host`. */
const KILLS = Number(process.env["HOST_KILLS"] ?? 20);
/** A kill comes at most so long after Send was pressed. Milliseconds. */
const LONGEST_LIFE = 6_000;
/** For a window to come back. Milliseconds. */
const TIMEOUT = 120_000;

/** What the probe in the extension host writes: an event it was told of, or what it opened at its start. */
interface Heard {
	host?: number;
	opened?: Record<string, string[]>;
	seq?: number;
	id?: string;
}

/** What the chat's page was told of. */
interface Shown {
	seq: number;
	id: string;
	/** Of an assistant; empty otherwise. */
	words: string;
}

let scratch: string;
let folder: string;
let model: ModelServer;
let browser: Browser;
let page: Page;
let server: Awaited<ReturnType<typeof startServer>>;
const dead: number[] = [];
/** What the chat's page was told in this life: VS Code may take the page away with its host. */
const shown: Shown[] = [];
/** Everything anybody was told, by number. */
const told = new Map<number, string>();

describe("a killed extension host", function () {
	this.timeout(600_000);

	before(async () => {
		scratch = await mkdtemp(join(tmpdir(), "troupe-host-kills-"));
		model = await startModelServer({ script: answer, models: ["fake"] });
		folder = await copySample();
		server = await startEditor();
		browser = await chromium.launch({ executablePath: given("E2E_BROWSER"), args: JSON.parse(given("E2E_BROWSER_ARGUMENTS")) });
		page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
		page.setDefaultTimeout(TIMEOUT);
		await page.exposeFunction("keepEvent", (event: Shown) => void shown.push(event));
		await listenToDriver();
		const workbench = new Workbench(page, folder);
		await workbench.load(`${server.origin}/?folder=${encodeURIComponent(folder)}`);
		await workbench.sideBar.open("Troupe");
	});

	after(async () => {
		const path = await transcriptPath();
		if (path !== undefined) await cp(path, join(given("E2E_PICTURES"), "transcript.jsonl"));
		await browser?.close();
		await server?.stop();
		await model?.close();
		for (const made of [scratch, dirname(folder)]) await rm(made, { recursive: true, force: true, maxRetries: 10 });
	});

	for (let life = 1; life <= KILLS; life += 1)
		it(`a killed extension host loses nothing shown and leaves nothing open: kill ${life} of ${KILLS}`, async () => {
			const [workbench, chat] = [new Workbench(page, folder), new Chat(page)];
			const host = await living();
			await chat.ready();
			shown.length = 0;
			await chat.session().evaluate(listen);
			// Not `message`, which waits until the turn has begun: a kill may come before.
			await chat.textbox().fill(`Life ${life}`);
			await chat.button("Send").click();
			await pause(Math.random() * LONGEST_LIFE);
			process.kill(host, "SIGKILL");
			dead.push(host);
			for (const { seq, id } of [...shown, ...(await heard())]) if (seq !== undefined && id !== undefined) told.set(seq, id);

			await workbench.reload();
			await workbench.sideBar.shows("Troupe");
			await living();
			await chat.ready();
			await check(chat);
		});
});

async function check(chat: Chat): Promise<void> {
	const path = await transcriptPath();
	if (path === undefined) return assert.equal(told.size, 0, "there is no transcript");
	const { events, unreadable } = await readTranscript(path);
	assert.deepEqual([...troubleIn(events), ...unreadable], []);
	const opened = (await heard()).findLast((line) => line.opened)?.opened ?? {};
	const ids = Object.values(opened).flat();
	assert.deepEqual(
		[...told].filter(([seq, id]) => events[seq - 1]?.id !== id),
		[],
		"told of, and not on disk",
	);
	assert.deepEqual(
		[...told].filter(([, id]) => !ids.includes(id)),
		[],
		"on disk, and not opened",
	);
	const words = shown.findLast((event) => event.words !== "")?.words;
	if (words !== undefined) await chat.text(words).first().waitFor();
}

/** The process id of the extension host that has opened what there was, and was not killed. */
async function living(): Promise<number> {
	const host = async () => (await heard()).findLast(({ host, opened }) => opened && host !== undefined && !dead.includes(host))?.host;
	await expect.poll(host, { message: "an extension host has opened the sessions", timeout: TIMEOUT }).toBeDefined();
	return (await host()) ?? assert.fail();
}

/** Runs in the chat's page: passes on what it is told. */
function listen(): void {
	window.addEventListener("message", ({ data }) => {
		for (const update of [data].flat()) {
			if (update?.type !== "event") continue;
			const { seq, id, type, text } = update.event;
			(window as unknown as { keepEvent(event: Shown): void }).keepEvent({ seq, id, words: type === "assistant" ? text : "" });
		}
	});
}

/** Reads and writes, now and then a long answer; in every fifth life a command that asks, and is never allowed. */
function answer({ messages }: AskedRequest): ScriptedAnswer {
	const from = messages.findLastIndex(({ role, text }) => role === "user" && /^Life \d+$/m.test(text));
	const life = Number(/^Life (\d+)$/m.exec(messages[from]?.text ?? "")?.[1] ?? 0);
	const step = messages.slice(from).filter(({ role }) => role === "assistant").length;
	const words = `Step ${step} of life ${life}.`;
	if (life % 5 === 0 && step === 1) return { text: words, calls: [{ name: "execute_command", input: { command: "npm test" } }] };
	const calls = [
		{ name: "read_file", input: { path: "README.md", start: 1 + (step % 5) } },
		{ name: "create_file", input: { path: `made/${life}-${step}.txt`, content: `line ${step}\n`.repeat(step * 20) } },
	];
	if (step % 6 !== 5) return { text: words, calls };
	return { text: `${words}${" All of it is kept.".repeat(60)}`, calls, pace: () => pause(10) };
}

async function heard(): Promise<Heard[]> {
	const text = await readFile(join(scratch, "heard.jsonl"), "utf8").catch(() => "");
	return text
		.split("\n")
		.slice(0, -1)
		.map((line) => JSON.parse(line) as Heard);
}

async function transcriptPath(): Promise<string | undefined> {
	const user = join(scratch, "profile", "User");
	const name = (await readdir(user, { recursive: true })).find((each) => each.endsWith("current.jsonl"));
	return name && join(user, name);
}

async function startEditor(): ReturnType<typeof startServer> {
	const [userDataDir, extensionsDir] = [join(scratch, "profile"), join(scratch, "extensions")];
	await copyExtensions(extensionsDir, { name: "faults.probe-0.0.1", from: join("test", "faults", "probe") });
	await mkdir(join(userDataDir, "Machine"), { recursive: true });
	const providers = { "troupe.providers": { fake: { type: "openai-compatible", baseUrl: model.url } } };
	await writeFile(join(userDataDir, "Machine", "settings.json"), JSON.stringify(providers));
	const settings = { "troupe.model": "fake/fake", "troupe.defaultRole": "actor", "troupe.approval": "edits" };
	return startServer({ userDataDir, extensionsDir, settings, isLean: true, environment: { FAULTS_HEARD: join(scratch, "heard.jsonl") } });
}
