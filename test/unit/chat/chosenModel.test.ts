// The chat says which model answers and why, where nobody has named one.
import assert from "node:assert/strict";
import { stage, strike } from "../session/stage.ts";

describe("a model that nobody named", () => {
	afterEach(strike);

	const said = (types: readonly { type: string; text?: string }[]) => types.flatMap(({ type, text }) => (type === "status" ? [text] : []));

	it("is told with its reason before its first answer, and not again while it stays", async () => {
		const { conversation, types } = await stage([{ text: "One." }, { text: "Two." }], { automatic: true });
		await conversation.send("Hello");
		assert.deepEqual(types(), ["agent", "role", "user", "started", "status", "assistant", "ended"]);
		await conversation.send("And again");
		assert.deepEqual(said(conversation.state.events as never), ["Answered by Scripted: The test names it."]);
	});

	it("is one line less where the person named it", async () => {
		const { conversation } = await stage([{ text: "One." }]);
		await conversation.send("Hello");
		assert.deepEqual(said(conversation.state.events as never), []);
	});
});
