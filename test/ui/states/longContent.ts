// Content that fits no page: endless words, right-to-left text, very long plans and code.
import { parts } from "./conversation.ts";
import { type ChatState, call, change, ended, event, model, planEvent, result, session, snapshot, started, user, view } from "./events.ts";

const { answer, planned } = parts;

const WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
const LONG_PATH = `packages/${"deeply/".repeat(14)}nested/${WORD}.service.integration.test.ts`;
const RTL = "שלום, אפשר לשנות את השם של `formatPrice` ב־`src/cart.ts`? תודה רבה";
const long = [
	event("role", { role: "planner" }),
	user(`${WORD.repeat(4)} and https://example.com/${"path-without-end-".repeat(14)}?token=${"0123456789abcdef".repeat(8)}`),
	started("planner"),
	model({
		text: `It is in \`${LONG_PATH}\`: **${WORD.repeat(3)}**\n\n| ${WORD} | ${WORD} |\n|---|---|\n| ${LONG_PATH} | 1 |\n\n- ${WORD.repeat(2)}\n\n\`\`\`\n${WORD.repeat(6)}\n\`\`\`\n`,
		calls: [call("l1", "read_file", { path: LONG_PATH }), call("l2", "execute_command", { command: `ls ${LONG_PATH}` })],
	}),
	result("l1", "There is no such file.", { kind: "text" }, "error"),
	result("l2", `${WORD.repeat(5)}\n`, {
		kind: "command",
		command: `ls ${LONG_PATH}`,
		cwd: LONG_PATH,
		exitCode: 127,
		output: "o",
		changed: [],
	}),
	event("status", { level: "warning", text: `${LONG_PATH} is 60 MB and was left out.` }),
	model({ text: "", calls: [call("l3", "update_file", { path: LONG_PATH, old: "a", new: "b" })] }),
	result("l3", "Edited", view(change(LONG_PATH, { deviation: `${LONG_PATH} is named by no step` }))),
	planEvent(1, {
		goal: `Rename ${WORD}`,
		steps: [{ step_number: 1, action: `Move ${LONG_PATH}`, tools_needed: [`mcp__${WORD}__do`] }],
		risks: [WORD.repeat(3)],
	}),
	ended("waiting"),
];
const rtl = [
	event("role", { role: "planner" }),
	user(RTL),
	started("planner"),
	model({ text: `${RTL}\n\n1. ${RTL}\n2. ${RTL}\n\n> ${RTL}\n` }),
	event(
		"question",
		{
			request: "q-rtl",
			question: {
				question: RTL,
				options: [
					{ label: "כן, בבקשה", value: "y", description: RTL },
					{ label: "לא", value: "n" },
				],
				default: "y",
			},
		},
		"model",
	),
	ended("waiting"),
];
const steps = Array.from({ length: 60 }, (_, index) => ({
	step_number: index + 1,
	action: `Convert \`src/part-${index + 1}.ts\` to the new signature`,
	...(index % 7 === 3 && { reason: "It is called from two places", tools_needed: ["update_file", "execute_command"] }),
}));
const bigPlan = [
	event("role", { role: "planner" }),
	user("Convert all of it"),
	started("planner"),
	planEvent(1, { goal: "Convert 60 files", steps, prerequisites: [], estimated_total_time: "40 min" }),
	ended("waiting"),
];
const code = Array.from({ length: 3_000 }, (_, index) => `export const value${index} = compute(${index}, "${index % 97}");`).join("\n");
const bigCode = [
	user("Write it all"),
	started("actor"),
	model({ text: `Here it is.\n\n\`\`\`ts src/values.ts\n${code}\n\`\`\`\n\nThat is all.` }),
	ended("done"),
];

const { name: _, ...withoutName } = session;

export const longStates = {
	planLong: { update: snapshot(bigPlan) },
	long: {
		update: snapshot(long, {
			session: withoutName,
			model: { id: "x/y", name: WORD, why: WORD, offline: false },
			agents: [{ id: "default", label: WORD }],
		}),
	},
	// Of a session that was opened at its end, and one that is being read.
	earlierOnDemand: {
		update: { ...snapshot(bigCode), more: true },
		act: ({ chat }) => chat.evaluate(() => document.querySelector(".scroller")?.scrollTo(0, 0)),
	},
	beingRead: {
		update: snapshot(planned),
		act: ({ send }) => send({ type: "reading", session: "s1", part: 0.42 }),
	},
	rtl: { update: snapshot(rtl), act: ({ chat }) => chat.getByRole("textbox", { name: "Message" }).fill(RTL) },
	longCode: { update: snapshot(bigCode) },
	longDraft: {
		update: snapshot(planned),
		act: ({ chat }) =>
			chat.getByRole("textbox", { name: "Message" }).fill(`${"A line of what is wanted\n".repeat(40)}${answer.slice(0, 80)}`),
	},
} satisfies Readonly<Record<string, ChatState>>;
