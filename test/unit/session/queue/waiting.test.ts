// A message that waits for its turn: written down, returned, refused, and kept.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TranscriptEvent } from "../../../../src/core/events.ts";
import { findMessageIndex, rewindTo } from "../../../../src/session/history/rewind.ts";
import { importSession } from "../../../../src/sessions/importSession.ts";
import type { Script } from "../../../fakes/scriptedModel.ts";
import { FILES, openTestSession, type TestSession } from "../testSession.ts";
import { answered, cleanUp, holdAnswer, READER, recorded, story, waitingTexts } from "./support.ts";

const ANSWER = {
	...READER,
	about: { kind: "answer", call: "c", turn: "t", agent: "reader", session: "elsewhere", status: "complete" },
} as const;

/** A turn that runs until `open`, and those that come after it. */
async function working(script: Script = []): Promise<TestSession & { open(): void; own: Promise<unknown> }> {
	const { answer, open } = holdAnswer();
	const setup = await openTestSession(
		(request, call) =>
			call === 0 ? answer : typeof script === "function" ? script(request, call) : (script[call - 1] ?? { text: "Done." }),
		{
			files: FILES,
		},
	);
	const own = setup.session.send("Begin");
	await setup.model.asked;
	return { ...setup, open, own };
}

const isQueued = (text: string) => (event: TranscriptEvent) => event.type === "queued" && event.text === text;

describe("a message that waits", () => {
	afterEach(cleanUp);

	it("is on disk when it is shown, and in the transcript as queued until a turn takes it", async () => {
		const { app, summary, session, open, own } = await working();
		const file = join(app.storage, "sessions", summary.sessionId, "current.jsonl");
		const shown: { texts: string[]; stored: boolean }[] = [];
		app.sessions.listen({
			event(_, event) {
				if (event.type === "queued") shown.push({ texts: waitingTexts(session), stored: readFileSync(file, "utf8").includes(event.id) });
			},
		});
		const next = session.send("And this", READER);
		await recorded(app, session, isQueued("And this"));
		open();
		await Promise.all([own, next]);
		assert.deepEqual(shown, [{ texts: ["And this"], stored: true }]);
		assert.deepEqual(story(session.state.events), ["user Begin", "queued And this", "user And this"]);
	});

	it("goes back to the person on Stop, and an agent's answer stays and gets its turn", async () => {
		const { app, summary, session, own } = await working();
		const theirs = session.enqueue({ text: "The answer" }, ANSWER);
		const mine = session.send("And this");
		await theirs;
		await session.cancel();
		await Promise.all([own, mine]);
		assert.equal(app.sessions.takeReturned(summary.sessionId)?.text, "And this");
		await answered(app, session, "The answer");
		assert.deepEqual(story(session.state.events), [
			"user Begin",
			"queued The answer",
			"queued And this",
			"unqueued takenBack",
			"user The answer",
		]);
	});

	it("whose turn could not begin waits for the person's next message, and gets its turn with it", async () => {
		const { app, session, open, own } = await working();
		const theirs = session.send("The answer", ANSWER);
		await recorded(app, session, isQueued("The answer"));
		const { store } = app;
		const { own: take } = store;
		store.own = () => {
			store.own = take;
			return Promise.reject(new Error("The disk does not answer."));
		};
		open();
		await own;
		await assert.rejects(theirs, /The disk does not answer/);
		await session.resume();
		assert.deepEqual([waitingTexts(session), session.isRunning], [["The answer"], false]);
		await session.send("Go on");
		assert.deepEqual(waitingTexts(session), []);
		assert.deepEqual(
			story(session.state.events).filter((line) => line.startsWith("user")),
			["user Begin", "user The answer", "user Go on"],
		);
	});

	it("is unqueued when it is taken back, and no turn takes it", async () => {
		const { app, session, open, own } = await working();
		const mine = session.send("And this");
		await recorded(app, session, isQueued("And this"));
		const [waiting] = session.waiting;
		assert.equal((await session.withdraw(waiting?.id ?? ""))?.text, "And this");
		assert.equal(await session.withdraw(waiting?.id ?? ""), undefined);
		open();
		assert.equal((await mine).outcome, "cancelled");
		await own;
		assert.deepEqual(story(session.state.events), ["user Begin", "queued And this", "unqueued takenBack"]);
	});

	for (const [what, done] of [
		["clear", "cleared"],
		["delete", "deleted"],
	] as const) {
		it(`ends with unqueued when its session is ${done}, and the person's goes back to the person`, async () => {
			const { app, summary, session } = await working();
			const given: string[] = [];
			app.sessions.listen({ returned: (id) => void given.push(app.sessions.takeReturned(id)?.text ?? "") });
			const theirs = session.send("Theirs", READER);
			const mine = session.send("And this");
			await recorded(app, session, isQueued("And this"));
			await app.sessions[what](summary.sessionId);
			assert.deepEqual(given, ["And this"]);
			assert.deepEqual([(await theirs).outcome, (await mine).outcome], ["cancelled", "cancelled"]);
			assert.deepEqual(story(session.state.events).slice(-2), ["unqueued cleared", "unqueued cleared"]);
			assert.equal((await app.sessions.list())[0]?.unsettled, undefined);
		});
	}

	it("is refused with a sentence where 100 wait, and those are answered in order", async () => {
		const { app, session, open } = await working();
		const all = await Promise.allSettled(Array.from({ length: 1_000 }, (_, place) => session.enqueue({ text: `m${place}` }, READER)));
		const refused = all.filter(({ status }) => status === "rejected");
		assert.deepEqual([all.length, refused.length, session.waiting.length], [1_000, 900, 100]);
		const reasons = new Set(refused.map((end) => end.status === "rejected" && String(end.reason)));
		assert.match([...reasons].join(), /^\w+: 100 messages are already waiting in this session\. This one was not sent\./);
		await assert.rejects(session.send("One more"), { code: "queue-full" });
		open();
		await answered(app, session, "m99");
		const texts = session.state.events.flatMap((event) => (event.type === "user" ? [event.text] : []));
		assert.deepEqual(texts, ["Begin", ...Array.from({ length: 100 }, (_, place) => `m${place}`)]);
		await session.send("Room again");
	}).timeout(60_000);

	it("is accepted once, however often it is added with the same id", async () => {
		const { app, session, open } = await working();
		const twice = [1, 2].map(() => session.enqueue({ id: "answer-1", text: "Once" }, READER));
		await Promise.all(twice);
		open();
		await answered(app, session, "Once");
		await session.enqueue({ id: "answer-1", text: "Once" }, READER);
		await session.send("Next");
		assert.deepEqual(story(session.state.events), ["user Begin", "queued Once", "user Once", "user Next"]);
	});

	it("outlasts an undo to before it was sent, and a compaction", async () => {
		const setup = await openTestSession([{ text: "One." }, { text: "Two." }, { text: "A summary." }], { files: FILES });
		const { app, summary, session } = setup;
		await session.send("First");
		await session.send("Second");
		await app.store.append(summary.sessionId, {
			...{ id: "w", seq: session.state.seq + 1, at: new Date().toISOString(), by: "person" as const },
			...{ type: "queued", message: "w", from: "person", text: "Later" },
		});
		await session.eventLog.refresh();
		const second = session.state.events.find((event) => event.type === "user" && event.text === "Second");
		await rewindTo(session, findMessageIndex(session, second?.id ?? ""), true);
		assert.deepEqual([waitingTexts(session), session.state.messages], [["Later"], 2]);
		await session.compact();
		assert.ok(session.state.events.some(({ type }) => type === "compacted"));
		assert.deepEqual(waitingTexts(session), ["Later"]);
		await session.send("Now");
		assert.deepEqual(story(session.state.events).slice(-3), ["queued Now", "user Later", "user Now"]);
	});

	it("of an imported conversation is not taken over, nor are its callers and its calls: nothing starts", async () => {
		const setup = await openTestSession([], { files: FILES });
		const caller = { session: "s", turn: "t", call: "c", agent: "a", role: "actor", ceiling: ["ReadFiles"], depth: 1, chain: ["a"] };
		const bodies = [
			{ type: "user", by: "person", text: "Hello", message: "m" },
			{ type: "started", by: "host", agent: "default", definitionHash: "", role: "actor", model: "x/y", caller, ceiling: [] },
			{ type: "assistant", by: "model", text: "Asking", calls: [{ id: "c", name: "agents_message", input: {} }] },
			{ type: "delegated", by: "host", call: "c", session: "elsewhere", agent: "reader" },
			{ type: "queued", by: "agent:reader", message: "n", from: "agent:reader", text: "Run me", caller },
			{ type: "queued", by: "person", message: "o", from: "person", text: "And me" },
			{ type: "unqueued", by: "person", message: "o", why: "takenBack" },
		];
		const lines = bodies.map((body, place) => JSON.stringify({ id: `e${place}`, seq: place + 1, at: "2025-01-01T00:00:00.000Z", ...body }));
		const { sessionId } = await importSession(setup.app.sessions, lines.join("\n"), "chat.jsonl");
		await setup.app.sessions.recover();
		const imported = await setup.app.sessions.get(sessionId);
		await imported.resume();
		const { state } = imported;
		const kinds = new Set(state.events.map(({ type }) => type));
		assert.deepEqual([...kinds].sort(), ["agent", "assistant", "result", "role", "status", "user"]);
		assert.deepEqual([state.queue.size, state.delegations.size, imported.isRunning, setup.model.requests.length], [0, 0, false, 0]);
		assert.deepEqual(
			state.events.flatMap((event) => (event.type === "user" ? [event.message] : [])),
			[undefined],
		);
		assert.equal((await setup.app.sessions.list()).find((one) => one.sessionId === sessionId)?.unsettled, undefined);
	});
});
