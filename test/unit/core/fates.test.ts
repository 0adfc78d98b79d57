// Tests change outcomes (undone, kept or standing), derived from the contents that events name.

import assert from "node:assert/strict";
import type { EventBody, FileChange, TranscriptEvent } from "../../../src/core/events.ts";
import { findChangeStatus, foldChangeOutcomes } from "../../../src/core/transcript/changes.ts";
import type { ChangeOutcomes } from "../../../src/core/transcript/state.ts";

type Did = Partial<FileChange> & { path: string; action: FileChange["action"]; after: string };

/** Contents stand for their hashes. */
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

const call = (...changes: Did[]) => ({ call: changes });
const put = (...changes: Did[]) => ({ put: changes });
const redo = (...changes: Did[]) => ({ put: changes, redo: true as const });
const keep = (path: string, more = {}) => ({ keep: [{ path, ...more }] });

type Step = { call: Did[] } | { put: Did[]; redo?: true } | { keep: { path: string }[] };

/** Of each change of each call, in order: its fate, with "again" where it can be done again. */
function fates(...steps: Step[]): string {
	const all: ChangeOutcomes = new Map();
	const whole = (did: Did) => ({ diff: "", added: 1, removed: 1, ...did });
	const asked: [string, string][] = [];
	for (const [index, step] of steps.entries()) {
		const status = { type: "status" as const, level: "info" as const, text: "" };
		let body: EventBody;
		if ("call" in step) {
			const view = { kind: "change" as const, changes: step.call.map(whole) };
			body = { type: "result", call: `c${index}`, status: "ok", output: "", view };
			for (const { path } of step.call) asked.push([`c${index}`, path]);
		} else if ("put" in step) body = { ...status, changes: step.put.map(whole), ...(step.redo && { redo: true }) };
		else body = { ...status, reviewed: step.keep };
		foldChangeOutcomes(all, { id: `e${index}`, seq: index + 1, at: "", by: "host", ...body } as TranscriptEvent);
	}
	return asked
		.map(([id, path]) => findChangeStatus(all, id, path))
		.map(({ fate, again }) => `${fate ?? "stands"}${again ? " again" : ""}`)
		.join(", ");
}

describe("what became of a change", () => {
	it("is told by its own file's contents: the last one alone, or all back to the first", () => {
		const both = [call(update("a", "1", "2")), call(update("a", "2", "3")), call(update("b", "1", "2"))];
		assert.equal(fates(...both), "stands, stands, stands");
		assert.equal(fates(...both, put(update("a", "3", "2"))), "stands, undone again, stands");
		assert.equal(fates(...both, put(update("a", "3", "1"))), "undone again, undone, stands");
		assert.equal(fates(...both, put(update("a", "3", "half"))), "stands, stands, stands");
	});

	it("follows files that were made, deleted and moved", () => {
		assert.equal(fates(call(create("a", "1")), put(remove("a", "1"))), "undone again");
		assert.equal(fates(call(remove("a", "1")), put(create("a", "1"))), "undone again");
		const moved = [call(update("a", "1", "2")), call(move("a", "b", "2"))];
		assert.equal(fates(...moved, put(move("b", "a", "2"))), "stands, undone again");
		assert.equal(fates(...moved, put(move("b", "a", "2", "1"))), "undone again, undone");
	});

	it("stands again once it was done again, and can not be where something came after it", () => {
		const undone = [call(update("a", "1", "2")), put(update("a", "2", "1"))];
		assert.equal(fates(...undone, redo(update("a", "1", "2"))), "stands");
		assert.equal(fates(...undone, call(update("a", "1", "4"))), "undone, stands");
		const two = [call(update("a", "1", "2")), call(update("a", "2", "3")), put(update("a", "3", "1"))];
		assert.equal(fates(...two, redo(update("a", "1", "2"))), "stands, undone again");
	});

	it("is kept where the person kept it, and undone where another session put it back", () => {
		assert.equal(fates(call(update("a", "1", "2")), keep("a")), "kept");
		assert.equal(fates(call(update("a", "1", "2")), keep("a", { original: { blob: "half", size: 1 } })), "stands");
		assert.equal(fates(call(update("a", "1", "2")), keep("a", { undone: true })), "undone again");
		assert.equal(fates(call(update("a", "1", "2")), put(update("a", "2", "1")), keep("a")), "undone again");
	});
});
