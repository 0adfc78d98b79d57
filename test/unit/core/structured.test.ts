// Text that counts as a plan or a question, and text that does not.
import assert from "node:assert/strict";
import { parseStructuredMessage } from "../../../src/core/structured.ts";
import { parseTrailingJson } from "../../../src/core/trailingJson.ts";

const PLAN = { goal: "Say “{hello}”", steps: [{ step_number: 1, action: 'Change "}" \\ in it' }] };
const QUESTION = { question: "Which?", options: [{ label: "A", value: "a" }] };
const VERSIONED = { type: "plan", format_version: "1.0" } as const;
const plan = JSON.stringify(PLAN);
const pretty = JSON.stringify({ ...VERSIONED, ...PLAN }, null, 2);
const fenced = (json: string, marks = "```") => `${marks}json\n${json}\n${marks}`;

describe("text that is a plan or a question", () => {
	const counts: Record<string, string> = {
		"that JSON alone": plan,
		"in a fence": fenced(pretty),
		"in a fence of tildes, between blank lines": `\n\n${fenced(plan, "~~~~")}\n \n`,
		"after prose": `I looked at {the} files.\n\n${pretty}`,
		"after prose on its line": `Here it is: ${plan}`,
		"in a fence after prose": `I read \`src/a.ts\`.\n\n${fenced(pretty)}`,
		"after another piece of code": `It is \n${fenced('{"port": 1}')}\nnow.\n\n${fenced(plan)}`,
		"after code of braces that do not close": `\`if (x) {\` and "{ are not closed.\n\n${plan}`,
	};
	for (const [how, text] of Object.entries(counts)) {
		it(`counts ${how}`, () => assert.deepEqual(parseStructuredMessage(text), { plan: { ...PLAN, ...VERSIONED } }));
	}

	it("counts as a question with what the format asks for", () => {
		assert.deepEqual(parseStructuredMessage(`One thing:\n${JSON.stringify(QUESTION)}`), {
			question: { ...QUESTION, type: "question", format_version: "1.0" },
		});
	});

	const text: Record<string, string> = {
		"in the middle": `${fenced(plan)}\n\nShall I go on?`,
		"before a last word": `${plan} Done.`,
		"of two": `${plan}\n\n${plan}`,
		"of a question and a plan": `${fenced(JSON.stringify(QUESTION))}\n\n${fenced(plan)}`,
		"that does not parse": plan.slice(0, -1),
		"in a fence that is not closed": `Look:\n\`\`\`json\n${plan}`,
		"in a fence with more beside it": `\`\`\`json\nplan:\n${plan}\n\`\`\``,
		"without steps": JSON.stringify({ goal: "x", steps: [] }),
		"of another type": JSON.stringify({ ...PLAN, type: "question" }),
		"that is something else": '{"port": 1}',
		"within another object": JSON.stringify({ result: PLAN }),
		"that nobody could answer": JSON.stringify({ question: "Which?" }),
	};
	for (const [how, written] of Object.entries(text)) {
		it(`is text ${how}`, () => assert.equal(parseStructuredMessage(written), undefined));
	}

	it("is refused by its version where that is another one, whatever else it holds", () => {
		assert.deepEqual(parseStructuredMessage(JSON.stringify({ ...PLAN, format_version: "2.0" })), { unknownVersion: "2.0" });
		assert.deepEqual(parseStructuredMessage(JSON.stringify({ type: "plan", format_version: "2.0", tasks: [] })), { unknownVersion: "2.0" });
		assert.equal(parseStructuredMessage(JSON.stringify({ format_version: "2.0", port: 1 })), undefined);
	});

	it("leaves the prose before it", () => {
		assert.equal(parseTrailingJson(`First.\n\n${fenced(pretty)}\n`)?.prose, "First.");
		assert.equal(parseTrailingJson(fenced(pretty))?.prose, "");
	});

	it("is given up where a message holds too many braces to try them all", () => {
		assert.equal(parseStructuredMessage(`${"{".repeat(100_000)}${plan}`), undefined);
	});
});
