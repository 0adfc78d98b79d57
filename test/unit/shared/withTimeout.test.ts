// Work that is waited for no longer than a time, or until somebody stops.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { unlessAborted, withTimeout } from "../../../src/shared/node/withTimeout.ts";

const never = new Promise<never>(() => undefined);

describe("work with a time limit", () => {
	it("gives what it gives, or fails as it fails, where it is there in time", async () => {
		const late = (): never => assert.fail("it was in time");
		assert.equal(await withTimeout(Promise.resolve("done"), 10_000, late), "done");
		await assert.rejects(withTimeout(Promise.reject(new Error("broken")), 10_000, late), /broken/);
	});

	it("that takes too long gives, or fails with, what stands in for it", async () => {
		assert.equal(await withTimeout(never, 1, () => "late"), "late");
		const failing = withTimeout(never, 1, () => {
			throw new RangeError("too late");
		});
		await assert.rejects(failing, RangeError);
	});

	it("may fail after the limit without anybody to hear of it", async () => {
		let fail = (_: Error): void => undefined;
		const work = new Promise<never>((_, reject) => {
			fail = reject;
		});
		await withTimeout(work, 1, () => undefined);
		fail(new Error("after the limit"));
		await new Promise(setImmediate);
	});
});

describe("work with a signal", () => {
	it("gives what it gives and leaves no listener behind", async () => {
		const { signal } = new AbortController();
		assert.equal(await unlessAborted(Promise.resolve("done"), signal), "done");
		await assert.rejects(unlessAborted(Promise.reject(new Error("broken")), signal), /broken/);
		assert.equal(getEventListeners(signal, "abort").length, 0);
	});

	it("rejects with the signal's reason once that is aborted, during the work or before it", async () => {
		const control = new AbortController();
		const work = unlessAborted(never, control.signal);
		control.abort(new Error("stopped"));
		await assert.rejects(work, /stopped/);
		await assert.rejects(unlessAborted(Promise.resolve("done"), control.signal), /stopped/);
		await assert.rejects(unlessAborted(Promise.reject(new Error("broken")), control.signal), /stopped/);
		assert.equal(getEventListeners(control.signal, "abort").length, 0);
	});
});
