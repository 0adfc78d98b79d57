// The gate as it is shipped: what the bundle holds and loads late must work in the real extension host.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { TroupeApi } from "../../src/api.ts";
import type { TranscriptEvent } from "../../src/core/events.ts";

describe("the shipped gate", () => {
	it("the shipped gate parses a plain command and offers to always allow that command", async () => {
		const extension = vscode.extensions.getExtension<TroupeApi>("troupe.troupe");
		assert.ok(extension);
		const api = await extension.activate();
		const { sessionId } = await api.createSession({ role: "actor" });
		const asked = new Promise<TranscriptEvent>((resolve) => {
			const listening = api.onEvent(({ event }) => {
				if (event.type !== "asked") return;
				listening.dispose();
				resolve(event);
			});
		});
		const turn = api.send(sessionId, "Run `mkdir -p made`");
		const event = await asked;
		await api.cancel(sessionId);
		await turn;
		assert.ok(event.type === "asked");
		assert.deepEqual(event.always, ["Allows mkdir in this workspace."]);
		assert.doesNotMatch(event.reason, /parsed/);
	});
});
