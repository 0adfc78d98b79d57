// Work that runs one after the other.
import assert from "node:assert/strict";
import { Serial } from "../../../src/shared/node/serial.ts";

describe("serial work", () => {
	it("begins when what was given before has ended, also with a failure", async () => {
		const serial = new Serial();
		const done: string[] = [];
		let open: () => void = () => undefined;
		const first = serial.run(async () => {
			await new Promise<void>((resolve) => {
				open = resolve;
			});
			done.push("first");
			throw new Error("It broke.");
		});
		const second = serial.run(() => done.push("second"));
		await Promise.resolve();
		assert.deepEqual(done, []);
		open();
		await assert.rejects(first, /It broke/);
		await second;
		assert.deepEqual(done, ["first", "second"]);
	});

	it("gives its result to the caller, and the failures of work that nobody waits for to the handler", async () => {
		const failures: unknown[] = [];
		const serial = new Serial((error) => failures.push(error));
		assert.equal(await serial.run(() => 7), 7);
		await assert.rejects(
			serial.run(() => {
				throw new Error("For the caller.");
			}),
			/For the caller/,
		);
		serial.add(() => {
			throw new Error("For the handler.");
		});
		await serial.whenSettled();
		assert.deepEqual(failures.map(String), ["Error: For the handler."]);
	});

	it("settles once all work that was given so far has ended", async () => {
		const serial = new Serial();
		let ended = 0;
		const work = async () => {
			await Promise.resolve();
			ended += 1;
		};
		for (let count = 0; count < 3; count += 1) serial.add(work);
		await serial.whenSettled();
		assert.equal(ended, 3);
	});
});
