// The chat says which model answers and why, where nobody has named one.
import assert from "node:assert/strict";
import { closeTestSessions, openTestSession } from "../session/testSession.ts";

describe("a model that nobody named", () => {
	afterEach(closeTestSessions);

	const said = (types: readonly { type: string; text?: string }[]) => types.flatMap(({ type, text }) => (type === "status" ? [text] : []));

	it("is told with its reason before its first answer, and not again while it stays", async () => {
		const { session, types } = await openTestSession([{ text: "One." }, { text: "Two." }], { automatic: true });
		await session.send("Hello");
		assert.deepEqual(types(), ["agent", "role", "user", "started", "status", "assistant", "ended"]);
		await session.send("And again");
		assert.deepEqual(said(session.state.events as never), ["Using Scripted: The test names it."]);
	});

	it("is one line less where the person named it", async () => {
		const { session } = await openTestSession([{ text: "One." }]);
		await session.send("Hello");
		assert.deepEqual(said(session.state.events as never), []);
	});
});
