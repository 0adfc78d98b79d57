// Tests when an intent is acknowledged: what it caused is posted, and the end of a turn is not awaited.
import assert from "node:assert/strict";
import { createGate } from "../../e2e/gate.ts";
import { leave, open } from "./testChat.ts";

describe("an acknowledged intent", () => {
	afterEach(leave);

	it("has its updates posted, the status included", async () => {
		const setup = await open();
		setup.updates.length = 0;
		await new Promise<void>((acknowledge) => {
			void setup.chat.handle({ type: "role", session: setup.summary.sessionId, role: "actor" }, acknowledge);
		});
		const status = setup.updates.findLast(({ type }) => type === "status");
		assert.equal(status?.type === "status" && status.status.session?.role, "actor");
		assert.ok(setup.updates.some((update) => update.type === "event" && update.event.type === "role"));
	});

	it("has begun its turn, whose answer it doesn't wait for", async () => {
		const answer = createGate();
		const setup = await open([{ text: "Done.", until: answer.opened }]);
		setup.updates.length = 0;
		let handled: Promise<void> | undefined;
		await new Promise<void>((acknowledge) => {
			handled = setup.chat.handle({ type: "send", session: setup.summary.sessionId, text: "Hello" }, acknowledge);
		});
		const posted = setup.updates.flatMap((update) => (update.type === "event" ? [update.event.type] : []));
		assert.deepEqual(posted, ["user", "started"]);
		answer.open();
		await handled;
	});

	it("waits, if a turn is running, until its message is in the queue", async () => {
		const answer = createGate();
		const setup = await open([{ text: "Done.", until: answer.opened }]);
		const send = (text: string) => {
			let ended: Promise<void> | undefined;
			const acknowledged = new Promise<void>((acknowledge) => {
				ended = setup.chat.handle({ type: "send", session: setup.summary.sessionId, text }, acknowledge);
			});
			return { acknowledged, ended: () => ended };
		};
		const first = send("Hello");
		await first.acknowledged;
		const second = send("And another thing");
		await second.acknowledged;
		assert.ok(setup.updates.some((update) => update.type === "event" && update.event.type === "queued"));
		answer.open();
		await Promise.all([first.ended(), second.ended()]);
	});

	it("has its failure reported", async () => {
		const setup = await open();
		await new Promise<void>((acknowledge) => {
			void setup.chat.handle({ type: "openPicture", session: setup.summary.sessionId, blob: "0".repeat(64) }, acknowledge);
		});
		assert.ok(
			setup.did.some((line) => line.startsWith("error: ")),
			setup.did.join("\n"),
		);
	});
});
