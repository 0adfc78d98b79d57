// Kills the extension host of a real VS Code at random moments of a scripted session, reloads the window, and looks for
// what was lost. `node test/faults/hostKills.mjs 20`; `--no-build` takes dist/ as it is. Linux. Exits with 1 when an event
// that somebody had been told of is missing or out of order, is not shown again, or anything was left open.

import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { browserArguments, ensureBrowser } from "../../scripts/browser.mjs";
import { root } from "../../scripts/install.mjs";
import { run } from "../../scripts/processes.mjs";
import { copySample } from "../../scripts/sample.mjs";
import { startServer, workbenchUrl } from "../../scripts/server.mjs";
import { extensionHosts, within } from "../bench/processes.mjs";
import { readTranscript, troubleIn } from "./transcriptTrouble.mjs";

const KILLS = Number(process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? 20);
/** A kill comes at most so long after Send was pressed. Milliseconds. */
const LONGEST_LIFE = 6_000;

const found = { kills: 0, acknowledged: 0, events: 0, killedWhileAsking: 0, trouble: [] };
const failed = new Set();

if (!process.argv.includes("--no-build")) await run(process.execPath, ["esbuild.mjs"], { cwd: root });
const { startModelServer, Chat, Workbench } = await bundle();
const scratch = await mkdtemp(join(tmpdir(), "troupe-host-kills-"));
const heard = join(scratch, "heard.jsonl");
const model = await startModelServer({ script: answer, models: ["fake"] });
const editor = await startEditor();
const browser = await chromium.launch({ executablePath: await ensureBrowser(), args: browserArguments });
try {
	await session();
} finally {
	const path = await transcriptPath();
	if (path !== undefined) await cp(path, join(root, "out", "hostKills", "transcript.jsonl"));
	await browser.close();
	await editor.server.stop();
	await model.close();
	for (const folder of [scratch, dirname(editor.folder)]) await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
console.log(JSON.stringify(found, undefined, 2));
console.log(`${found.kills - failed.size} passed, ${failed.size} failed`);
process.exitCode = failed.size === 0 && found.kills === KILLS ? 0 : 1;

async function session() {
	const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
	page.setDefaultTimeout(120_000);
	const workbench = new Workbench(page);
	const chat = new Chat(page);
	await page.goto(workbenchUrl(editor.server.origin, editor.folder));
	await workbench.ready();
	await workbench.openView("Troupe");
	const dead = [];
	/** What the chat's page was told in this life: VS Code may take the page away with its host. */
	const shown = [];
	await page.exposeFunction("keepEvent", (event) => void shown.push(event));
	/** Everything anybody was told, by seq. */
	const told = new Map();
	for (let life = 1; life <= KILLS; life += 1) {
		const host = await within(120_000, "no extension host was started", () => openedBy(dead));
		await chat.ready();
		shown.length = 0;
		await chat.conversation().evaluate(listen);
		await chat.message(`Life ${life}`);
		await pause(Math.random() * LONGEST_LIFE);
		process.kill(host, "SIGKILL");
		dead.push(host);
		found.kills += 1;
		for (const { seq, id } of [...shown, ...(await lines()).filter((line) => line.id)]) told.set(seq, id);

		await workbench.reload();
		await workbench.showsView("Troupe");
		await within(120_000, "the next extension host did not open the session", () => openedBy(dead));
		await chat.ready();
		await check(life, told, chat, shown);
		if (process.stdout.isTTY)
			process.stdout.write(`\r${life} of ${KILLS} kills, ${told.size} events told, ${found.trouble.length} troubles`);
	}
}

/** The process id of the one extension host that lives and has opened what there was. */
async function openedBy(dead) {
	const living = (await extensionHosts(editor.server.pid)).filter((pid) => !dead.includes(pid));
	const ready = (await lines()).filter((line) => living.includes(line.host));
	return ready.at(-1)?.host;
}

async function check(life, told, chat, shown) {
	const path = await transcriptPath();
	const complain = (trouble) => {
		failed.add(life);
		found.trouble.push(`life ${life}: ${trouble}`);
	};
	if (path === undefined) {
		if (told.size > 0) complain("there is no transcript");
		return;
	}
	const { events, unreadable } = await readTranscript(path);
	for (const trouble of [...troubleIn(events), ...unreadable]) complain(trouble);
	for (const [seq, id] of told) if (events[seq - 1]?.id !== id) complain(`event ${seq} was told of and is not there`);
	const opened = (await lines()).findLast((line) => line.opened)?.opened ?? {};
	const ids = Object.values(opened).flat();
	for (const [seq, id] of told) if (!ids.includes(id)) complain(`event ${seq} is on disk and was not opened`);
	const words = shown.findLast((event) => event.words)?.words;
	if (words !== undefined)
		await chat
			.text(words)
			.first()
			.waitFor()
			.catch(() => complain(`“${words}” was shown and is not any more`));
	found.acknowledged = told.size;
	found.events = events.length;
	found.killedWhileAsking = events.filter((event) => event.type === "expired").length;
}

/** Runs in the chat's page: passes on what it is told. */
function listen() {
	window.addEventListener("message", ({ data }) => {
		if (data?.type !== "event") return;
		const { seq, id, type, text } = data.event;
		window.keepEvent({ seq, id, words: type === "assistant" ? text : "" });
	});
}

/** Reads and writes, now and then a long answer; in every fifth life a command that asks, and is never allowed. */
function answer({ messages }) {
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

async function lines() {
	const text = await readFile(heard, "utf8").catch(() => "");
	return text
		.split("\n")
		.slice(0, -1)
		.map((line) => JSON.parse(line));
}

async function transcriptPath() {
	const names = await readdir(join(scratch, "profile", "User"), { recursive: true });
	const name = names.find((each) => each.endsWith("current.jsonl"));
	return name && join(scratch, "profile", "User", name);
}

async function startEditor() {
	const userDataDir = join(scratch, "profile");
	const extensionsDir = join(scratch, "extensions");
	await cp(join(root, "test", "faults", "probe"), join(extensionsDir, "faults.probe-0.0.1"), { recursive: true });
	for (const part of ["package.json", "package.nls.json", "dist", "media"])
		await cp(join(root, part), join(extensionsDir, "troupe.troupe-0.1.0", part), { recursive: true });
	await mkdir(join(userDataDir, "Machine"), { recursive: true });
	const providers = { "troupe.providers": { fake: { type: "openai-compatible", baseUrl: model.url } } };
	await writeFile(join(userDataDir, "Machine", "settings.json"), JSON.stringify(providers));
	const settings = { "troupe.model": "fake/fake", "troupe.defaultRole": "actor", "troupe.approval": "edits" };
	const folder = await copySample();
	const server = await startServer({ userDataDir, extensionsDir, settings, environment: { FAULTS_HEARD: heard } });
	return { server, folder };
}

async function bundle() {
	const outdir = join(root, "out", "hostKills");
	const entryPoints = ["test/fakes/modelServer/server.ts", "test/e2e/chat.ts", "test/e2e/workbench.ts"];
	await build({
		absWorkingDir: root,
		entryPoints: entryPoints.map((path) => ({ in: path, out: path.split("/").at(-1).replace(".ts", "") })),
		outdir,
		bundle: true,
		packages: "external",
		format: "esm",
		outExtension: { ".js": ".mjs" },
		platform: "node",
		target: "node20",
		logLevel: "warning",
	});
	const modules = await Promise.all(["server", "chat", "workbench"].map((name) => import(pathToFileURL(join(outdir, `${name}.mjs`)).href)));
	return Object.assign({}, ...modules);
}
