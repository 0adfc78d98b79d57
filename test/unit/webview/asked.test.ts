// Tests card titles for approvals and empty changes, which must never misstate the request.
import assert from "node:assert/strict";
import { approvalQuestion } from "../../../webview-ui/conversation/eventItems.ts";
import { emptyChangeLabel } from "../../../webview-ui/text/diffLines.ts";

describe("the title of a card", () => {
	it("asks with a command or an address word for word, or in general where the question would read as another", () => {
		assert.equal(approvalQuestion("Run npm test", "execute_command"), "Run npm test?");
		assert.equal(approvalQuestion("Run ls .", "execute_command"), "Run this command?");
		assert.equal(approvalQuestion("Run echo hi!", "execute_command"), "Run this command?");
		assert.equal(approvalQuestion("Run ls ?", "execute_command"), "Run this command?");
		assert.equal(approvalQuestion("Fetch https://a.example/?", "web_fetch"), "Fetch this address?");
		assert.equal(approvalQuestion("Fetch https://a.example/b", "web_fetch"), "Fetch https://a.example/b?");
	});

	it("makes a question of a sentence", () => {
		assert.equal(approvalQuestion("Ask the planner.", "ask_peer"), "Ask the planner?");
		assert.match(approvalQuestion("a".repeat(100), "update_file"), /^a+…a+\?$/);
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
