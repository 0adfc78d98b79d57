// Tests MCP list changes: lists are read again on notification, and no call uses a stale list.
import assert from "node:assert/strict";
import { ToolList, type ToolListOptions } from "../../../src/mcp/toolList.ts";

const CHANGED = "notifications/tools/list_changed";

const open: ToolList[] = [];

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
	const lists = new ToolList({
		client: client as unknown as ToolListOptions["client"],
		minimumInterval: 600_000,
		timeout: 1_000,
		signal: new AbortController().signal,
		onTools: async (raw) => void taken.push(raw),
		onPrompts: async () => undefined,
		onOutput: () => undefined,
	});
	open.push(lists);
	return { lists, taken };
}

describe("The tools of a server that changes them", () => {
	afterEach(() => {
		for (const lists of open.splice(0)) lists.dispose();
	});

	it("are read before the next call, and once", async () => {
		const { lists, taken } = listing([{ name: "a" }], [{ name: "b" }]);
		await lists.load();
		await lists.waitUntilCurrent();
		lists.handleNotification(CHANGED);
		await Promise.all([lists.waitUntilCurrent(), lists.waitUntilCurrent()]);
		assert.deepEqual(taken, [[{ name: "a" }], [{ name: "b" }]]);
	});

	it("let no call through while they cannot be read", async () => {
		const { lists, taken } = listing([], new Error("away"), new Error("still away"), [{ name: "b" }]);
		await lists.load();
		lists.handleNotification(CHANGED);
		await assert.rejects(lists.waitUntilCurrent(), /away/);
		await assert.rejects(lists.waitUntilCurrent(), /still away/);
		await lists.waitUntilCurrent();
		assert.deepEqual(taken, [[], [{ name: "b" }]]);
	});
});
