// Tests when an intent is acknowledged: what it caused is posted, and the end of a turn is not awaited.
import assert from "node:assert/strict";
import { createGate } from "../../e2e/gate.ts";
import { leave, open } from "./composingStage.ts";

describe("an acknowledged intent", () => {
	afterEach(leave);

	it("has its updates posted, the status included", async () => {
		const scene = await open();
		scene.updates.length = 0;
		await new Promise<void>((acknowledge) => {
			void scene.chat.handle({ type: "role", session: scene.session.sessionId, role: "actor" }, acknowledge);
		});
		const status = scene.updates.findLast(({ type }) => type === "surroundings");
		assert.equal(status?.type === "surroundings" && status.surroundings.session?.role, "actor");
		assert.ok(scene.updates.some((update) => update.type === "event" && update.event.type === "role"));
	});

	it("has begun its turn, whose answer it doesn't wait for", async () => {
		const answer = createGate();
		const scene = await open([{ text: "Done.", until: answer.opened }]);
		scene.updates.length = 0;
		let handled: Promise<void> | undefined;
		await new Promise<void>((acknowledge) => {
			handled = scene.chat.handle({ type: "send", session: scene.session.sessionId, text: "Hello" }, acknowledge);
		});
		const posted = scene.updates.flatMap((update) => (update.type === "event" ? [update.event.type] : []));
		assert.deepEqual(posted, ["user", "started"]);
		answer.open();
		await handled;
	});

	it("waits, if a turn is running, until its message is in the queue", async () => {
		const answer = createGate();
		const scene = await open([{ text: "Done.", until: answer.opened }]);
		const send = (text: string) => {
			let ended: Promise<void> | undefined;
			const acknowledged = new Promise<void>((acknowledge) => {
				ended = scene.chat.handle({ type: "send", session: scene.session.sessionId, text }, acknowledge);
			});
			return { acknowledged, ended: () => ended };
		};
		const first = send("Hello");
		await first.acknowledged;
		const second = send("And another thing");
		await second.acknowledged;
		assert.ok(scene.updates.some((update) => update.type === "event" && update.event.type === "queued"));
		answer.open();
		await Promise.all([first.ended(), second.ended()]);
	});

	it("has its failure reported", async () => {
		const scene = await open();
		await new Promise<void>((acknowledge) => {
			void scene.chat.handle({ type: "openPicture", session: scene.session.sessionId, blob: "0".repeat(64) }, acknowledge);
		});
		assert.ok(
			scene.did.some((line) => line.startsWith("error: ")),
			scene.did.join("\n"),
		);
	});
});
