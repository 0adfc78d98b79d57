// Tests in which order the parts of a test run begin, and which run side by side.
import assert from "node:assert/strict";
import { runByWeight } from "../../../scripts/testRun/schedule.mjs";

interface Part {
	name: string;
	weight: number;
	after?: string;
}

/** Runs them on two processors. `end` ends one that runs. */
function start(parts: Part[]) {
	const running = new Map<string, () => void>();
	const done = runByWeight(
		parts,
		2,
		({ name }) =>
			new Promise<string>((resolve) => {
				running.set(name, () => {
					running.delete(name);
					resolve(`${name} ran`);
				});
			}),
	);
	return {
		done,
		running: () => [...running.keys()],
		async end(name: string) {
			running.get(name)?.();
			await new Promise((resolve) => setImmediate(resolve));
		},
	};
}

describe("the parts of a test run", () => {
	it("run side by side as far as their weights fit, and give their results in order", async () => {
		const { running, end, done } = start([
			{ name: "one", weight: 1 },
			{ name: "two", weight: 1 },
			{ name: "three", weight: 1 },
		]);
		assert.deepEqual(running(), ["one", "two"]);
		await end("two");
		assert.deepEqual(running(), ["one", "three"]);
		await end("three");
		await end("one");
		assert.deepEqual(await done, ["one ran", "two ran", "three ran"]);
	});

	it("wait for the one whose output they need", async () => {
		const { running, end, done } = start([
			{ name: "build", weight: 1 },
			{ name: "tests", weight: 1, after: "build" },
			{ name: "lint", weight: 1 },
		]);
		assert.deepEqual(running(), ["build", "lint"]);
		await end("build");
		assert.deepEqual(running(), ["lint", "tests"]);
		for (const name of ["lint", "tests"]) await end(name);
		await done;
	});

	it("do not overtake a heavier one that waits for its place, but for light ones", async () => {
		const { running, end, done } = start([
			{ name: "first", weight: 1 },
			{ name: "heavy", weight: 1.5 },
			{ name: "later", weight: 1 },
			{ name: "light", weight: 0.25 },
		]);
		assert.deepEqual(running(), ["first", "light"]);
		await end("first");
		assert.deepEqual(running(), ["light", "heavy"]);
		await end("heavy");
		assert.deepEqual(running(), ["light", "later"]);
		for (const name of ["light", "later"]) await end(name);
		await done;
	});

	it("run even if one weighs more than there is", async () => {
		const { running, end, done } = start([{ name: "heavy", weight: 4 }]);
		assert.deepEqual(running(), ["heavy"]);
		await end("heavy");
		await done;
	});
});
