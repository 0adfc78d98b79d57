// Tests session.receive: text that the agent sends outside a turn.
import assert from "node:assert/strict";
import { stage, strike } from "./stage.ts";

describe("what an agent says outside a turn", () => {
	afterEach(strike);

	it("is an answer without a turn, without hidden characters, and part of the next request", async () => {
		const scene = await stage([{ text: "One." }, { text: "Two." }]);
		await scene.conversation.send("Hello");
		await scene.conversation.receive("It is\u200b done.", "agent:elsewhere");
		const said = scene.conversation.state.events.at(-1);
		assert.deepEqual(said?.type === "assistant" && [said.text, said.by, said.turn], ["It is done.", "agent:elsewhere", undefined]);
		await scene.conversation.send("And now?");
		assert.match(JSON.stringify(scene.model.requests[1]?.events), /It is done\./);
	});

	it("waits for the turn that runs, so that it stands between no call and its result", async () => {
		let open: () => void = () => undefined;
		const until = new Promise<void>((resolve) => {
			open = resolve;
		});
		const scene = await stage([{ text: "Later.", until }]);
		const turn = scene.conversation.send("Hello");
		await scene.model.asked;
		const received = scene.conversation.receive("News.", "agent:elsewhere");
		open();
		await Promise.all([turn, received]);
		assert.deepEqual(scene.types().slice(-2), ["ended", "assistant"]);
	});
});
