// Tests which of a chat's updates are posted to its page together.
import assert from "node:assert/strict";
import type { Update } from "../../../src/shared/protocol/chat.ts";
import { createUpdateBatches } from "../../../src/vscode/chat/updateBatches.ts";
import { createDeferred } from "../../fakes/deferred.ts";
import { leave, open } from "../chat/testChat.ts";

const CALLS = 20;

describe("the updates of a chat", () => {
	afterEach(leave);

	it("of twenty quick calls come to the page in a few messages, all of them and in order", async () => {
		const calls = Array.from({ length: CALLS }, (_, index) => ({ calls: [{ name: "search_code", input: { pattern: `word${index}` } }] }));
		const chat = await open([...calls, { text: "Done." }]);
		await chat.send("Look");
		const messages: (readonly Update[])[] = [];
		const batches = createUpdateBatches((updates) => messages.push(updates));
		for (const update of chat.updates) batches.post(update);
		batches.flush();
		assert.deepEqual(messages.flat(), chat.updates);
		assert.ok(chat.updates.length > 3 * CALLS);
		assert.ok(messages.length < CALLS, `${messages.length} messages`);
	});

	it("wait for the next ones, but not for ever", async () => {
		const posted = createDeferred();
		const messages: (readonly Update[])[] = [];
		const batches = createUpdateBatches((updates) => {
			messages.push(updates);
			posted.open();
		});
		const { updates } = await open();
		const [{ status }] = updates as [Extract<Update, { type: "snapshot" }>];
		assert.ok(status.context);
		const waits: Update = { type: "context", context: status.context };
		batches.post(waits);
		assert.deepEqual(messages, []);
		await posted.until;
		assert.deepEqual(messages, [[waits]]);
	});
});
