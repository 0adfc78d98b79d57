// Messages for a session of another window: recorded by its owner, once, within their limits.
import assert from "node:assert/strict";
import { type InboxMessage, StorageError } from "../../../../src/core/ports/sessions.ts";
import { FILES, openTestSession } from "../testSession.ts";
import { answered, cleanUp, holdAnswer, newHome, newWindow, READER, recorded, story, waitingTexts } from "./support.ts";

const CALLER = {
	...{ session: "elsewhere", turn: "t", call: "c", agent: "reader", role: "planner" },
	...{ ceiling: ["ReadFiles"] as const, depth: 1, chain: ["reader"] },
};
const ANSWER = { kind: "answer", call: "c1", turn: "t1", agent: "reader", session: "child", status: "complete" } as const;

/** A session whose window runs a turn until `open`. */
async function busy(home: string) {
	const { answer, open } = holdAnswer();
	const there = await openTestSession((_, call) => (call === 0 ? answer : { text: "Done." }), { files: FILES, home });
	const own = there.session.send("Begin");
	await there.model.asked;
	return { ...there, open, own };
}

/** A session that another window has, in which no turn runs, and that this window shows. A second turn there never ends by itself. */
async function shownHere() {
	const home = newHome();
	const there = await openTestSession((_, call) => (call === 0 ? { text: "Hi." } : holdAnswer().answer), { files: FILES, home });
	await there.session.send("Begin");
	const here = await newWindow(home);
	const session = await here.sessions.get(there.summary.sessionId);
	return { there, here, session };
}

function letter(id: string, rest: Partial<InboxMessage> = {}): InboxMessage {
	return { id, at: new Date().toISOString(), message: { text: id }, from: { ...READER }, ...rest };
}

describe("a message to a session of another window", () => {
	afterEach(cleanUp);

	it("is recorded by that window, answered there, and leaves the inbox", async () => {
		const home = newHome();
		const there = await busy(home);
		const here = await newWindow(home);
		const { sessionId } = there.summary;
		await here.sessions.deliverMessage(sessionId, { text: "Hello" }, { ...READER, caller: CALLER });
		assert.equal(here.store.isHeld(sessionId), false);
		await recorded(there.app, there.session, ({ type }) => type === "queued");
		assert.deepEqual(waitingTexts(there.session), ["Hello"]);
		there.open();
		await answered(there.app, there.session, "Hello");
		const { events } = there.session.state;
		assert.deepEqual(story(events), ["user Begin", "queued Hello", "user Hello"]);
		const started = events.findLast((event) => event.type === "started");
		assert.deepEqual(started?.type === "started" && started.caller, CALLER);
		assert.deepEqual([await here.store.inbox(sessionId), here.model.requests.length], [[], 0]);
	});

	it("goes into the queue here where no other window has the session", async () => {
		const home = newHome();
		const there = await openTestSession([{ text: "Hi." }], { files: FILES, home });
		await there.session.send("Begin");
		await there.app.close();
		const here = await newWindow(home);
		await here.sessions.deliverMessage(there.summary.sessionId, { text: "Hello" }, READER);
		const session = await here.sessions.get(there.summary.sessionId);
		await answered(here, session, "Hello");
		assert.deepEqual(story(session.state.events), ["user Begin", "queued Hello", "user Hello"]);
		await assert.rejects(here.sessions.deliverMessage("none", { text: "Hello" }, READER), { code: "ENOENT" });
	});

	it("waits for the next window where that one, and the one that sent it, close before it was looked at", async () => {
		const home = newHome();
		const there = await busy(home);
		const here = await newWindow(home);
		there.app.store.inbox = async () => [];
		const { sessionId } = there.summary;
		await here.sessions.deliverMessage(sessionId, { text: "Hello" }, READER);
		await here.close();
		await there.app.close();
		const next = await newWindow(home);
		assert.equal((await next.store.inbox(sessionId)).length, 1);
		const session = await next.sessions.get(sessionId);
		await answered(next, session, "Hello");
		assert.deepEqual([story(session.state.events), await next.store.inbox(sessionId)], [["user Begin", "queued Hello", "user Hello"], []]);
	});

	it("is answered in the window that sent it where the other closes before it has looked", async () => {
		const { there, here, session } = await shownHere();
		there.app.store.inbox = async () => [];
		await here.sessions.deliverMessage(session.sessionId, { text: "Hello" }, READER);
		await there.app.close();
		await answered(here, session, "Hello");
		assert.deepEqual(story(session.state.events), ["user Begin", "queued Hello", "user Hello"]);
		assert.deepEqual(await here.store.inbox(session.sessionId), []);
	}).timeout(10_000);

	it("is answered in the window that sent it where the other closes before its turn begins", async () => {
		const { there, here, session } = await shownHere();
		const own = there.session.send("More");
		await recorded(there.app, there.session, (event) => event.type === "user" && event.text === "More");
		await here.sessions.deliverMessage(session.sessionId, { text: "Hello" }, READER);
		await recorded(there.app, there.session, ({ type }) => type === "queued");
		await there.app.close();
		await own;
		await answered(here, session, "Hello");
		assert.deepEqual(story(session.state.events), ["user Begin", "user More", "queued Hello", "user Hello"]);
	}).timeout(10_000);

	it("is answered in the window that sends it where the other closes meanwhile", async () => {
		const { there, here, session } = await shownHere();
		const { post } = here.store;
		here.store.post = async (...letter) => {
			await there.app.close();
			await post(...letter);
		};
		await here.sessions.deliverMessage(session.sessionId, { text: "Hello" }, READER);
		await answered(here, session, "Hello");
		assert.deepEqual(await here.store.inbox(session.sessionId), []);
	});

	it("is answered once where the window dies after it has recorded the message and before it has removed it", async () => {
		const home = newHome();
		const there = await busy(home);
		const here = await newWindow(home);
		there.app.store.takeFromInbox = () => Promise.reject(new Error("the window died"));
		const { sessionId } = there.summary;
		await here.sessions.deliverMessage(sessionId, { text: "Hello" }, READER);
		await recorded(there.app, there.session, ({ type }) => type === "queued");
		await here.close();
		await there.app.close();
		const next = await newWindow(home);
		assert.equal((await next.store.inbox(sessionId)).length, 1);
		const session = await next.sessions.get(sessionId);
		await answered(next, session, "Hello");
		await session.resume();
		await session.send("Next");
		assert.deepEqual(story(session.state.events), ["user Begin", "queued Hello", "user Hello", "user Next"]);
		assert.deepEqual(await next.store.inbox(sessionId), []);
	});

	it("stays in the inbox until the disk has what was recorded", async () => {
		const home = newHome();
		const there = await busy(home);
		const { store, sessions } = there.app;
		const { append } = store;
		store.append = (id, event) => {
			if (event.type !== "queued") return append(id, event);
			store.append = append;
			return append(id, event).then(() => Promise.reject(new StorageError("The disk is full.", "ENOSPC")));
		};
		const { sessionId } = there.summary;
		await store.post(sessionId, letter("Hello"));
		await recorded(there.app, there.session, ({ type }) => type === "queued");
		await there.session.resume();
		assert.equal((await store.inbox(sessionId)).length, 1);
		there.open();
		await answered(there.app, there.session, "Hello");
		await (await sessions.get(sessionId)).resume();
		await store.post(sessionId, letter("More"));
		await answered(there.app, there.session, "More");
		await there.session.resume();
		assert.deepEqual([story(there.session.state.events).length, await store.inbox(sessionId)], [5, []]);
	});

	it("is refused where 100 wait, in the queue and in the inbox together, and none of those is lost", async () => {
		const home = newHome();
		const there = await busy(home);
		const here = await newWindow(home);
		const { sessionId } = there.summary;
		const { inbox } = there.app.store;
		there.app.store.inbox = async () => [];
		for (let place = 0; place < 60; place++) await there.session.enqueue({ text: `m${place}` }, READER);
		for (let place = 60; place < 100; place++) await here.sessions.deliverMessage(sessionId, { text: `m${place}` }, READER);
		const full = { code: "queue-full", message: /^100 messages are already waiting in this session\. This one was not sent\./ };
		await assert.rejects(here.sessions.deliverMessage(sessionId, { text: "m100" }, READER), full);
		for (let place = 100; place < 140; place++) await there.session.enqueue({ text: `m${place}` }, READER);
		there.app.store.inbox = inbox;
		await there.session.resume();
		assert.deepEqual([there.session.waiting.length, (await here.store.inbox(sessionId)).length], [100, 40]);
		there.open();
		await answered(there.app, there.session, "m99");
		const texts = there.session.state.events.flatMap((event) => (event.type === "user" ? [event.text] : []));
		assert.equal(new Set(texts).size, 141);
		assert.deepEqual(await here.store.inbox(sessionId), []);
	}).timeout(60_000);

	it("has the limits that it names, those of its caller at most, and none of the person's where it names none", async () => {
		const there = await busy(newHome());
		const { store } = there.app;
		const { sessionId } = there.summary;
		const from = { by: "agent:reader", session: "elsewhere" };
		await store.post(sessionId, letter("none", { from }));
		await store.post(sessionId, letter("some", { from: { ...from, ceiling: ["ReadFiles", "Fly"] } }));
		await store.post(sessionId, letter("caller", { from: { ...from, ceiling: ["ReadFiles", "WriteFiles"], caller: CALLER } }));
		await recorded(there.app, there.session, (event) => event.type === "queued" && event.text === "caller");
		assert.deepEqual(
			[...there.session.state.queue.values()].map(({ text, ceiling }) => [text, ceiling]),
			[
				["none", []],
				["some", ["ReadFiles"]],
				["caller", ["ReadFiles"]],
			],
		);
	});

	it("is refused where it speaks for the person, the host, the API or a model, or answers a call that waits for none", async () => {
		const there = await busy(newHome());
		const { app, session, summary } = there;
		const { store } = app;
		await session.eventLog.emit({ type: "delegated", call: "c1", session: "child", agent: "reader" }, "host", "t1");
		await session.eventLog.emit({ type: "delegated", call: "c2", session: "child", agent: "reader" }, "host", "t1");
		const bad: [string, Partial<InboxMessage>][] = [
			...["person", "api", "host", "model", "channel:VS Code chat", "channel:import", "", 7].map(
				(by, place): [string, Partial<InboxMessage>] => [`author ${place}`, { from: { ...READER, by } }],
			),
			["no author", { from: {} }],
			["itself", { from: { ...READER, session: summary.sessionId } }],
			["half a caller", { from: { ...READER, caller: { ...CALLER, ceiling: "all" } } }],
			["a budget without an end", { from: { ...READER, budget: { steps: "many" } } }],
			["another call", { about: { ...ANSWER, call: "c9" } }],
			["another session", { about: { ...ANSWER, session: "stranger" } }],
			["another turn", { about: { ...ANSWER, turn: session.state.turn?.id } }],
			["no answer", { about: { ...ANSWER, kind: "order" } }],
		];
		for (const [id, rest] of bad) await store.post(summary.sessionId, letter(id, rest));
		await store.post(summary.sessionId, letter("the answer", { about: ANSWER }));
		await store.post(summary.sessionId, letter("the same answer", { about: ANSWER }));
		await store.post(summary.sessionId, letter("the end"));
		await recorded(app, session, (event) => event.type === "queued" && event.text === "the end");
		assert.deepEqual(waitingTexts(session), ["the answer", "the end"]);
		await session.resume();
		assert.deepEqual(await store.inbox(summary.sessionId), []);
		assert.equal(app.logged.filter((line) => line.includes("was refused")).length, bad.length + 1);
	});
});

describe("a session that moves to another window", () => {
	afterEach(cleanUp);

	it("takes its waiting messages along, and each is answered once, in one of the windows", async () => {
		const home = newHome();
		const first = await busy(home);
		const mine = first.session.send("Mine");
		await recorded(first.app, first.session, ({ type }) => type === "queued");
		await first.app.close();
		await Promise.all([first.own, mine]);
		// It waits for the person in the window that has the session, and is handed over with it.
		const there = await openTestSession([], { home });
		await there.session.setApproval("ask");
		const here = await openTestSession([], { home });
		await here.session.send("Now");
		assert.equal(there.model.requests.length, 0);
		assert.deepEqual(
			story(here.session.state.events).filter((line) => line.startsWith("user")),
			["user Begin", "user Mine", "user Now"],
		);
		await there.session.send("And here");
		assert.deepEqual(
			story(there.session.state.events).filter((line) => line.startsWith("user")),
			["user Begin", "user Mine", "user Now", "user And here"],
		);
	}).timeout(20_000);

	it("stays where messages wait for their turn", async () => {
		const home = newHome();
		const there = await busy(home);
		const theirs = there.session.send("Theirs", READER);
		const here = await openTestSession([], { home });
		const refused = assert.rejects(here.session.send("Now"), { code: "other-window" });
		await refused;
		assert.deepEqual(here.types().includes("unqueued"), false);
		there.open();
		await Promise.all([there.own, theirs]);
		assert.deepEqual(story((await there.app.store.read(there.summary.sessionId)).events), ["user Begin", "queued Theirs", "user Theirs"]);
	}).timeout(20_000);
});
