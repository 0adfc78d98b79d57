// Tests the labels of tool calls in the chat.
import assert from "node:assert/strict";
import { summarizeToolCalls, toolCallLabel, toolCallName } from "../../../webview-ui/conversation/toolCallLabels.ts";

const call = (name: string, input: unknown = {}) => ({ id: "c", name, input });

describe("tool calls in words", () => {
	it("say what was done, is being done, or could not be done", () => {
		const read = call("read_file", { path: "src/cart.ts" });
		assert.deepEqual(
			(["running", "ok", "error", "denied", "cancelled", "unknown", "waiting", "asked"] as const).map((status) =>
				toolCallName(read, status),
			),
			[
				"Reading src/cart.ts",
				"Read src/cart.ts",
				"Could not read src/cart.ts",
				"Not allowed to read src/cart.ts",
				"Stopped: read src/cart.ts",
				"Interrupted: read src/cart.ts",
				"Waiting to read src/cart.ts",
				"Waiting to read src/cart.ts",
			],
		);
	});

	it("name what each tool was about", () => {
		const names = [
			toolCallName(call("grep", { pattern: "formatPrice" }), "ok"),
			toolCallName(call("rename_file", { from: "a.ts", to: "b.ts" }), "ok"),
			toolCallName(call("execute_command", { command: "npm\n  test" }), "ok"),
			toolCallName(call("apply_patch", { patch: "*** Begin Patch\n*** Update File: a.ts\n*** Add File: b.ts\n*** End Patch" }), "ok"),
			toolCallName(call("mcp__github__list_issues"), "ok"),
			toolCallName(call("use_skill", { name: "changelog" }), "ok"),
		];
		assert.deepEqual(names, [
			"Searched for formatPrice",
			"Renamed a.ts to b.ts",
			"Ran npm test",
			"Patched 2 files",
			"Used github · list_issues",
			"Used the skill changelog",
		]);
	});

	it("bear arguments that are no object, and names that no object has", () => {
		assert.deepEqual(toolCallLabel(call("read_file", "{broken"), "error"), { icon: "file", verb: "Could not read", about: "", suffix: "" });
		assert.equal(toolCallName(call("constructor"), "ok"), "Used constructor");
	});

	it("say of one that the model has made up that there is none", () => {
		assert.equal(toolCallName(call("ask_user"), "noTool"), "Unknown tool ask_user");
	});

	it("count themselves when there are many", () => {
		const calls = [
			...Array.from({ length: 12 }, () => call("read_file")),
			call("search_code"),
			call("grep"),
			call("search_code"),
			call("list_directory"),
		];
		assert.equal(summarizeToolCalls(calls), "Read 12 files, searched 3 times, listed a folder");
	});
});
