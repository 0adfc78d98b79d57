// A message that waits for its turn: written down, returned, refused, and kept.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TranscriptEvent } from "../../../../src/core/events.ts";
import { findMessageIndex, rewindTo } from "../../../../src/session/history/rewind.ts";
import { importSession } from "../../../../src/sessions/importSession.ts";
import type { Script } from "../../../fakes/scriptedModel.ts";
import { FILES, type Stage, stage } from "../stage.ts";
import { answered, cleanUp, latch, READER, recorded, story, waitingTexts } from "./support.ts";

const ANSWER = {
	...READER,
	about: { kind: "answer", call: "c", turn: "t", agent: "reader", session: "elsewhere", status: "complete" },
} as const;

/** A turn that runs until `open`, and those that come after it. */
async function working(script: Script = []): Promise<Stage & { open(): void; own: Promise<unknown> }> {
	const { answer, open } = latch();
	const scene = await stage(
		(request, call) =>
			call === 0 ? answer : typeof script === "function" ? script(request, call) : (script[call - 1] ?? { text: "Done." }),
		{
			files: FILES,
		},
	);
	const own = scene.conversation.send("Begin");
	await scene.model.asked;
	return { ...scene, open, own };
}

const isQueued = (text: string) => (event: TranscriptEvent) => event.type === "queued" && event.text === text;

describe("a message that waits", () => {
	afterEach(cleanUp);

	it("is on disk when it is shown, and in the transcript as queued until a turn takes it", async () => {
		const { house, session, conversation, open, own } = await working();
		const file = join(house.storage, "sessions", session.sessionId, "current.jsonl");
		const shown: { texts: string[]; stored: boolean }[] = [];
		house.sessions.listen({
			event(_, event) {
				if (event.type === "queued")
					shown.push({ texts: waitingTexts(conversation), stored: readFileSync(file, "utf8").includes(event.id) });
			},
		});
		const next = conversation.send("And this", READER);
		await recorded(house, conversation, isQueued("And this"));
		open();
		await Promise.all([own, next]);
		assert.deepEqual(shown, [{ texts: ["And this"], stored: true }]);
		assert.deepEqual(story(conversation.state.events), ["user Begin", "queued And this", "user And this"]);
	});

	it("goes back to the person on Stop, and an agent's answer stays and gets its turn", async () => {
		const { house, session, conversation, own } = await working();
		const theirs = conversation.enqueue({ text: "The answer" }, ANSWER);
		const mine = conversation.send("And this");
		await theirs;
		await conversation.cancel();
		await Promise.all([own, mine]);
		assert.equal(house.sessions.takeReturned(session.sessionId)?.text, "And this");
		await answered(house, conversation, "The answer");
		assert.deepEqual(story(conversation.state.events), [
			"user Begin",
			"queued The answer",
			"queued And this",
			"unqueued takenBack",
			"user The answer",
		]);
	});

	it("whose turn could not begin waits for the person's next message, and gets its turn with it", async () => {
		const { house, conversation, open, own } = await working();
		const theirs = conversation.send("The answer", ANSWER);
		await recorded(house, conversation, isQueued("The answer"));
		const { store } = house;
		const { own: take } = store;
		store.own = () => {
			store.own = take;
			return Promise.reject(new Error("The disk does not answer."));
		};
		open();
		await own;
		await assert.rejects(theirs, /The disk does not answer/);
		await conversation.resume();
		assert.deepEqual([waitingTexts(conversation), conversation.isRunning], [["The answer"], false]);
		await conversation.send("Go on");
		assert.deepEqual(waitingTexts(conversation), []);
		assert.deepEqual(
			story(conversation.state.events).filter((line) => line.startsWith("user")),
			["user Begin", "user The answer", "user Go on"],
		);
	});

	it("is unqueued when it is taken back, and no turn takes it", async () => {
		const { house, conversation, open, own } = await working();
		const mine = conversation.send("And this");
		await recorded(house, conversation, isQueued("And this"));
		const [waiting] = conversation.waiting;
		assert.equal((await conversation.takeBack(waiting?.id ?? ""))?.text, "And this");
		assert.equal(await conversation.takeBack(waiting?.id ?? ""), undefined);
		open();
		assert.equal((await mine).outcome, "cancelled");
		await own;
		assert.deepEqual(story(conversation.state.events), ["user Begin", "queued And this", "unqueued takenBack"]);
	});

	for (const [what, done] of [
		["clear", "cleared"],
		["delete", "deleted"],
	] as const) {
		it(`ends with unqueued when its session is ${done}, and the person's goes back to the person`, async () => {
			const { house, session, conversation } = await working();
			const given: string[] = [];
			house.sessions.listen({ returned: (id) => void given.push(house.sessions.takeReturned(id)?.text ?? "") });
			const theirs = conversation.send("Theirs", READER);
			const mine = conversation.send("And this");
			await recorded(house, conversation, isQueued("And this"));
			await house.sessions[what](session.sessionId);
			assert.deepEqual(given, ["And this"]);
			assert.deepEqual([(await theirs).outcome, (await mine).outcome], ["cancelled", "cancelled"]);
			assert.deepEqual(story(conversation.state.events).slice(-2), ["unqueued cleared", "unqueued cleared"]);
			assert.equal((await house.sessions.list())[0]?.unsettled, undefined);
		});
	}

	it("is refused with a sentence where 100 wait, and those are answered in order", async () => {
		const { house, conversation, open } = await working();
		const all = await Promise.allSettled(Array.from({ length: 1_000 }, (_, place) => conversation.enqueue({ text: `m${place}` }, READER)));
		const refused = all.filter(({ status }) => status === "rejected");
		assert.deepEqual([all.length, refused.length, conversation.waiting.length], [1_000, 900, 100]);
		const reasons = new Set(refused.map((end) => end.status === "rejected" && String(end.reason)));
		assert.match([...reasons].join(), /^\w+: 100 messages are already waiting in this session\. This one was not sent\./);
		await assert.rejects(conversation.send("One more"), { code: "queue-full" });
		open();
		await answered(house, conversation, "m99");
		const texts = conversation.state.events.flatMap((event) => (event.type === "user" ? [event.text] : []));
		assert.deepEqual(texts, ["Begin", ...Array.from({ length: 100 }, (_, place) => `m${place}`)]);
		await conversation.send("Room again");
	}).timeout(60_000);

	it("is accepted once, however often it is added with the same id", async () => {
		const { house, conversation, open } = await working();
		const twice = [1, 2].map(() => conversation.enqueue({ id: "answer-1", text: "Once" }, READER));
		await Promise.all(twice);
		open();
		await answered(house, conversation, "Once");
		await conversation.enqueue({ id: "answer-1", text: "Once" }, READER);
		await conversation.send("Next");
		assert.deepEqual(story(conversation.state.events), ["user Begin", "queued Once", "user Once", "user Next"]);
	});

	it("outlasts an undo to before it was sent, and a compaction", async () => {
		const scene = await stage([{ text: "One." }, { text: "Two." }, { text: "A summary." }], { files: FILES });
		const { house, session, conversation } = scene;
		await conversation.send("First");
		await conversation.send("Second");
		await house.store.append(session.sessionId, {
			...{ id: "w", seq: conversation.state.seq + 1, at: new Date().toISOString(), by: "person" as const },
			...{ type: "queued", message: "w", from: "person", text: "Later" },
		});
		await conversation.eventLog.refresh();
		const second = conversation.state.events.find((event) => event.type === "user" && event.text === "Second");
		await rewindTo(conversation, findMessageIndex(conversation, second?.id ?? ""), true);
		assert.deepEqual([waitingTexts(conversation), conversation.state.messages], [["Later"], 2]);
		await conversation.compact();
		assert.ok(conversation.state.events.some(({ type }) => type === "compacted"));
		assert.deepEqual(waitingTexts(conversation), ["Later"]);
		await conversation.send("Now");
		assert.deepEqual(story(conversation.state.events).slice(-3), ["queued Now", "user Later", "user Now"]);
	});

	it("of an imported conversation is not taken over, nor are its callers and its calls: nothing starts", async () => {
		const scene = await stage([], { files: FILES });
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
		const { sessionId } = await importSession(scene.house.sessions, lines.join("\n"), "chat.jsonl");
		await scene.house.sessions.recover();
		const imported = await scene.house.sessions.get(sessionId);
		await imported.resume();
		const { state } = imported;
		const kinds = new Set(state.events.map(({ type }) => type));
		assert.deepEqual([...kinds].sort(), ["agent", "assistant", "result", "role", "status", "user"]);
		assert.deepEqual([state.queue.size, state.delegations.size, imported.isRunning, scene.model.requests.length], [0, 0, false, 0]);
		assert.deepEqual(
			state.events.flatMap((event) => (event.type === "user" ? [event.message] : [])),
			[undefined],
		);
		assert.equal((await scene.house.sessions.list()).find((one) => one.sessionId === sessionId)?.unsettled, undefined);
	});
});
