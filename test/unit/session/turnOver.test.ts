// Tests what a person does at the very event that hands a turn over, before it ends.
import assert from "node:assert/strict";
import { pendingQuestion } from "../../../src/core/transcript/state.ts";
import type { ScriptedAnswer } from "../../fakes/scriptedModel.ts";
import { closeTestSessions, FILES, openTestSession, PLAN, type TestSession } from "./testSession.ts";

const question = { question: "Which one?", options: [{ label: "This", value: "this" }] };
const ask: ScriptedAnswer = { calls: [{ name: "ask_question", input: question }] };
const present: ScriptedAnswer = { calls: [{ name: "present_plan", input: PLAN }] };

/** Does it as soon as that event is heard. */
async function at<Done>(
	type: "question" | "plan" | "ended",
	script: ScriptedAnswer[],
	act: (setup: TestSession) => Promise<Done>,
	role = "planner",
): Promise<Done> {
	const setup = await openTestSession(script, { files: FILES, role });
	const done = new Promise<Done>((resolve, reject) => {
		const listening = setup.app.sessions.listen({
			event(_, event) {
				if (event.type !== type) return;
				listening.dispose();
				assert.ok(setup.session.isRunning, "the turn is over");
				act(setup).then(resolve, reject);
			},
		});
	});
	const turn = setup.session.send("Go");
	const first = await done;
	await turn;
	return first;
}

describe("at the event that hands a turn to the user", () => {
	afterEach(closeTestSessions);

	it("a question is answered, and the answer begins the next turn", async () => {
		const end = await at("question", [ask, { text: "This, then." }], async ({ session, clock }) => {
			const asked = pendingQuestion(session.state);
			clock.ahead += 1_000;
			return session.answer(asked?.request ?? "", { value: "this" }, "person");
		});
		assert.equal(end?.outcome, "done");
	});

	it("an answer is dropped if the person stops the turn before it is over", async () => {
		await at("question", [ask, { text: "Never." }], async ({ session, clock, model }) => {
			clock.ahead += 1_000;
			const answered = session.answer(pendingQuestion(session.state)?.request ?? "", { value: "this" }, "person");
			await Promise.all([assert.rejects(answered, { code: "turn-stopped" }), session.cancel()]);
			assert.equal(model.requests.length, 1);
		});
	});

	it("an answer is refused at once while another call of the turn is open, which may need the person too", async () => {
		const touch = { name: "execute_command", input: { command: "touch made" } };
		const both = { calls: [...(ask.calls ?? []), touch] };
		const act = async ({ session, clock, event }: TestSession) => {
			await event("asked");
			clock.ahead += 1_000;
			const { request } = pendingQuestion(session.state) ?? assert.fail("no question");
			await assert.rejects(session.answer(request, { value: "this" }, "person"), { code: "turn-running" });
			await session.cancel();
		};
		await at("question", [both, { text: "Never." }], act, "actor");
	});

	it("a plan is executed", async () => {
		const end = await at("plan", [present, { text: "Done." }], ({ session }) => session.executePlan({}));
		assert.equal(end.outcome, "done");
	});

	it("a conversation is summarized once its turn has ended", async () => {
		const end = await at("ended", [{ text: "Hi." }, { text: "## Goal\nGreet." }], ({ session }) => session.compact());
		assert.notEqual(end.outcome, "failed");
	});
});
