// Messages that waited when their window closed: none lost, none answered twice, and the person's wait for the person.
import assert from "node:assert/strict";
import type { TranscriptEvent } from "../../../../src/core/events.ts";
import type { HouseOptions } from "../../../fakes/house.ts";
import { FILES, type Stage, stage } from "../stage.ts";
import { answered, cleanUp, latch, newHome, newWindow, READER, recorded, story, waitingTexts } from "./support.ts";

const isQueued = (text: string) => (event: TranscriptEvent) => event.type === "queued" && event.text === text;
const last = <T>(list: readonly T[], count: number): T[] => list.slice(-count);

/** A window whose turn runs while these messages are sent, and that closes then. */
async function closedWith(home: string, messages: readonly (readonly [string, "person" | typeof READER])[]): Promise<Stage> {
	const scene = await stage([latch().answer], { files: FILES, home });
	const own = scene.conversation.send("Begin");
	await scene.model.asked;
	const ends = [own];
	for (const [text, from] of messages) {
		ends.push(scene.conversation.send(text, from));
		await recorded(scene.house, scene.conversation, isQueued(text));
	}
	await scene.house.close();
	await Promise.all(ends);
	return scene;
}

function reopened(home: string, options: Partial<HouseOptions> = {}): Promise<Stage> {
	return stage((_, call) => ({ text: `Answer ${call + 1}.` }), { home, ...options });
}

describe("after a reload", () => {
	afterEach(cleanUp);

	it("the person's messages are listed and not run, and go before the next that the person sends", async () => {
		const home = newHome();
		await closedWith(home, [
			["One", "person"],
			["Two", "person"],
		]);
		const { house, conversation, model } = await reopened(home);
		await house.sessions.recover();
		await conversation.resume();
		assert.deepEqual([waitingTexts(conversation), conversation.isRunning, model.requests.length], [["One", "Two"], false, 0]);
		await conversation.send("Three");
		assert.deepEqual(
			last(story(conversation.state.events), 4).filter((line) => line.startsWith("user")),
			["user One", "user Two", "user Three"],
		);
		assert.equal((await house.sessions.list())[0]?.unsettled, undefined);
	});

	it("Stop returns the person's messages that waited for the person, once the next has set them free", async () => {
		const home = newHome();
		await closedWith(home, [
			["One", "person"],
			["Two", "person"],
		]);
		const { house, session, conversation, model } = await stage([latch().answer], { home });
		const theirs = conversation.send("Theirs", READER);
		await model.asked;
		await conversation.cancel();
		assert.deepEqual([(await theirs).outcome, waitingTexts(conversation)], ["cancelled", ["One", "Two"]]);
		const next = conversation.send("Three");
		const stopped = conversation.cancel();
		await Promise.all([next, stopped]);
		assert.equal(house.sessions.takeReturned(session.sessionId)?.text, "One\n\nTwo\n\nThree");
		assert.deepEqual([waitingTexts(conversation), conversation.isRunning, model.requests.length], [[], false, 1]);
	});

	it("an agent's message gets its turn without anybody opening its session, within the sender's limits", async () => {
		const home = newHome();
		const { session } = await closedWith(home, [
			["Mine", "person"],
			["Theirs", READER],
		]);
		const house = await newWindow(home, [{ text: "Yours." }]);
		const [opened] = await house.sessions.recover();
		assert.ok(opened?.sessionId === session.sessionId);
		await answered(house, opened, "Theirs");
		const { state } = opened;
		assert.deepEqual(last(story(state.events), 3), ["queued Mine", "queued Theirs", "user Theirs"]);
		const started = state.events.findLast((event) => event.type === "started");
		assert.deepEqual(started?.type === "started" && started.ceiling, ["ReadFiles"]);
		assert.deepEqual([house.model.requests.length, waitingTexts(opened)], [1, ["Mine"]]);
	});

	it("an agent's message gets its turn where its session is opened, a long one too", async () => {
		const home = newHome();
		const long = { window: { fullReadLimit: 4_000, pageSize: 1_000, chunkSize: 500 } };
		const there = await stage([{ text: "a ".repeat(9_000) }, latch().answer], { home, ...long });
		await there.conversation.send("b ".repeat(9_000));
		const own = there.conversation.send("Begin");
		await recorded(there.house, there.conversation, (event) => event.type === "user" && event.text === "Begin");
		const theirs = there.conversation.send("Theirs", READER);
		await recorded(there.house, there.conversation, isQueued("Theirs"));
		await there.house.close();
		await Promise.all([own, theirs]);
		const { house, conversation } = await reopened(home, long);
		assert.ok(conversation.state.before);
		await answered(house, conversation, "Theirs");
		assert.deepEqual(last(story(conversation.state.events), 2), ["queued Theirs", "user Theirs"]);
	});

	it("only sessions with waiting work are opened, and those of a window that lives are left alone", async () => {
		const home = newHome();
		const { answer, open } = latch();
		const there = await stage([answer], { home });
		await there.house.sessions.create();
		const own = there.conversation.send("Begin");
		await there.model.asked;
		const theirs = there.conversation.send("Theirs", READER);
		await recorded(there.house, there.conversation, isQueued("Theirs"));
		const house = await newWindow(home);
		const opened = await house.sessions.recover();
		assert.deepEqual(
			opened.map(({ sessionId }) => sessionId),
			[there.session.sessionId],
		);
		await opened[0]?.resume();
		assert.deepEqual([house.model.requests.length, house.store.isHeld(there.session.sessionId)], [0, false]);
		open();
		await Promise.all([own, theirs]);
		assert.deepEqual(story(there.conversation.state.events), ["user Begin", "queued Theirs", "user Theirs"]);
		assert.equal(house.model.requests.length, 0);
	});

	it("sessions that called each other do not wait for each other to open", async () => {
		const home = newHome();
		const { house, session } = await stage([], { files: FILES, home });
		const other = await house.sessions.create();
		const ids = [session.sessionId, other.sessionId] as const;
		for (const [place, id] of ids.entries()) {
			const called = { session: ids[1 - place] ?? "", agent: "default", mode: "async" as const, depth: 1, responseId: `r${place}` };
			const opened = await house.sessions.get(id);
			await opened.lease.take();
			await opened.eventLog.emit({ type: "delegated", call: `c${place}`, ...called }, "host", "t");
		}
		await house.close();
		const next = await newWindow(home);
		const opened = await next.sessions.recover();
		assert.deepEqual(opened.map(({ sessionId }) => sessionId).sort(), [...ids].sort());
	});

	it("nothing starts in Restricted Mode", async () => {
		const home = newHome();
		const there = await closedWith(home, [["Theirs", READER]]);
		const { house, conversation, model } = await reopened(home, { restricted: "Restricted." });
		assert.deepEqual(await house.sessions.recover(), []);
		await conversation.resume();
		assert.deepEqual([model.requests.length, house.store.isHeld(there.session.sessionId)], [0, false]);
		assert.deepEqual(waitingTexts(conversation), ["Theirs"]);
	});
});
