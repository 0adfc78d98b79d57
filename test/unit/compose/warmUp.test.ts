// Tests the warm-up before the first message.
import assert from "node:assert/strict";
import { scheduleWarmUp } from "../../../src/compose/warmUp.ts";

describe("what the first request would wait for", () => {
	it("is done ahead of it, and nothing goes out for that", async () => {
		const asked: string[] = [];
		const fetched = new Promise<void>((resolve) => {
			const fetch = async (address: unknown) => {
				asked.push(String(address));
				resolve();
				return new Response();
			};
			scheduleWarmUp({ types: () => ["openai-compatible"], fetch: fetch as typeof globalThis.fetch, after: 0 });
		});
		await fetched;
		assert.deepEqual(
			asked.map((address) => new URL(address).protocol),
			["data:"],
		);
	});

	it("is left where it fails, and where the window closes before", async () => {
		let asked = 0;
		await new Promise<void>((resolve) => {
			const fetch = (() => {
				asked += 1;
				resolve();
				return Promise.reject(new Error("no proxy"));
			}) as typeof globalThis.fetch;
			scheduleWarmUp({ types: () => [], fetch, after: 0 }).dispose();
			// Timers of one delay run in their order: the one before would have asked by now.
			scheduleWarmUp({ types: () => [], fetch, after: 0 });
		});
		assert.equal(asked, 1);
	});
});
