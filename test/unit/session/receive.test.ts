// Tests session.receive: text that the agent sends outside a turn.
import assert from "node:assert/strict";
import { closeTestSessions, openTestSession } from "./testSession.ts";

describe("what an agent says outside a turn", () => {
	afterEach(closeTestSessions);

	it("is an answer without a turn, without hidden characters, and part of the next request", async () => {
		const setup = await openTestSession([{ text: "One." }, { text: "Two." }]);
		await setup.session.send("Hello");
		await setup.session.receive("It is\u200b done.", "agent:elsewhere");
		const said = setup.session.state.events.at(-1);
		assert.deepEqual(said?.type === "assistant" && [said.text, said.by, said.turn], ["It is done.", "agent:elsewhere", undefined]);
		await setup.session.send("And now?");
		assert.match(JSON.stringify(setup.model.requests[1]?.events), /It is done\./);
	});

	it("waits for the turn that runs, so that it stands between no call and its result", async () => {
		let open: () => void = () => undefined;
		const until = new Promise<void>((resolve) => {
			open = resolve;
		});
		const setup = await openTestSession([{ text: "Later.", until }]);
		const turn = setup.session.send("Hello");
		await setup.model.asked;
		const received = setup.session.receive("News.", "agent:elsewhere");
		open();
		await Promise.all([turn, received]);
		assert.deepEqual(setup.types().slice(-2), ["ended", "assistant"]);
	});
});
