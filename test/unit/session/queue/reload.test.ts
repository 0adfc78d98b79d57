// Messages that waited when their window closed: none lost, none answered twice, and the person's wait for the person.
import assert from "node:assert/strict";
import type { TranscriptEvent } from "../../../../src/core/events.ts";
import type { TestAppOptions } from "../../../fakes/testApp.ts";
import { FILES, openTestSession, type TestSession } from "../testSession.ts";
import { answered, cleanUp, holdAnswer, newHome, newWindow, READER, recorded, story, waitingTexts } from "./support.ts";

const isQueued = (text: string) => (event: TranscriptEvent) => event.type === "queued" && event.text === text;
const last = <T>(list: readonly T[], count: number): T[] => list.slice(-count);

/** A window whose turn runs while these messages are sent, and that closes then. */
async function closedWith(home: string, messages: readonly (readonly [string, "person" | typeof READER])[]): Promise<TestSession> {
	const setup = await openTestSession([holdAnswer().answer], { files: FILES, home });
	const own = setup.session.send("Begin");
	await setup.model.asked;
	const ends = [own];
	for (const [text, from] of messages) {
		ends.push(setup.session.send(text, from));
		await recorded(setup.app, setup.session, isQueued(text));
	}
	await setup.app.close();
	await Promise.all(ends);
	return setup;
}

function reopened(home: string, options: Partial<TestAppOptions> = {}): Promise<TestSession> {
	return openTestSession((_, call) => ({ text: `Answer ${call + 1}.` }), { home, ...options });
}

describe("after a reload", () => {
	afterEach(cleanUp);

	it("the person's messages are listed and not run, and go before the next that the person sends", async () => {
		const home = newHome();
		await closedWith(home, [
			["One", "person"],
			["Two", "person"],
		]);
		const { app, session, model } = await reopened(home);
		await app.sessions.recover();
		await session.resume();
		assert.deepEqual([waitingTexts(session), session.isRunning, model.requests.length], [["One", "Two"], false, 0]);
		await session.send("Three");
		assert.deepEqual(
			last(story(session.state.events), 4).filter((line) => line.startsWith("user")),
			["user One", "user Two", "user Three"],
		);
		assert.equal((await app.sessions.list())[0]?.unsettled, undefined);
	});

	it("Stop returns the person's messages that waited for the person, once the next has set them free", async () => {
		const home = newHome();
		await closedWith(home, [
			["One", "person"],
			["Two", "person"],
		]);
		const { app, summary, session, model } = await openTestSession([holdAnswer().answer], { home });
		const theirs = session.send("Theirs", READER);
		await model.asked;
		await session.cancel();
		assert.deepEqual([(await theirs).outcome, waitingTexts(session)], ["cancelled", ["One", "Two"]]);
		const next = session.send("Three");
		const stopped = session.cancel();
		await Promise.all([next, stopped]);
		assert.equal(app.sessions.takeReturned(summary.sessionId)?.text, "One\n\nTwo\n\nThree");
		assert.deepEqual([waitingTexts(session), session.isRunning, model.requests.length], [[], false, 1]);
	});

	it("an agent's message gets its turn without anybody opening its session, within the sender's limits", async () => {
		const home = newHome();
		const { summary } = await closedWith(home, [
			["Mine", "person"],
			["Theirs", READER],
		]);
		const app = await newWindow(home, [{ text: "Yours." }]);
		const [opened] = await app.sessions.recover();
		assert.ok(opened?.sessionId === summary.sessionId);
		await answered(app, opened, "Theirs");
		const { state } = opened;
		assert.deepEqual(last(story(state.events), 3), ["queued Mine", "queued Theirs", "user Theirs"]);
		const started = state.events.findLast((event) => event.type === "started");
		assert.deepEqual(started?.type === "started" && started.ceiling, ["ReadFiles"]);
		assert.deepEqual([app.model.requests.length, waitingTexts(opened)], [1, ["Mine"]]);
	});

	it("an agent's message gets its turn where its session is opened, a long one too", async () => {
		const home = newHome();
		const long = { window: { fullReadLimit: 4_000, pageSize: 1_000, chunkSize: 500 } };
		const there = await openTestSession([{ text: "a ".repeat(9_000) }, holdAnswer().answer], { home, ...long });
		await there.session.send("b ".repeat(9_000));
		const own = there.session.send("Begin");
		await recorded(there.app, there.session, (event) => event.type === "user" && event.text === "Begin");
		const theirs = there.session.send("Theirs", READER);
		await recorded(there.app, there.session, isQueued("Theirs"));
		await there.app.close();
		await Promise.all([own, theirs]);
		const { app, session } = await reopened(home, long);
		assert.ok(session.state.before);
		await answered(app, session, "Theirs");
		assert.deepEqual(last(story(session.state.events), 2), ["queued Theirs", "user Theirs"]);
	});

	it("only sessions with waiting work are opened, and those of a window that lives are left alone", async () => {
		const home = newHome();
		const { answer, open } = holdAnswer();
		const there = await openTestSession([answer], { home });
		await there.app.sessions.create();
		const own = there.session.send("Begin");
		await there.model.asked;
		const theirs = there.session.send("Theirs", READER);
		await recorded(there.app, there.session, isQueued("Theirs"));
		const app = await newWindow(home);
		const opened = await app.sessions.recover();
		assert.deepEqual(
			opened.map(({ sessionId }) => sessionId),
			[there.summary.sessionId],
		);
		await opened[0]?.resume();
		assert.deepEqual([app.model.requests.length, app.store.isHeld(there.summary.sessionId)], [0, false]);
		open();
		await Promise.all([own, theirs]);
		assert.deepEqual(story(there.session.state.events), ["user Begin", "queued Theirs", "user Theirs"]);
		assert.equal(app.model.requests.length, 0);
	});

	it("sessions that called each other do not wait for each other to open", async () => {
		const home = newHome();
		const { app, summary } = await openTestSession([], { files: FILES, home });
		const other = await app.sessions.create();
		const ids = [summary.sessionId, other.sessionId] as const;
		for (const [place, id] of ids.entries()) {
			const called = { session: ids[1 - place] ?? "", agent: "default", mode: "async" as const, depth: 1, responseId: `r${place}` };
			const opened = await app.sessions.get(id);
			await opened.lease.take();
			await opened.eventLog.emit({ type: "delegated", call: `c${place}`, ...called }, "host", "t");
		}
		await app.close();
		const next = await newWindow(home);
		const opened = await next.sessions.recover();
		assert.deepEqual(opened.map(({ sessionId }) => sessionId).sort(), [...ids].sort());
	});

	it("nothing starts in Restricted Mode", async () => {
		const home = newHome();
		const there = await closedWith(home, [["Theirs", READER]]);
		const { app, session, model } = await reopened(home, { restricted: "Restricted." });
		assert.deepEqual(await app.sessions.recover(), []);
		await session.resume();
		assert.deepEqual([model.requests.length, app.store.isHeld(there.summary.sessionId)], [0, false]);
		assert.deepEqual(waitingTexts(session), ["Theirs"]);
	});
});
