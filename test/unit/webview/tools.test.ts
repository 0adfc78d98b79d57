// Tests the labels of tool calls in the chat.
import assert from "node:assert/strict";
import { builtinTools } from "../../../src/tools/builtinTools.ts";
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
				"Failed: Read src/cart.ts",
				"Denied: Read src/cart.ts",
				"Stopped: Read src/cart.ts",
				"Interrupted: Read src/cart.ts",
				"Waiting: Read src/cart.ts",
				"Waiting: Read src/cart.ts",
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

	it("say of each built-in tool what the tool says of itself", () => {
		const input = { path: "a.ts", from: "a.ts", to: "b.ts", pattern: "p", query: "q", glob: "*", command: "ls", url: "u", step_number: 2 };
		const inputs = [input, {}, { ...input, outsideSandbox: true, patch: "*** Add File: a.ts" }];
		for (const { name, summary, done } of builtinTools()) {
			for (const each of inputs) {
				assert.equal(toolCallName(call(name, each), "error"), `Failed: ${summary(each)}`.trim());
				assert.equal(toolCallName(call(name, each), "ok"), done?.(each).trim());
			}
			assert.doesNotMatch(summarizeToolCalls([call(name)]), /^Used/, name);
		}
	});

	it("set each subject apart from the words around it, in whatever order a language has them", () => {
		const { parts } = toolCallLabel(call("rename_file", { from: "a\u0000.ts", to: "b.ts" }), "ok");
		assert.deepEqual(
			parts.map(({ text, isSubject }) => (isSubject ? [text] : text)),
			["Renamed ", ["a.ts"], " to ", ["b.ts"]],
		);
	});

	it("bear arguments that are no object, and names that no object has", () => {
		assert.deepEqual(toolCallLabel(call("read_file", "{broken"), "error"), {
			icon: "file",
			parts: [{ text: "Failed: Read ", isSubject: false }],
		});
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
		assert.equal(summarizeToolCalls(calls), "Read 12 files · Searched 3 times · Listed a folder");
	});
});
