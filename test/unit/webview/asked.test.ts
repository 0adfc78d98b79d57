// Tests card titles for approvals and empty changes, which must never misstate the request.
import assert from "node:assert/strict";
import { approvalQuestion } from "../../../webview-ui/conversation/eventItems.ts";
import { emptyChangeLabel } from "../../../webview-ui/text/diffLines.ts";

describe("the title of a card", () => {
	it("asks with a command or an address word for word, or in general where the question would read as another", () => {
		const asked = (name: string, input: object) => approvalQuestion("The summary", { name, input });
		assert.equal(asked("execute_command", { command: "npm test" }), "Run npm test?");
		assert.equal(asked("execute_command", { command: "npm test", outsideSandbox: true }), "Run outside the sandbox: npm test?");
		for (const command of ["ls .", "echo hi!", "ls ?", "x".repeat(61)])
			assert.equal(asked("execute_command", { command }), "Run this command?");
		for (const url of ["https://a.example/?", "https://a.example/\u0430"]) assert.equal(asked("web_fetch", { url }), "Fetch this address?");
		assert.equal(asked("web_fetch", { url: "https://a.example/b" }), "Fetch https://a.example/b?");
	});

	it("makes a question of a sentence", () => {
		assert.equal(approvalQuestion("Ask the planner.", { name: "ask_peer", input: {} }), "Ask the planner?");
		assert.match(approvalQuestion("a".repeat(100), undefined), /^a+…a+\?$/);
	});
});

describe("a change without lines", () => {
	it("says what happens to the file, before and afterwards", () => {
		assert.equal(emptyChangeLabel({ action: "delete", diff: "" }, true), "Will be deleted");
		assert.equal(emptyChangeLabel({ action: "delete", diff: "" }, false), "Deleted");
		assert.equal(emptyChangeLabel({ action: "create", diff: "" }, true), "The file is empty.");
		assert.equal(emptyChangeLabel({ action: "update", diff: "" }, true), undefined);
		assert.equal(emptyChangeLabel({ action: "delete", diff: "-a" }, true), undefined);
	});
});
