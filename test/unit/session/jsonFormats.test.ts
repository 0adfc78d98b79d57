// The JSON of plans and questions in the prompts of models that may have no tool calls.
import assert from "node:assert/strict";
import { builtinRoles } from "../../../src/agents/builtinRoles.ts";
import type { ModelInfo } from "../../../src/core/ports/model.ts";
import type { Role } from "../../../src/core/role.ts";
import { formatJsonInstructions, parseStructuredMessage } from "../../../src/core/structured.ts";
import { createPromptReport } from "../../../src/session/prompt/promptDiff.ts";
import { closeTestSessions, openTestSession } from "./testSession.ts";

/** A model of which nobody says whether it has tool calls. */
const UNKNOWN = { tools: undefined } as unknown as Partial<ModelInfo>;

/** JSON objects that stand in a line of their own. */
const examples = (prompt: string) => prompt.split("\n").filter((line) => line.startsWith("{"));

describe("the formats of plans and questions", () => {
	afterEach(closeTestSessions);

	it("are in the prompt of a model that may have no tool calls, by role", async () => {
		for (const role of builtinRoles) {
			const { id } = role;
			const setup = await openTestSession([{ text: "Hello." }], { role: id, info: UNKNOWN });
			await setup.session.send("Hello");
			const [{ system, tools } = { system: "", tools: [] }] = setup.model.requests;
			assert.ok(system.endsWith(formatJsonInstructions(role)), id);
			assert.ok(tools.length > 0, "what may have tool calls is offered tools");
			assert.match(await createPromptReport(setup.session), /end your message with exactly one JSON object/);
			const plans = examples(system).filter((line) => "plan" in (parseStructuredMessage(line) ?? {}));
			assert.equal(plans.length, ["planner", "designer", "reviewer"].includes(id) ? 1 : 0, id);
			const asks = examples(system).find((line) => line.startsWith('{"type":"question"'));
			const question = parseStructuredMessage((asks ?? "").replace("critical|major|minor", "minor"));
			assert.ok(question && "question" in question, id);
		}
	});

	it("are not in that of a model that is known to call tools", async () => {
		const setup = await openTestSession([{ text: "Hello." }], { info: { tools: true } });
		await setup.session.send("Hello");
		assert.doesNotMatch(setup.model.requests[0]?.system ?? "", /JSON/);
	});

	it("come without tools for a model that is known to have no calls, whose JSON then is the plan", async () => {
		const [json = ""] = examples(formatJsonInstructions(builtinRoles[0] as Role));
		const setup = await openTestSession([{ text: `I looked.\n\n${json}` }], { info: { tools: false } });
		assert.equal((await setup.session.send("Plan it")).outcome, "waiting");
		assert.deepEqual([setup.model.requests[0]?.tools, setup.session.state.plans.length], [[], 1]);
	});

	it("name when to ask as severity and kind of change", () => {
		const asking = builtinRoles.filter(({ prompt }) => prompt.includes("ask_question"));
		assert.deepEqual(
			asking.map(({ id }) => id),
			["actor", "commander", "tester"],
		);
		for (const { prompt } of asking) {
			for (const words of ["critical, major or minor", "deleting files", "major refactors", "security-sensitive", "beyond the plan"])
				assert.ok(prompt.includes(words), words);
			for (const words of ["uncertainty about the approach", "minor formatting", "obvious fixes", "style"])
				assert.ok(prompt.includes(words), words);
		}
	});
});
