// Tests what "Switch Agent with Context" asks for.
import assert from "node:assert/strict";
import type { EventBody } from "../../../src/core/events.ts";
import { applyEvent, createTranscript } from "../../../src/core/transcript/fold.ts";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";
import { transcript } from "../models/helpers.ts";

type Picker = typeof import("../../../src/vscode/agents/agentSwitchPicker.ts");
type Loaded = Awaited<ReturnType<typeof onEditorWindow<Picker>>>;

const PLAN: EventBody = {
	type: "plan",
	plan: { goal: "Rename it", steps: [{ step_number: 1, action: "Rename" }] },
	planId: "p",
	version: 1,
	hash: "h",
	basis: { files: [] },
};

describe("switching with context from the palette", () => {
	let at: Loaded;

	before(async () => {
		at = await onEditorWindow<Picker>("agentSwitchPicker", "src/vscode/agents/agentSwitchPicker.ts");
	});
	beforeEach(() => {
		at.answers.length = 0;
		at.asked.length = 0;
		at.shown.length = 0;
	});

	function pick(answers: readonly (string | undefined)[], events: EventBody[] = [], restricted?: string) {
		at.answers.push(...answers);
		const agents = [
			{ agentId: "default", displayName: "General Assistant" },
			{ agentId: "writer", displayName: "Writer" },
			{ agentId: "ghost", displayName: "Ghost", uiVisible: false },
		];
		const engine = { sessions: { policy: { agents: () => agents }, services: { restricted: () => restricted } } };
		const source = { state: transcript(...events).reduce(applyEvent, createTranscript()) };
		return at.pickAgentSwitch(engine as never, source as never);
	}
	const labels = (index: number) => ("labels" in (at.asked[index] ?? {}) ? (at.asked[index] as { labels: string[] }).labels : []);

	it("asks for a visible agent, what goes along, and a message that begins empty", async () => {
		assert.deepEqual(await pick(["Writer", "Summary", "Write the notes"]), {
			agent: "writer",
			carry: "summary",
			message: "Write the notes",
		});
		assert.ok(!labels(0).some((label) => label.includes("Ghost")));
		assert.deepEqual(labels(1), ["None", "Summary", "Whole Conversation"]);
		const box = at.asked[2] as { prompt?: string; value?: string };
		assert.deepEqual([box.prompt, box.value], ["Message to Writer", undefined]);
	});

	it("offers the plan where there is one", async () => {
		assert.equal((await pick(["Writer", "Plan", "Go on"], [PLAN]))?.carry, "plan");
		assert.deepEqual(labels(1), ["None", "Summary", "Plan", "Whole Conversation"]);
	});

	it("does nothing where a step is canceled or the message is empty", async () => {
		for (const answers of [[undefined], ["Writer", undefined], ["Writer", "None", undefined], ["Writer", "None", "  "]])
			assert.equal(await pick(answers), undefined);
	});

	it("asks nothing in Restricted Mode, and says why", async () => {
		assert.equal(await pick([], [], "Restricted Mode."), undefined);
		assert.deepEqual([at.asked, at.shown.map(({ text }) => text)], [[], ["Restricted Mode."]]);
	});
});
