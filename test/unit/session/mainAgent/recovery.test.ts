// Tests what the main agent finds after a window died, and after its history was summarized.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TranscriptEvent } from "../../../../src/core/events.ts";
import { openCalls } from "../../../../src/core/transcript/state.ts";
import type { ScriptedAnswer } from "../../../fakes/scriptedModel.ts";
import { closeMain, openTestMain, saying, spawning, type TestMain } from "./testMain.ts";

const homes: string[] = [];

function newHome(): string {
	const home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-main-")));
	homes.push(home);
	return home;
}

/** What is on the disk once such an event of the main agent was written, as if its window had died then. */
async function dieAt(
	scripts: { main: readonly ScriptedAnswer[]; task?: readonly ScriptedAnswer[] },
	isMoment: (event: TranscriptEvent) => boolean,
): Promise<string> {
	const [home, left] = [newHome(), newHome()];
	const { app, session } = await openTestMain(scripts, { home });
	await new Promise<void>((resolve) => {
		const listening = app.sessions.listen({
			event(id, event) {
				if (id !== session.sessionId || !isMoment(event)) return;
				listening.dispose();
				cpSync(home, left, { recursive: true });
				for (const name of readdirSync(left, { recursive: true, encoding: "utf8" }))
					if (/owner\.json|\.lock$/.test(name)) rmSync(join(left, name), { force: true });
				resolve();
			},
		});
		void session.send("Look into the weather");
	});
	return left;
}

async function nextWindow(home: string, main: readonly ScriptedAnswer[]): Promise<TestMain> {
	const setup = await openTestMain({ main }, { home });
	await setup.app.sessions.recover();
	return setup;
}

describe("the main agent", () => {
	afterEach(async () => {
		await closeMain();
		for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
	});

	it("whose window died before its calls ran has a result for each, has said nothing, and goes on", async () => {
		const calls = [...(spawning("Weather", "Look up the weather.").calls ?? []), ...(saying("I look.").calls ?? [])];
		const home = await dieAt({ main: [{ text: "I need a task.", calls }] }, ({ type }) => type === "assistant");
		const { session, replies } = await nextWindow(home, [saying("Where were we?")]);
		assert.deepEqual(
			[...session.state.calls.values()].map(({ call, result }) => [call.name, result?.status]),
			[
				["spawn_subagent", "unknown"],
				["reply", "unknown"],
			],
		);
		assert.deepEqual([replies(), session.state.tasks.size], [[], 0]);
		assert.equal((await session.send("Are you there?")).outcome, "done");
		assert.deepEqual([replies(), openCalls(session.state)], [["Where were we?"], []]);
	});

	it("hears that its task was interrupted with its window, where it was asked, and tells it", async () => {
		const never = new Promise<never>(() => undefined);
		const home = await dieAt(
			{
				main: [spawning("Weather", "Look up the weather."), { text: "I wait." }],
				task: [{ text: "Sunny.", until: never }],
			},
			(event) => event.type === "task" && event.state === "running",
		);
		const setup = await nextWindow(home, [saying("The look at the weather was cut off. Shall I go on?")]);
		const { channel } = await setup.event("reply");
		assert.deepEqual(channel, { type: "vscode", channelId: "main" });
		assert.deepEqual(setup.replies(), ["The look at the weather was cut off. Shall I go on?"]);
		assert.deepEqual(
			[...setup.session.state.tasks.values()].map(({ state }) => state),
			["interrupted"],
		);
		const news = setup.session.state.events.filter((event) => event.type === "queued" && event.about?.kind === "task");
		assert.equal(news.length, 1);
	});

	it("has its replies in the summary of its history whole, once each, and those that were not delivered as calls", async () => {
		const report = `The forecast: ${"rain, then sun; ".repeat(60)}and an owl at the end.`;
		const { session, model } = await openTestMain({
			main: [saying(report), saying("To nowhere.", "", "gone"), { text: "Said." }],
			task: [{ text: "## Goal\nThe weather." }],
		});
		await session.send("How is the weather?");
		await session.compact();
		const [request] = model.requests.slice(-1);
		const [transcript] = request?.events.flatMap((event) => (event.type === "user" ? [event.text] : [])) ?? [];
		assert.equal(transcript?.split("The forecast: ").length, 2);
		assert.ok(transcript?.includes(`## Agent, in a reply [channel: vscode | id: main]\n${report}`));
		assert.doesNotMatch(transcript ?? "", /Delivered\./);
		assert.match(transcript ?? "", /Calls reply \{"text":"To nowhere\."[\s\S]*Result of reply, error/);
	});

	it("reads word for word in its archive what a summary of its history has left out", async () => {
		const read = (): ScriptedAnswer => {
			const compacted = session.state.events.find((event) => event.type === "compacted");
			const file = compacted?.type === "compacted" ? compacted.archive : "";
			return { calls: [{ name: "session_archive_read", input: { file, find: "assam" } }] };
		};
		const { session, replies, model } = await openTestMain({
			main: [saying("Assam noted."), { text: "Said." }, read, saying("You said: Assam, on Tuesdays.")],
			task: [{ text: "## Goal\nThe person likes tea." }],
		});
		await session.send("My tea is Assam, on Tuesdays");
		await session.compact();
		await session.send("Which tea was it?");
		const [, beforeReading] = model.requests.filter(({ tools }) => tools.some(({ name }) => name === "session_archive_read"));
		assert.ok(beforeReading);
		const page = [...session.state.calls.values()].at(-2)?.result?.output ?? "";
		assert.match(page, /My tea is Assam, on Tuesdays/);
		assert.equal(page.split("Assam noted.").length, 2, "its reply is there once");
		assert.equal(replies().at(-1), "You said: Assam, on Tuesdays.");
	});
});
