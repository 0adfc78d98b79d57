// Tests the titles of linked sessions: each is read once until it changes.
import assert from "node:assert/strict";
import { createLinkedTitles } from "../../../src/chat/linkedSessions.ts";
import type { SessionSummary, TranscriptEvent } from "../../../src/core/events.ts";

const delegated = (task: string) =>
	({ id: task, seq: 1, at: "2026-01-01T00:00:00Z", by: "host", type: "delegated", call: "c", task }) as TranscriptEvent;

describe("titles of linked sessions", () => {
	const names = new Map<string, string>();
	let read: string[] = [];
	const titles = () =>
		createLinkedTitles({
			async find(id) {
				read.push(id);
				if (id === "broken" && read.length === 1) throw new Error("The disk is slow.");
				const name = names.get(id);
				return name === undefined ? undefined : ({ sessionId: id, name, createdAt: "2026-01-01T00:00:00Z" } as SessionSummary);
			},
		});

	beforeEach(() => {
		read = [];
		names.clear();
		names.set("a", "First").set("b", "Second");
	});

	it("are read once, and those of deleted sessions are left out", async () => {
		const { of } = titles();
		assert.deepEqual(await of([delegated("a"), delegated("a"), delegated("gone")]), { a: "First" });
		assert.deepEqual(await of([delegated("a"), delegated("b"), delegated("gone")]), { a: "First", b: "Second" });
		assert.deepEqual(read, ["a", "gone", "b"]);
	});

	it("are read again after the session or the list has changed", async () => {
		const { of, forget } = titles();
		await of([delegated("a"), delegated("b")]);
		names.set("a", "Renamed");
		forget("a");
		assert.deepEqual(await of([delegated("a"), delegated("b")]), { a: "Renamed", b: "Second" });
		forget(undefined);
		await of([delegated("a"), delegated("b")]);
		assert.deepEqual(read, ["a", "b", "a", "a", "b"]);
	});

	it("are read again after an error", async () => {
		const { of } = titles();
		names.set("broken", "Third");
		await assert.rejects(of([delegated("broken")]), /slow/);
		assert.deepEqual(await of([delegated("broken")]), { broken: "Third" });
	});
});
