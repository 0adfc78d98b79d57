// Tests the chat's updates about context usage and summaries, and their timing.

import assert from "node:assert/strict";
import type { ChatHost } from "../../../src/chat/chatHost.ts";
import { createChatController } from "../../../src/chat/controller.ts";
import type { Update } from "../../../src/shared/protocol/chat.ts";
import { createDeferred } from "../../fakes/deferred.ts";
import { closeTestSessions, FILES, openTestSession } from "../session/testSession.ts";

function page() {
	const updates: Update[] = [];
	const opened: string[] = [];
	const host: Partial<ChatHost> = {
		post: (update) => updates.push(structuredClone(update)),
		shown: () => undefined,
		pageFocus: () => undefined,
		health: () => undefined,
		notify: (_, text) => assert.fail(text),
		openText: async (text) => void opened.push(text),
	};
	return { updates, opened, host: host as ChatHost };
}

describe("a chat", () => {
	afterEach(closeTestSessions);

	it("is told once for each answer how full the window is, and never with the words that stream", async () => {
		const calls = [{ name: "list_directory", input: { path: "." } }];
		const setup = await openTestSession([{ calls }, { text: "word ".repeat(300) }], { files: FILES, info: { window: 50_000 } });
		const { host, updates } = page();
		const chat = createChatController(setup.app, host);
		await chat.handle({ type: "ready" });
		const [first] = updates;
		assert.ok(first?.type === "snapshot" && first.status.context);
		assert.deepEqual([first.status.context.window, first.status.context.basis], [50_000, "size"]);
		await chat.handle({ type: "send", session: setup.summary.sessionId, text: "Look" });
		const told = updates.flatMap((update) => (update.type === "context" ? [update.context] : []));
		assert.equal(told.length, 2);
		assert.deepEqual(
			told.map(({ basis, window, session }) => [basis, window, session.input]),
			[
				["counted", 50_000, 100],
				["counted", 50_000, 200],
			],
		);
		chat.dispose();
	});

	it("hears of its status when they change, and not with every call of a turn", async () => {
		const steps = 12;
		const calls = Array.from({ length: steps }, (_, at) => ({ calls: [{ name: "search_code", input: { pattern: `word${at}` } }] }));
		const setup = await openTestSession([...calls, { text: "Done." }], { files: FILES });
		const { host, updates } = page();
		const chat = createChatController(setup.app, host);
		await chat.handle({ type: "ready" });
		await chat.handle({ type: "send", session: setup.summary.sessionId, text: "Look" });
		chat.dispose();
		const status = updates.filter(({ type }) => type === "status").length;
		assert.equal(updates.filter((update) => update.type === "event" && update.event.type === "result").length, steps);
		// The turn's start and end, and what is saved of the session meanwhile.
		assert.ok(status > 0 && status < steps / 2, String(status));
	});

	it("never gets the status of a session that it has left, however late they come", async () => {
		const setup = await openTestSession([], { files: FILES });
		const { sessions, services } = setup.app;
		const other = await sessions.create();
		const { host, updates } = page();
		const chat = createChatController(setup.app, host, setup.summary.sessionId);
		await chat.handle({ type: "ready" });
		const { model } = services;
		const [held, asked] = [createDeferred(), createDeferred()];
		services.model = async (...given) => {
			services.model = model;
			asked.open();
			await held.until;
			return model(...given);
		};
		await sessions.rename(setup.summary.sessionId, "Left");
		await asked.until;
		await chat.show(other.sessionId);
		held.open();
		await sessions.rename(other.sessionId, "Shown");
		await new Promise<void>((resolve) => {
			host.post = (update) => {
				updates.push(update);
				if (update.type === "status" && update.status.session?.name === "Shown") resolve();
			};
		});
		const from = updates.findLastIndex(({ type }) => type === "snapshot");
		const later = updates.slice(from).flatMap((update) => (update.type === "status" ? [update.status.session?.sessionId] : []));
		assert.deepEqual(new Set(later), new Set([other.sessionId]));
		chat.dispose();
	});

	it("shows a summary at once, and opens what was before it", async () => {
		const setup = await openTestSession((request) => ({ text: request.tools.length === 0 ? "Goal: greet." : "Hi there." }), {
			files: FILES,
		});
		const { host, updates, opened } = page();
		const chat = createChatController(setup.app, host);
		await chat.handle({ type: "ready" });
		const session = setup.summary.sessionId;
		await chat.handle({ type: "send", session, text: "Hello" });
		const shown = new Promise<Extract<Update, { type: "snapshot" }>>((resolve) => {
			host.post = (update) => {
				updates.push(update);
				if (update.type === "snapshot") resolve(structuredClone(update));
			};
		});
		await setup.session.compact();
		const compacted = (await shown).events.find((event) => event.type === "compacted");
		assert.ok(compacted?.type === "compacted");
		await chat.handle({ type: "openArchive", session, archive: compacted.archive });
		assert.match(opened[0] ?? "", /Hello[\s\S]*Hi there\./);
		chat.dispose();
	});

	it("opens nothing but archives", async () => {
		const setup = await openTestSession([{ text: "Hi." }], { files: FILES });
		const { host, opened } = page();
		const said: string[] = [];
		host.notify = (_, text) => void said.push(text);
		const chat = createChatController(setup.app, host);
		await chat.handle({ type: "ready" });
		for (const archive of ["../../index.json", "session.json", "current.jsonl"])
			await chat.handle({ type: "openArchive", session: setup.summary.sessionId, archive });
		assert.deepEqual([opened, said.length], [[], 3]);
		chat.dispose();
	});
});
