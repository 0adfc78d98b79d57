// Tests returned messages: each goes to its own session's composer once, now or when next shown.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatHost } from "../../../src/chat/chatHost.ts";
import { type ChatController, createChatController } from "../../../src/chat/controller.ts";
import type { Update } from "../../../src/shared/protocol/chat.ts";
import { closeTestSessions, FILES, openTestSession, type TestSession } from "./testSession.ts";

interface Page {
	chat: ChatController;
	updates: Update[];
	/** What its composer was given. */
	composed(): string[];
	update(type: Update["type"]): Promise<Update>;
}

const chats: ChatController[] = [];

/** A chat whose page has its first snapshot, unless it is still away. */
async function page({ app }: TestSession, { away = false } = {}): Promise<Page> {
	const updates: Update[] = [];
	const looking = new Set<() => void>();
	const host: Partial<ChatHost> = {
		post(update) {
			updates.push(structuredClone(update));
			for (const look of [...looking]) look();
		},
		shown: () => undefined,
		pageFocus: () => undefined,
		health: () => undefined,
		notify: () => undefined,
	};
	const chat = createChatController(app, host as ChatHost);
	chats.push(chat);
	if (!away) await chat.handle({ type: "ready" });
	return {
		chat,
		updates,
		composed: () => updates.flatMap((update) => (update.type === "compose" ? [update.text] : [])),
		update: (type) =>
			new Promise((resolve) => {
				const look = () => {
					const found = updates.find((update) => update.type === type);
					if (found) resolve(found);
				};
				looking.add(look);
				look();
			}),
	};
}

/** A turn that runs, and a message that waits for it. */
async function queued(): Promise<TestSession> {
	let asked: () => void = () => undefined;
	const request = new Promise<void>((resolve) => {
		asked = resolve;
	});
	const answer = () => {
		asked();
		return { until: new Promise(() => undefined) };
	};
	const setup = await openTestSession(answer, { files: FILES });
	void setup.session.send("Begin");
	await request;
	void setup.session.send("And this");
	return setup;
}

describe("a message that no turn took", () => {
	afterEach(async () => {
		for (const chat of chats.splice(0)) chat.dispose();
		await closeTestSessions();
	});

	it("waits until a chat shows its session, and is handed out once", async () => {
		const setup = await queued();
		const { sessionId } = await setup.app.sessions.create();
		const other = await page(setup);
		await other.chat.show(sessionId);
		const later = await page(setup, { away: true });
		void setup.session.send("Words of two messages");
		await setup.session.cancel();
		assert.deepEqual(other.composed(), []);
		await later.chat.show(setup.summary.sessionId);
		await later.chat.handle({ type: "ready" });
		assert.deepEqual(later.composed(), ["And this\n\nWords of two messages"]);
		assert.equal(later.updates[0]?.type, "snapshot", "a snapshot's draft would replace it");
		await other.chat.show(setup.summary.sessionId);
		later.chat.pageGone();
		await later.chat.handle({ type: "ready" });
		assert.deepEqual([other.composed(), later.composed().length], [[], 1]);
	});

	it("goes to one of two chats that show its session", async () => {
		const setup = await queued();
		const pages = [await page(setup), await page(setup)];
		await setup.session.cancel();
		assert.deepEqual(
			pages.flatMap((one) => one.composed()),
			["And this"],
		);
	});

	it("does not go into another session's composer when the chat has moved on meanwhile", async () => {
		const setup = await openTestSession([], { files: FILES });
		writeFileSync(join(setup.app.folder, "shot.png"), Buffer.from("\x89PNG\r\n\x1a\nnot much of a picture", "latin1"));
		const { chat, composed, update } = await page(setup);
		const session = setup.summary.sessionId;
		const sending = chat.handle({ type: "send", session, text: "See @shot.png" });
		await update("scale");
		await chat.show((await setup.app.sessions.create()).sessionId);
		await chat.handle({ type: "stop", session });
		await sending;
		assert.deepEqual(composed(), []);
		await chat.show(session);
		assert.deepEqual(composed(), ["See @shot.png"]);
	});

	it("is forgotten by the page with the session it was written in, once there is a page", async () => {
		const setup = await openTestSession([], { files: FILES });
		const [there, later] = [await page(setup), await page(setup, { away: true })];
		const { sessionId } = await setup.app.sessions.create();
		await setup.app.sessions.delete(sessionId);
		const forgotten = ({ updates }: Page) => updates.flatMap((update) => (update.type === "forget" ? [update.session] : []));
		assert.deepEqual([forgotten(there), forgotten(later)], [[sessionId], []]);
		await later.chat.handle({ type: "ready" });
		assert.deepEqual(forgotten(later), [sessionId]);
	});

	it("outlives the chat it was written in, and goes with its session", async () => {
		const setup = await queued();
		const { chat } = await page(setup);
		chat.dispose();
		await setup.session.cancel();
		const { sessions } = setup.app;
		const { sessionId } = setup.summary;
		await sessions.delete(sessionId);
		await sessions.create({ sessionId });
		const next = await page(setup, { away: true });
		await next.chat.show(sessionId);
		await next.chat.handle({ type: "ready" });
		assert.deepEqual(next.composed(), []);
	});
});
