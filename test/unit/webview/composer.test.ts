// The composer's rules without a page: where a list opens, and how one's own messages come back.
import assert from "node:assert/strict";
import { findTrigger } from "../../../webview-ui/composer/completionTrigger.ts";
import { navigateHistory, userMessages } from "../../../webview-ui/composer/textEditing.ts";

/** The cursor is where the bar stands. */
function at(marked: string) {
	const cursor = marked.indexOf("|");
	const found = findTrigger(marked.replace("|", ""), cursor);
	return found && [found.kind, found.from, found.to, found.query];
}

describe("the list", () => {
	it("opens at an @ that begins a word, with what is typed behind it, and replaces the whole word", () => {
		assert.deepEqual(at("See @src/ca|"), ["mention", 4, 11, "src/ca"]);
		assert.deepEqual(at("@|"), ["mention", 0, 1, ""]);
		assert.deepEqual(at("(@ca|rt.ts) x"), ["mention", 1, 10, "ca"]);
		assert.deepEqual(at('@"a b|'), ["mention", 0, 5, '"a b']);
		assert.deepEqual(at("@https://exa|"), ["mention", 0, 12, "https://exa"]);
	});

	it("stays closed within a word, behind a blank and where lines are typed", () => {
		for (const text of ["me@example|", "@src/cart.ts |", "@src/cart.ts:1|", "@src/cart.ts:10-|", "plain|"])
			assert.equal(at(text), undefined, text);
	});

	it("opens at a slash only where it begins the message, and not for a path", () => {
		assert.deepEqual(at("/pl|an x"), ["slash", 0, 5, "pl"]);
		for (const text of ["see /pl|", "/etc/ho|", "/plan do|", " /p|"]) assert.equal(at(text), undefined, text);
	});
});

describe("one's own messages", () => {
	const own = (text: string) => ({ type: "user" as const, by: "person" as const, text });
	const events = [
		own("one"),
		{ ...own("from elsewhere"), by: "api" as const },
		own("two\nlines"),
		own("two\nlines"),
		{ ...own("x"), type: "status" as const },
		{ ...own("switched"), type: "role" as const, plan: { planId: "p", version: 1, hash: "h" } },
		own("Execute the plan."),
	];
	const texts = userMessages(events as never);
	const box = (value: string, at = value.length) => ({ value, selectionStart: at, selectionEnd: at });

	it("are listed newest first, once each in a row, and nobody else's", () => {
		assert.deepEqual(texts, ["two\nlines", "one"]);
	});

	it("come back with the arrows as in a shell, and leave an empty message at the end", () => {
		const first = navigateHistory({ index: undefined }, "ArrowUp", box(""), () => texts);
		assert.deepEqual(first, { text: "two\nlines", at: 0 });
		assert.equal(
			navigateHistory({ index: 0 }, "ArrowUp", box("two\nlines"), () => texts),
			undefined,
			"the cursor goes up within it first",
		);
		assert.deepEqual(
			navigateHistory({ index: 0 }, "ArrowUp", box("two\nlines", 2), () => texts),
			{ text: "one", at: 1 },
		);
		assert.equal(
			navigateHistory({ index: 1 }, "ArrowUp", box("one"), () => texts),
			undefined,
		);
		assert.deepEqual(
			navigateHistory({ index: 1 }, "ArrowDown", box("one"), () => texts),
			{ text: "two\nlines", at: 0 },
		);
		assert.deepEqual(
			navigateHistory({ index: 0 }, "ArrowDown", box("two\nlines"), () => texts),
			{ text: "", at: undefined },
		);
	});

	it("never replace what the person has written or changed", () => {
		assert.equal(
			navigateHistory({ index: undefined }, "ArrowUp", box("a draft"), () => texts),
			undefined,
		);
		assert.equal(
			navigateHistory({ index: 1 }, "ArrowUp", box("one more"), () => texts),
			undefined,
		);
		assert.equal(
			navigateHistory({ index: undefined }, "ArrowDown", box(""), () => texts),
			undefined,
		);
	});
});
