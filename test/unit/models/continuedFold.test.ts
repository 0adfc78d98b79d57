// Tests which folds of lists are continued, and which are begun again.
import assert from "node:assert/strict";
import { ContinuedFold } from "../../../src/models/wire/continuedFold.ts";

interface Item {
	name: string;
}

describe("a fold of a list that grows", () => {
	const list = (name: string): Item[] => [{ name: `${name}1` }, { name: `${name}2` }];

	function folding() {
		const fold = new ContinuedFold<Item>();
		const added: string[] = [];
		return (items: readonly Item[]) => {
			added.length = 0;
			fold.fold(
				items,
				"",
				() => undefined,
				(_, { name }) => added.push(name),
			);
			return [...added];
		};
	}

	it("adds only what is new, with as many lists as are asked about by turns", () => {
		const fold = folding();
		const lists = Array.from({ length: 8 }, (_, index) => list(`${index}-`));
		for (const items of lists) fold(items);
		for (const items of lists) assert.deepEqual(fold([...items, { name: "new" }]), ["new"]);
	});

	it("is not kept for a list that was not asked about for long", () => {
		const fold = folding();
		const first = list("first");
		fold(first);
		for (let index = 0; index < 8; index += 1) fold(list(`${index}-`));
		assert.deepEqual(fold(first), ["first1", "first2"]);
	});
});
