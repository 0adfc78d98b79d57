// Tests folding all changes to a file into one, and its state after Keep and Undo.

import assert from "node:assert/strict";
import type { ChangedFile, EventBody, FileChange, ReviewMark, TranscriptEvent } from "../../../src/core/events.ts";
import { foldChangedFiles } from "../../../src/core/transcript/changes.ts";
import type { ChangedFiles } from "../../../src/core/transcript/state.ts";

type Did = Partial<FileChange> & { path: string };

/** Contents stand for their hashes here. */
const update = (path: string, before: string, after: string): Did => ({ path, action: "update", before: { blob: before, size: 1 }, after });
const create = (path: string, after: string): Did => ({ path, action: "create", after });
const remove = (path: string, before: string): Did => ({ path, action: "delete", before: { blob: before, size: 1 }, after: "" });
const move = (from: string, path: string, before: string, after = before): Did => ({
	path,
	from,
	action: "rename",
	before: { blob: before, size: 1 },
	after,
});

function event(body: EventBody, seq: number, turn: string): TranscriptEvent {
	return { id: `e${seq}`, seq, at: `2026-01-01T00:00:0${seq}Z`, turn, by: "host", ...body } as TranscriptEvent;
}

function fold(...steps: (Did | { reviewed: ReviewMark[] })[]): Record<string, string> {
	const files: ChangedFiles = new Map();
	for (const [index, step] of steps.entries()) {
		const body: EventBody =
			"reviewed" in step
				? { type: "status", level: "info", text: "Kept.", reviewed: step.reviewed }
				: {
						type: "result",
						call: "c",
						status: "ok",
						output: "",
						view: { kind: "change", changes: [{ diff: "", added: 1, removed: 1, ...step } as FileChange] },
					};
		foldChangedFiles(files, event(body, index + 1, `t${index}`));
	}
	return Object.fromEntries([...files].map(([path, file]) => [path, told(file)]));
}

function told({ was, original, created, after, mixed }: ChangedFile): string {
	const before = created ? "nothing" : (original?.blob ?? "unknown");
	return `${was === undefined ? "" : `${was} `}${before} → ${after || "gone"}${mixed ? ", mixed" : ""}`;
}

describe("what all changes to a file come to", () => {
	it("reaches from before the first to after the last", () => {
		assert.deepEqual(fold(update("a", "1", "2"), update("a", "2", "3")), { a: "1 → 3" });
		assert.deepEqual(fold(create("a", "1"), update("a", "1", "2")), { a: "nothing → 2" });
		assert.deepEqual(fold(update("a", "1", "2"), remove("a", "2")), { a: "1 → gone" });
		assert.deepEqual(fold(remove("a", "1"), create("a", "2")), { a: "1 → 2" });
	});

	it("is nothing where the file is what it was", () => {
		assert.deepEqual(fold(update("a", "1", "2"), update("a", "2", "1")), {});
		assert.deepEqual(fold(create("a", "1"), remove("a", "1")), {});
		assert.deepEqual(fold(remove("a", "1"), create("a", "1")), {});
		assert.deepEqual(fold(move("a", "b", "1"), move("b", "a", "1")), {});
		assert.deepEqual(fold(create("a", "1"), move("a", "b", "1"), remove("b", "1")), {});
	});

	it("follows a file that moves", () => {
		assert.deepEqual(fold(move("a", "b", "1"), update("b", "1", "2"), move("b", "c", "2", "3")), { c: "a 1 → 3" });
		assert.deepEqual(fold(create("a", "1"), move("a", "b", "1")), { b: "nothing → 1" });
		assert.deepEqual(fold(move("a", "b", "1"), remove("b", "1")), { a: "1 → gone" });
		assert.deepEqual(fold(move("a", "b", "1"), create("a", "2")), { b: "a 1 → 1", a: "nothing → 2" });
		assert.deepEqual(fold(move("a", "b", "1"), create("a", "2"), remove("b", "1")), { a: "1 → 2" });
		assert.deepEqual(fold(remove("b", "2"), move("a", "b", "1")), { b: "2 → 1", a: "1 → gone" });
	});

	it("tells that somebody else changed the file in between", () => {
		assert.deepEqual(fold(update("a", "1", "2"), update("a", "2 and mine", "3")), { a: "1 → 3, mixed" });
		assert.deepEqual(fold(remove("a", "1"), update("a", "mine", "3")), { a: "1 → 3, mixed" });
	});

	it("does not know what a command did to a file that was too large to keep", () => {
		assert.deepEqual(fold({ path: "a", action: "update", after: "2" }), { a: "unknown → 2" });
	});

	it("is over once it was kept, and compares with what was kept of it", () => {
		assert.deepEqual(fold(update("a", "1", "2"), { reviewed: [{ path: "a" }] }), {});
		assert.deepEqual(fold(update("a", "1", "2"), { reviewed: [{ path: "a" }] }, update("a", "2", "3")), { a: "2 → 3" });
		const part = { reviewed: [{ path: "a", original: { blob: "half", size: 4 } }] };
		assert.deepEqual(fold(update("a", "1", "2"), part), { a: "half → 2" });
		assert.deepEqual(fold(create("a", "2"), part), { a: "half → 2" });
		assert.deepEqual(fold(update("a", "1", "half"), part), {});
		assert.deepEqual(fold(part), {});
	});
});
