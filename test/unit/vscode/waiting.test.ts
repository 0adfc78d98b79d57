// Which sessions the list marks as waiting for the person.
import assert from "node:assert/strict";
import type { EventBody, Plan } from "../../../src/core/events.ts";
import { apply, emptyTranscript } from "../../../src/core/transcript.ts";
import { waitingSessions, waitsForPerson } from "../../../src/vscode/waiting.ts";
import { transcript } from "../models/helpers.ts";

const plan: Plan = { goal: "Say hello louder", steps: [{ step_number: 1, action: "Change the greeting" }] };

const said: EventBody = { type: "user", text: "Say hello louder" };
const started: EventBody = { type: "started", agent: "default", definitionHash: "", role: "planner", model: "offline/offline" };
const shown: EventBody = { type: "plan", plan, planId: "p", version: 1, hash: "h", basis: { files: [] } };
const question: EventBody = { type: "question", request: "q", question: { question: "Which?", allow_custom: true } };
const asked: EventBody = { type: "asked", request: "a", call: "c", summary: "Run it", hash: "h", reason: "It runs." };
const waiting: EventBody = { type: "ended", outcome: "waiting" };
const done: EventBody = { type: "ended", outcome: "done" };
const execute: EventBody = { type: "role", role: "actor", plan: { planId: "p", version: 1, hash: "h" } };

describe("a session waits for the person", () => {
	const table: [string, boolean, EventBody[]][] = [
		["not while it is empty", false, []],
		["not when its turn is done", false, [said, started, done]],
		["when it has shown a plan", true, [said, started, shown, waiting]],
		["not once the plan runs", false, [said, started, shown, waiting, execute, said, started]],
		["when it has asked a question", true, [said, started, question, waiting]],
		[
			"not once that was dismissed",
			false,
			[said, started, question, waiting, { type: "answered", request: "q", answer: { allow: false } }],
		],
		["while an approval is open, in the midst of its turn", true, [said, started, asked]],
		["not once it was given", false, [said, started, asked, { type: "answered", request: "a", answer: { allow: true } }]],
		["not when the approval has expired", false, [said, started, asked, { type: "expired", request: "a" }, done]],
	];
	for (const [what, expected, events] of table) {
		it(what, () => {
			assert.equal(waitsForPerson(transcript(...events).reduce(apply, emptyTranscript())), expected);
		});
	}
});

describe("the marks of waiting sessions", () => {
	function memory() {
		const kept = new Map<string, unknown>();
		return { get: (key: string) => kept.get(key), update: async (key: string, value: unknown) => void kept.set(key, value) };
	}

	it("outlive a reload, and those of deleted sessions are forgotten", () => {
		const kept = memory();
		const before = waitingSessions(kept);
		assert.equal(before.mark("one", true), true);
		assert.equal(before.mark("one", true), false);
		before.mark("two", true);
		before.mark("three", true);
		before.mark("three", false);
		const after = waitingSessions(kept);
		assert.deepEqual(
			["one", "two", "three"].map((id) => after.has(id)),
			[true, true, false],
		);
		after.keep(["two"]);
		assert.deepEqual(
			["one", "two"].map((id) => waitingSessions(kept).has(id)),
			[false, true],
		);
	});
});
