// Tests that an imported session of the main agent has what it said, and not what it thought.
import assert from "node:assert/strict";
import { joinText, streamExport } from "../../../../src/sessions/exportSession.ts";
import { importSession } from "../../../../src/sessions/importSession.ts";
import { closeMain, openTestMain, saying, type TestMain } from "./testMain.ts";

const THOUGHT = "Owls think";

/** It thinks, speaks and looks up the time in one answer, speaks again, and ends with a thought. */
async function spoken(): Promise<TestMain> {
	const both = [...(saying("I look.").calls ?? []), { name: "current_time", input: {} }, ...(saying("One moment.").calls ?? [])];
	const main = [
		{ text: `${THOUGHT} of time.`, thinking: `${THOUGHT} deeply.`, calls: both },
		saying("It is late.", THOUGHT),
		{ text: THOUGHT },
	];
	const setup = await openTestMain({ main });
	await setup.session.send("How late is it?");
	return setup;
}

async function imported({ app }: TestMain, text: string) {
	const { sessionId, left } = await importSession(app.sessions, text, "main.json");
	const { state } = await app.sessions.get(sessionId);
	const own = state.events.filter((event) => event.imported);
	const said = own.map((event) => {
		if (event.type === "assistant") return [event.text, ...(event.calls ?? []).map(({ name }) => name)];
		return event.type === "result" ? event.status : event.type === "user" && event.text;
	});
	return { left, said, text: JSON.stringify(own) };
}

const SAID = ["How late is it?", ["I look.\n\nOne moment.", "current_time"], "ok", ["It is late."]];

describe("an imported session of the main agent", () => {
	afterEach(closeMain);

	it("has its replies in place of the calls that made them", async () => {
		const setup = await spoken();
		const [session] = await setup.app.sessions.list();
		assert.ok(session);
		const { said, left } = await imported(setup, await joinText(await streamExport(setup.app.sessions, session, "json")));
		assert.deepEqual([said, left], [SAID, 0]);
	});

	it("has none of its thoughts, even if the file is the transcript itself", async () => {
		const setup = await spoken();
		const raw = setup.session.state.events.map((event) => JSON.stringify(event)).join("\n");
		assert.match(raw, /Owls/);
		const { said, text } = await imported(setup, raw);
		assert.deepEqual(said, SAID);
		assert.doesNotMatch(text, /Owls/);
	});
});
