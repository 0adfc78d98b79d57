// present_plan, ask_question, update_step: what they put on record.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { type Bench, bench, problemOf, toolNamed } from "./support.ts";

let here: Bench;
before(async () => {
	here = await bench();
});
after(() => rm(here.root, { recursive: true }));

const plan = {
	goal: "Rename formatPrice",
	steps: [{ step_number: 1, action: "Edit", reason: "asked for", files: ["src/**"] }],
	risks: ["typos"],
};

describe("the plan's tools", () => {
	it("present a plan and end the turn", async () => {
		assert.deepEqual(await here.call("present_plan", plan), {
			output: "The plan is shown to the person. The turn ends here; wait for their answer.",
			view: { kind: "text", figure: "1 step" },
			events: [{ type: "plan", plan }],
		});
	});

	it("ask a question and leave it to the session to name the request", async () => {
		const question = { question: "Which?", options: [{ label: "A", value: "a" }] };
		const { events } = await here.call("ask_question", { ...question, request: "switch_1", about: { kind: "switch" } });
		assert.deepEqual(events, [{ type: "question", question }]);
	});

	it("do not ask what nobody could answer", async () => {
		assert.match((await problemOf(here.call("ask_question", { question: "Which?" }))).message, /needs options or allow_custom/);
		assert.equal(toolNamed("present_plan").input.safeParse({ goal: "x", steps: [] }).success, false);
	});

	it("mark a step", async () => {
		assert.deepEqual(await here.call("update_step", { step_number: 2, status: "done", note: "All tests pass." }), {
			output: "Step 2 is done. All tests pass.",
			view: { kind: "text" },
			events: [{ type: "step", step_number: 2, status: "done" }],
		});
		assert.equal(toolNamed("update_step").input.safeParse({ step_number: 2, status: "finished" }).success, false);
	});
});
