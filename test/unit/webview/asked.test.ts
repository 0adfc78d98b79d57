// What cards call that which waits: never other than it is.
import assert from "node:assert/strict";
import { emptyChange, questionOf } from "../../../webview-ui/conversation/asked.ts";

describe("the title of a card", () => {
	it("asks with a command or an address word for word, or in general where the question would read as another", () => {
		assert.equal(questionOf("Run npm test", "execute_command"), "Run npm test?");
		assert.equal(questionOf("Run ls .", "execute_command"), "Run this command?");
		assert.equal(questionOf("Run echo hi!", "execute_command"), "Run this command?");
		assert.equal(questionOf("Run ls ?", "execute_command"), "Run this command?");
		assert.equal(questionOf("Fetch https://a.example/?", "web_fetch"), "Fetch this address?");
		assert.equal(questionOf("Fetch https://a.example/b", "web_fetch"), "Fetch https://a.example/b?");
	});

	it("makes a question of a sentence", () => {
		assert.equal(questionOf("Ask the planner.", "ask_peer"), "Ask the planner?");
		assert.match(questionOf("a".repeat(100), "update_file"), /^a+…a+\?$/);
	});
});

describe("a change without lines", () => {
	it("says what happens to the file, before and afterwards", () => {
		assert.equal(emptyChange({ action: "delete", diff: "" }, true), "Will be deleted");
		assert.equal(emptyChange({ action: "delete", diff: "" }, false), "Deleted");
		assert.equal(emptyChange({ action: "create", diff: "" }, true), "The file is empty.");
		assert.equal(emptyChange({ action: "update", diff: "" }, true), undefined);
		assert.equal(emptyChange({ action: "delete", diff: "-a" }, true), undefined);
	});
});
