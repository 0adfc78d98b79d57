// What a server offers is read again when it says so, and no call goes by a list that may be old.
import assert from "node:assert/strict";
import { Lists, type ListsParts } from "../../../src/mcp/toolList.ts";

const CHANGED = "notifications/tools/list_changed";

const open: Lists[] = [];

/** A server that gives these lists, one after the other; an error is one that it fails to give. */
function listing(...answers: (unknown[] | Error)[]) {
	const taken: unknown[][] = [];
	const client = {
		getServerCapabilities: () => ({ tools: {} }),
		async request() {
			const answer = answers.shift();
			if (answer instanceof Error) throw answer;
			return { tools: answer ?? [] };
		},
	};
	const lists = new Lists({
		client: client as unknown as ListsParts["client"],
		pause: 600_000,
		time: 1_000,
		signal: new AbortController().signal,
		tools: async (raw) => void taken.push(raw),
		prompts: async () => undefined,
		output: () => undefined,
	});
	open.push(lists);
	return { lists, taken };
}

describe("The tools of a server that changes them", () => {
	afterEach(() => {
		for (const lists of open.splice(0)) lists.end();
	});

	it("are read before the next call, and once", async () => {
		const { lists, taken } = listing([{ name: "a" }], [{ name: "b" }]);
		await lists.first();
		await lists.settled();
		lists.told(CHANGED);
		await Promise.all([lists.settled(), lists.settled()]);
		assert.deepEqual(taken, [[{ name: "a" }], [{ name: "b" }]]);
	});

	it("let no call through while they cannot be read", async () => {
		const { lists, taken } = listing([], new Error("away"), new Error("still away"), [{ name: "b" }]);
		await lists.first();
		lists.told(CHANGED);
		await assert.rejects(lists.settled(), /away/);
		await assert.rejects(lists.settled(), /still away/);
		await lists.settled();
		assert.deepEqual(taken, [[], [{ name: "b" }]]);
	});
});
