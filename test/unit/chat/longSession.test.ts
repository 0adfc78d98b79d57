// Tests a long session opened at its end: the model, the page and the user still get all of it.
import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEarlierEventsLoader } from "../../../src/chat/eventPages.ts";
import type { EventBody, TranscriptEvent } from "../../../src/core/events.ts";
import { toConversationMessages } from "../../../src/models/wire/conversationMessages.ts";
import { ensureIdle, findMessageIndex, rewindTo } from "../../../src/session/history/rewind.ts";
import { findEvent, findResult } from "../../../src/session/transcript/eventLookup.ts";
import { joinText, streamExport } from "../../../src/sessions/exportSession.ts";
import type { Update } from "../../../src/shared/protocol/chat.ts";
import { closeTestSessions, FILES, openTestSession, type TestSession } from "../session/testSession.ts";

const SMALL = { fullReadLimit: 20_000, pageSize: 4_000, chunkSize: 2_000 };
const TURNS = 60;

describe("a long session that was opened at its end", () => {
	let home: string;
	beforeEach(async () => {
		home = mkdtempSync(join(tmpdir(), "troupe-long-"));
		const { summary, session } = await openTestSession([], { files: FILES, home, role: "actor" });
		await closeTestSessions();
		const path = join(home, "storage", "sessions", summary.sessionId, "current.jsonl");
		appendFileSync(path, lines(session.state.seq));
	});
	afterEach(async () => {
		await closeTestSessions();
		rmSync(home, { recursive: true, force: true });
	});

	const opened = async (script: Parameters<typeof openTestSession>[0] = []): Promise<TestSession> => {
		const setup = await openTestSession(script, { home, window: SMALL });
		assert.ok(setup.session.state.before, "it was opened whole");
		return setup;
	};

	it("is sent to the model byte for byte as a session that was read whole", async () => {
		const setup = await opened([{ text: "Here." }]);
		await setup.session.send("Go on");
		await closeTestSessions();
		const whole = await openTestSession([{ text: "There." }], { home });
		await whole.session.send("And again");
		const [short, long] = [setup, whole].map(({ model }) => toConversationMessages(model.requests[0]?.events ?? []));
		assert.ok((short?.length ?? 0) > TURNS);
		assert.deepEqual(short, long?.slice(0, short?.length));
		assert.match(JSON.stringify(short), /was left out to make room/);
	});

	it("gives the page what is before, a part at a time, up to the beginning", async () => {
		const { session, app } = await opened();
		const got: TranscriptEvent[] = [];
		let more = true;
		let all: () => void = () => undefined;
		const followed = new Promise<void>((resolve) => {
			all = resolve;
		});
		const page = pageOf(session, (update) => {
			if (update.type !== "earlier") return;
			got.unshift(...update.events);
			more = update.more === true;
			if (update.last) all();
		});
		const newest = page.newest(session);
		const { events } = await app.store.read(session.sessionId);
		let before = newest.events[0]?.seq ?? 0;
		if ("earlier" in newest) {
			newest.follow();
			await followed;
		}
		for (let asks = 0; more && asks < 200; asks += 1) {
			before = got[0]?.seq ?? before;
			await page.acts.earlier({ type: "earlier", session: session.sessionId, before });
		}
		assert.deepEqual(
			[...got, ...newest.events].map(({ id }) => id),
			events.map(({ id }) => id),
		);
		page.dispose();
	});

	it("finds words in what the page does not have, and gives all up to there", async () => {
		const { session } = await opened();
		const updates: Update[] = [];
		const page = pageOf(session, (update) => updates.push(update));
		const { sessionId } = session;
		const before = page.newest(session).events[0]?.seq ?? 0;
		await page.acts.findEarlier({ type: "findEarlier", session: sessionId, words: "QUESTION 3 ", before });
		const found = updates.find((update) => update.type === "foundEarlier");
		assert.equal(found?.count, 1);
		await page.acts.earlier({ type: "earlier", session: sessionId, before, to: found?.seq });
		const given = updates.flatMap((update) => (update.type === "earlier" ? update.events : []));
		assert.ok(given.some((event) => event.type === "user" && event.text.startsWith("Question 3 ")));
		page.dispose();
	});

	it("goes back to its first message, with everything after it hidden", async () => {
		const { session } = await opened();
		await ensureIdle(session);
		await rewindTo(session, findMessageIndex(session, "user-1"), true);
		assert.deepEqual([session.state.messages, session.state.title], [0, undefined]);
		await closeTestSessions();
		const again = await openTestSession([], { home, window: SMALL });
		assert.deepEqual([again.session.state.messages, again.session.state.title], [0, undefined]);
	});

	it("has its far results whole, and is exported whole", async () => {
		const { session, app, summary } = await opened();
		assert.match((await findResult(session, "call-2"))?.output ?? "", /^output of 2 /);
		await session.whole();
		assert.match((await findResult(session, "call-2"))?.output ?? "", /^output of 2 /);
		assert.equal(await findEvent(session, (event) => (event.id === "nowhere" ? event : undefined)), undefined);
		const { events } = await app.store.read(summary.sessionId);
		assert.deepEqual(JSON.parse(await joinText(await streamExport(app.sessions, summary, "json"))).events, events);
		assert.match(await joinText(await streamExport(app.sessions, summary, "markdown")), /Question 1 [\s\S]*Question 60 /);
	});
});

function pageOf(session: TestSession["session"], post: (update: Update) => void) {
	return createEarlierEventsLoader({
		on: async () => session,
		shows: () => true,
		post,
		notify: () => assert.fail("told of something"),
	});
}

/** Turns that read, and room that was made in the middle. */
function lines(after: number): string {
	let seq = after;
	let text = "";
	const put = (id: string, by: string, turn: string, body: EventBody) => {
		seq += 1;
		text += `${JSON.stringify({ id, seq, at: new Date(Date.UTC(2026, 0, 1) + seq * 1_000).toISOString(), turn, by, ...body })}\n`;
	};
	for (let at = 1; at <= TURNS; at += 1) {
		const turn = `turn-${at}`;
		put(`user-${at}`, "person", turn, { type: "user", text: `Question ${at} of many` });
		put(`started-${at}`, "host", turn, { type: "started", agent: "default", definitionHash: "", role: "actor", model: "scripted/one" });
		const calls = [{ id: `call-${at}`, name: "read_file", input: { path: "README.md" } }];
		put(`call-${at}`, "model", turn, { type: "assistant", text: "I look.", calls });
		put(`result-${at}`, "host", turn, { type: "result", call: `call-${at}`, status: "ok", output: `output of ${at} ${"x".repeat(600)}` });
		if (at === 40) put("trim", "host", turn, { type: "status", level: "info", text: "Room was made.", trimmed: "result-20" });
		put(`answer-${at}`, "model", turn, { type: "assistant", text: `Answer ${at}` });
		put(`ended-${at}`, "host", turn, { type: "ended", outcome: "done" });
	}
	return text;
}
