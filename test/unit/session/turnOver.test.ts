// Tests what a person does at the very event that hands a turn over, before it ends.
import assert from "node:assert/strict";
import { pendingQuestion } from "../../../src/core/transcript/state.ts";
import type { ScriptedAnswer } from "../../fakes/scriptedModel.ts";
import { FILES, PLAN, type Stage, stage, strike } from "./stage.ts";

const question = { question: "Which one?", options: [{ label: "This", value: "this" }] };
const ask: ScriptedAnswer = { calls: [{ name: "ask_question", input: question }] };
const present: ScriptedAnswer = { calls: [{ name: "present_plan", input: PLAN }] };

/** Does it as soon as that event is heard. */
async function at<Done>(
	type: "question" | "plan" | "ended",
	script: ScriptedAnswer[],
	act: (scene: Stage) => Promise<Done>,
	role = "planner",
): Promise<Done> {
	const scene = await stage(script, { files: FILES, role });
	const done = new Promise<Done>((resolve, reject) => {
		const listening = scene.house.sessions.listen({
			event(_, event) {
				if (event.type !== type) return;
				listening.dispose();
				assert.ok(scene.conversation.isRunning, "the turn is over");
				act(scene).then(resolve, reject);
			},
		});
	});
	const turn = scene.conversation.send("Go");
	const first = await done;
	await turn;
	return first;
}

describe("at the event that hands a turn to the user", () => {
	afterEach(strike);

	it("a question is answered, and the answer begins the next turn", async () => {
		const end = await at("question", [ask, { text: "This, then." }], async ({ conversation, clock }) => {
			const asked = pendingQuestion(conversation.state);
			clock.ahead += 1_000;
			return conversation.answer(asked?.request ?? "", { value: "this" }, "person");
		});
		assert.equal(end?.outcome, "done");
	});

	it("an answer is dropped if the person stops the turn before it is over", async () => {
		await at("question", [ask, { text: "Never." }], async ({ conversation, clock, model }) => {
			clock.ahead += 1_000;
			const answered = conversation.answer(pendingQuestion(conversation.state)?.request ?? "", { value: "this" }, "person");
			await Promise.all([assert.rejects(answered, { code: "turn-stopped" }), conversation.cancel()]);
			assert.equal(model.requests.length, 1);
		});
	});

	it("an answer is refused at once while another call of the turn is open, which may need the person too", async () => {
		const touch = { name: "execute_command", input: { command: "touch made" } };
		const both = { calls: [...(ask.calls ?? []), touch] };
		const act = async ({ conversation, clock, event }: Stage) => {
			await event("asked");
			clock.ahead += 1_000;
			const { request } = pendingQuestion(conversation.state) ?? assert.fail("no question");
			await assert.rejects(conversation.answer(request, { value: "this" }, "person"), { code: "turn-running" });
			await conversation.cancel();
		};
		await at("question", [both, { text: "Never." }], act, "actor");
	});

	it("a plan is executed", async () => {
		const end = await at("plan", [present, { text: "Done." }], ({ conversation }) => conversation.executePlan({}));
		assert.equal(end.outcome, "done");
	});

	it("a conversation is summarized once its turn has ended", async () => {
		const end = await at("ended", [{ text: "Hi." }, { text: "## Goal\nGreet." }], ({ conversation }) => conversation.compact());
		assert.notEqual(end.outcome, "failed");
	});
});
