// Sets of listeners that can be told something.
import assert from "node:assert/strict";
import { createListeners } from "../../../src/shared/listeners.ts";

describe("a set of listeners", () => {
	it("tells each one in the order they came, until it is disposed of, and one given twice twice", () => {
		const listeners = createListeners<(value: number) => void>();
		const heard: string[] = [];
		const one = (value: number): void => void heard.push(`one ${value}`);
		const first = listeners.add(one);
		listeners.add((value) => heard.push(`other ${value}`));
		listeners.add(one);
		listeners.tell((listener) => listener(1));
		first.dispose();
		first.dispose();
		listeners.tell((listener) => listener(2));
		assert.deepEqual(heard, ["one 1", "other 1", "one 1", "other 2", "one 2"]);
		listeners.clear();
		assert.equal(listeners.isEmpty(), true);
	});

	it("tells a listener that is added meanwhile of the next only", () => {
		const listeners = createListeners<() => void>();
		let late = 0;
		listeners.add(() => {
			if (late === 0) listeners.add(() => (late += 1));
		});
		listeners.tell((listener) => listener());
		assert.equal(late, 0);
		listeners.tell((listener) => listener());
		assert.equal(late, 1);
	});

	it("lets the others hear where one fails and somebody takes the error, and throws it where nobody does", () => {
		const failed: unknown[] = [];
		const heard: string[] = [];
		for (const listeners of [createListeners<() => void>((error) => failed.push(error)), createListeners<() => void>()]) {
			listeners.add(() => {
				throw new Error("broken");
			});
			listeners.add(() => heard.push("heard"));
			if (failed.length === 0) listeners.tell((listener) => listener());
			else assert.throws(() => listeners.tell((listener) => listener()), /broken/);
		}
		assert.deepEqual([failed.map(String), heard], [["Error: broken"], ["heard"]]);
	});
});
