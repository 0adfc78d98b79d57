// Every kind of card, in every state it can be in, and what a conversation may hold that fits no page.
import { contextUse, parts, snapshot, states } from "./script.mjs";

const { event, model, user, started, call, result, asked, answer, planned, executing, approving, change, planEvent } = parts;
const ended = (outcome, more = {}) => event("ended", { outcome, ...more });

/** One call that asks, as the newest thing. */
const asks = (name, input, over) => [
	user("Tidy up"),
	started("actor"),
	model({ text: "", calls: [call(`k-${name}`, name, input)] }),
	event("asked", { request: `r-${name}`, call: `k-${name}`, hash: "h", ...over }),
];
const view = (...changes) => ({ kind: "change", changes });
const created = "@@ -0,0 +1,3 @@\n+# Changelog\n+\n+- formatPrice is now formatMoney\n";
const failure = (error, more) => [
	user("Rename it"),
	started("planner"),
	model({ text: "First I look at" }),
	ended("failed", { error, ...more }),
];

const closed = states.done.update.events;
const toTheSteps = [
	...executing,
	event("step", { step_number: 2, status: "failed" }),
	event("step", { step_number: 3, status: "skipped" }),
	event("step", { step_number: 4, status: "done" }),
	model({ text: "The calls in `src/invoice.ts` could not be changed." }),
	ended("done"),
];

const WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
const LONG_PATH = `packages/${"deeply/".repeat(14)}nested/${WORD}.service.integration.test.ts`;
const RTL = "שלום, אפשר לשנות את השם של `formatPrice` ב־`src/cart.ts`? תודה רבה";
const long = [
	event("role", { role: "planner" }, "host", undefined),
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
	event("role", { role: "planner" }, "host", undefined),
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
	event("role", { role: "planner" }, "host", undefined),
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

const thought = [
	event("role", { role: "planner" }, "host", undefined),
	user("Why is the total wrong?"),
	started("planner"),
	model({
		text: "The total is rounded twice.",
		thinking: "The cart rounds each line.\n\nThen the invoice rounds the sum again, so two halves of a cent are lost.",
	}),
	ended("done"),
];
const commands = [
	user("Check it"),
	started("actor"),
	model({
		text: "",
		calls: [
			call("x1", "execute_command", { command: "npm run lint" }),
			call("x2", "execute_command", { command: "npm run dev", background: true }),
			call("x3", "execute_command", { command: "sleep 900", timeout: 60 }),
			call("x4", "web_fetch", { url: "https://example.com/changes" }),
			call("x5", "read_file", { path: "src/cart.ts" }),
		],
	}),
	result(
		"x1",
		"src/cart.ts:3:1 error Missing semicolon\n\n1 error\n",
		{ kind: "command", command: "npm run lint", cwd: "packages/shop", exitCode: 1, output: "o1", changed: [] },
		"error",
	),
	result("x2", "ready on 127.0.0.1\n", { kind: "command", command: "npm run dev", cwd: ".", background: true, output: "o2", changed: [] }),
	result("x3", "", { kind: "command", command: "sleep 900", cwd: ".", signal: "SIGTERM", output: "o3", changed: [] }, "cancelled"),
	result("x4", "", { kind: "text" }, "unknown"),
	result("x5", "export interface Item {}", { kind: "file", path: "src/cart.ts", figure: "88 lines" }),
	ended("cancelled"),
];
const changes = [
	user("Clean up the files"),
	started("actor"),
	model({
		text: "",
		calls: [
			call("g1", "create_file", { path: "CHANGELOG.md", content: "…" }),
			call("g2", "delete_file", { path: "src/old.ts" }),
			call("g3", "rename_file", { from: "src/a.ts", to: "src/money/b.ts" }),
		],
	}),
	result("g1", "Created", view(change("CHANGELOG.md", { action: "create", added: 3, removed: 0, diff: created }))),
	result(
		"g2",
		"Deleted",
		view(
			change("src/old.ts", {
				action: "delete",
				added: 0,
				removed: 2,
				diff: "@@ -1,2 +0,0 @@\n-const old = 1;\n-export default old;",
				after: "",
			}),
		),
	),
	result("g3", "Renamed", view(change("src/money/b.ts", { action: "rename", from: "src/a.ts", added: 0, removed: 0, diff: "" }))),
	model({ text: "Three files are tidier now." }),
	ended("done"),
];
const questions = [
	user("Set it up"),
	started("planner"),
	event(
		"question",
		{ request: "q5", question: { question: "Which test runner?", options: [{ label: "mocha", value: "mocha" }] } },
		"model",
	),
	event("answered", { request: "q5", answer: { value: "mocha" } }, "person"),
	event("question", { request: "q6", question: { question: "Keep the old name, too?", options: [{ label: "Yes", value: "y" }] } }, "model"),
	event("answered", { request: "q6", answer: { allow: false } }, "person"),
	event(
		"question",
		{
			request: "q7",
			question: {
				question: "What should the folder be called?",
				severity: "critical",
				context: "Nothing can be written before this is known.",
			},
		},
		"model",
	),
	ended("waiting"),
];
const settledApprovals = [
	...approving,
	event("answered", { request: "r1", hash: "hash-c6", answer: { allow: false, reason: "The tests are slow today" } }, "person"),
	result("c6", "The person said no: The tests are slow today", { kind: "denied", layer: "person" }, "denied"),
	model({ text: "", calls: [call("c7", "execute_command", { command: "npm run lint" })] }),
	asked({ request: "r2", call: "c7", summary: "Run npm run lint" }),
	event("expired", { request: "r2" }),
	result("c7", "Nobody answered.", { kind: "denied", layer: "person" }, "denied"),
	ended("interrupted"),
];

const local = { id: "ollama/qwen3", name: "qwen3:14b", why: "Ollama answers on this machine and no key is set.", offline: false };
const none = { id: "", name: "No model", why: "The key for openai was refused. Set another key, or choose another model.", offline: false };

const hover =
	(name) =>
	async ({ chat }) => {
		await chat.locator(name).last().hover();
	};
const explain =
	(part) =>
	async ({ chat }) => {
		await chat.focus(part);
		await chat.getByRole("tooltip").waitFor();
	};
const open =
	(name) =>
	async ({ chat }) => {
		for (const button of await chat.getByRole("button", { name }).all()) await button.click();
	};

export const cardStates = {
	emptyModel: { update: snapshot([], { model: local }) },
	emptyNone: { update: snapshot([], { model: none, suggestions: [] }) },
	restricted: {
		update: snapshot([], {
			suggestions: [],
			blocked: { text: "This folder is not trusted. Sessions can be read; no turn can start.", command: "trust", button: "Manage trust" },
		}),
	},
	otherWindow: {
		update: snapshot(planned, { blocked: { text: "Another window runs this session. It can be read here, and goes on there." } }),
	},
	storage: {
		update: snapshot(planned, {
			storage: "This session cannot be written to disk (no space left): what happens from here on is kept in memory only.",
		}),
	},
	planDone: { update: snapshot(closed), act: open(/Rename formatPrice to formatMoney \d of/) },
	planOlder: { update: snapshot(planned.slice(0, 8).concat(planned.slice(8))), act: open(/replaced/) },
	planFailed: { update: snapshot(toTheSteps), act: open(/of 4 steps/) },
	planLong: { update: snapshot(bigPlan) },
	approveDelete: {
		update: snapshot(
			asks(
				"delete_file",
				{ path: "src/old.ts" },
				{
					summary: "Delete src/old.ts",
					reason: "Deleting always asks.",
					view: view(
						change("src/old.ts", {
							action: "delete",
							added: 0,
							removed: 2,
							diff: "@@ -1,2 +0,0 @@\n-const old = 1;\n-export default old;",
						}),
					),
				},
			),
		),
	},
	approveRename: {
		update: snapshot(
			asks(
				"rename_file",
				{ from: "src/a.ts", to: "Makefile" },
				{
					summary: "Rename src/a.ts to Makefile",
					reason: "Asks because Makefile is a protected place.",
					view: view(change("Makefile", { action: "rename", from: "src/a.ts", added: 0, removed: 0, diff: "" })),
				},
			),
		),
	},
	approveCreate: {
		update: snapshot(
			asks(
				"create_file",
				{ path: ".troupe/agents/docs.json", content: "{}" },
				{
					summary: "Create .troupe/agents/docs.json",
					reason: "Asks because .troupe is a protected place.",
					view: view(change(".troupe/agents/docs.json", { action: "create", added: 3, removed: 0, diff: created })),
				},
			),
		),
	},
	approvePatch: {
		update: snapshot(
			asks(
				"apply_patch",
				{ patch: "*** Update File: src/cart.ts\n*** Delete File: src/old.ts" },
				{
					summary: "Patch src/cart.ts and src/old.ts",
					reason: "Asks because every change asks (troupe.approval: ask).",
					always: ["edits and creates in this workspace"],
					view: view(
						change("src/cart.ts"),
						change("src/old.ts", {
							action: "delete",
							added: 0,
							removed: 2,
							diff: "@@ -1,2 +0,0 @@\n-const old = 1;\n-export default old;",
						}),
					),
				},
			),
		),
	},
	approveFetch: {
		update: snapshot(
			asks(
				"web_fetch",
				{ url: "https://example.com/api/prices?currency=EUR" },
				{
					summary: "Fetch https://example.com/api/prices?currency=EUR",
					reason: "Asks because no rule allows it.",
					always: ["https://example.com"],
				},
			),
		),
	},
	approveTool: {
		update: snapshot(
			asks(
				"mcp__tracker__create_issue",
				{
					title: "formatPrice is gone",
					labels: ["api", "breaking"],
					body: "Callers outside this repository still use the old name.\nThey should move to formatMoney.",
				},
				{ summary: "Use tracker · create_issue", reason: "Asks because it is a tool of another server.", always: ["tracker create_issue"] },
			),
		),
	},
	approvalsSettled: { update: snapshot(settledApprovals) },
	questionOpen: { update: snapshot(questions) },
	failedKey: {
		update: snapshot(failure("openai refused the key (401). What you wrote is kept; set another key and go on.", { help: "setApiKey" })),
	},
	failedModel: { update: snapshot(failure("openrouter has no model “acme/large-9”. Pick another model.", { help: "selectModel" })) },
	failedSettings: {
		update: snapshot(failure("The setting troupe.providers cannot be read: “baseUrl” of “lan” is not a URL.", { help: "openSettings" })),
	},
	failedPlain: { update: snapshot(failure("The connection broke in the middle of the answer. The words that came are kept.")) },
	interrupted: { update: snapshot(settledApprovals.slice(0, -1).concat(ended("interrupted"))) },
	changes: { update: snapshot(changes) },
	commands: { update: snapshot(commands), act: open(/npm run lint|npm run dev/) },
	thoughts: { update: snapshot(thought) },
	thoughtsOpen: { update: snapshot(thought), act: open("Thought") },
	meter: { update: snapshot(planned), act: explain(".meter") },
	meterFull: {
		update: snapshot(planned, { context: contextUse({ used: 188_000, parts: { ...contextUse().parts, outputs: 172_430 } }) }),
		act: explain(".meter"),
	},
	meterUnknown: {
		update: snapshot(planned, {
			context: contextUse({
				window: undefined,
				priced: false,
				turn: { input: 12_000, output: 300, cached: 0, cost: 0, unpriced: 2 },
				session: { input: 12_000, output: 300, cached: 0, cost: 0, unpriced: 2 },
			}),
		}),
		act: explain(".meter"),
	},
	cost: { update: snapshot(planned), act: explain(".cost") },
	approvalMode: { update: snapshot(planned), act: explain(".approval-mode") },
	messageActions: { update: snapshot(thought), act: hover(".from-person") },
	editing: {
		update: snapshot(thought),
		async act({ chat }) {
			await chat.locator(".from-person").hover();
			await chat.getByRole("button", { name: "Edit" }).click();
			await chat.getByRole("textbox", { name: "Edit message" }).fill("Why is the total of the cart wrong?\nLook at `src/invoice.ts`, too.");
		},
	},
	summary: { update: states.history.update, act: open("Show summary") },
	foldedOpen: { update: states.many.update, act: open(/^Read 9 files/) },
	findNothing: {
		update: states.done.update,
		async act({ chat }) {
			await chat.keyboard.press("Control+f");
			await chat.getByRole("textbox", { name: "Find" }).fill("nowhere at all");
			await chat.getByText("No results").waitFor();
		},
	},
	scrolledUp: {
		update: states.approval.update,
		async act({ chat }) {
			await chat.locator(".scroller").focus();
			await chat.keyboard.press("Home");
			await chat.getByRole("button", { name: "Jump to latest" }).waitFor();
		},
	},
	runBar: {
		update: snapshot([
			...approving.slice(0, -1),
			asked(),
			...Array.from({ length: 12 }, (_, index) => event("status", { level: "info", text: `Line ${index + 1} of what happens meanwhile.` })),
		]),
	},
	dropping: {
		update: snapshot(planned),
		act: ({ chat }) => chat.locator(".composer-box").evaluate((box) => box.classList.add("dropping")),
	},
	long: {
		update: snapshot(long, {
			session: { sessionId: "s1", agentId: "default", role: "planner" },
			model: { id: "x/y", name: WORD, why: WORD, offline: false },
			agents: [{ id: "default", label: WORD }],
		}),
	},
	rtl: { update: snapshot(rtl), act: ({ chat }) => chat.getByRole("textbox", { name: "Message" }).fill(RTL) },
	longCode: { update: snapshot(bigCode) },
	focused: {
		update: states.question.update,
		act: ({ chat }) => chat.locator(".option").first().focus(),
	},
	longDraft: {
		update: snapshot(planned),
		act: ({ chat }) =>
			chat.getByRole("textbox", { name: "Message" }).fill(`${"A line of what is wanted\n".repeat(40)}${answer.slice(0, 80)}`),
	},
};
