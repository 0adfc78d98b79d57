// Every kind of card but the approvals, in every state it can be in.
import type { RecentSession } from "../../../src/shared/protocol/chat.ts";
import type { ChatPage } from "../browser.ts";
import { parts, states } from "./conversation.ts";
import {
	asked,
	type ChatState,
	call,
	change,
	contextUsage,
	created,
	ended,
	event,
	type Fields,
	model,
	result,
	snapshot,
	started,
	unknownUsage,
	user,
	view,
} from "./events.ts";

const { planned, executing, approving } = parts;

const failure = (error: string, more?: Partial<Fields<"ended">>) => [
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

const thought = [
	event("role", { role: "planner" }),
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
const local = { id: "ollama/qwen3", name: "qwen3:14b", why: "Ollama answers on this machine and no key is set.", offline: false };
const none = { id: "", name: "No model", why: "The key for openai was refused. Set another key, or choose another model.", offline: false };

const hover =
	(selector: string) =>
	async ({ chat }: ChatPage) => {
		await chat.locator(selector).last().hover();
	};
const explain =
	(selector: string) =>
	async ({ chat }: ChatPage) => {
		await chat.focus(selector);
		await chat.getByRole("tooltip").waitFor();
	};
const open =
	(name: string | RegExp) =>
	async ({ chat }: ChatPage) => {
		for (const button of await chat.getByRole("button", { name }).all()) await button.click();
	};

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const recent: RecentSession[] = [
	{ id: "s1", title: "Round prices to cents in the cart, the invoice and every mail", at: minutesAgo(4), state: "waiting" },
	{ id: "s2", title: "Explain src/cart.ts", at: minutesAgo(190), state: "failed" },
	{ id: "s3", title: "Rename formatPrice", at: minutesAgo(3 * 24 * 60) },
];

export const cardStates = {
	emptyRecent: { update: snapshot([], { model: local, recent }) },
	emptyModel: { update: snapshot([], { model: local }) },
	emptyNone: { update: snapshot([], { model: none, suggestions: [] }) },
	restricted: {
		update: snapshot([], {
			suggestions: [],
			blocked: { text: "This folder is not trusted. Sessions can be read; no turn can start.", command: "trust", button: "Manage Trust" },
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
	questionOpen: { update: snapshot(questions) },
	failedKey: {
		update: snapshot(failure("openai refused the key (401). What you wrote is kept; set another key and go on.", { help: "setApiKey" })),
	},
	failedModel: { update: snapshot(failure("openrouter has no model “acme/large-9”. Pick another model.", { help: "selectModel" })) },
	failedSettings: {
		update: snapshot(failure("The setting troupe.providers Can't be read: “baseUrl” of “lan” is not a URL.", { help: "openSettings" })),
	},
	failedPlain: { update: snapshot(failure("The connection broke in the middle of the answer. The words that came are kept.")) },
	changes: { update: snapshot(changes) },
	commands: { update: snapshot(commands), act: open(/npm run lint|npm run dev/) },
	thoughts: { update: snapshot(thought) },
	thoughtsOpen: { update: snapshot(thought), act: open("Thought") },
	meter: { update: snapshot(planned), act: explain(".meter") },
	meterFull: {
		update: snapshot(planned, { context: contextUsage({ used: 188_000, parts: { ...contextUsage().parts, outputs: 172_430 } }) }),
		act: explain(".meter"),
	},
	meterUnknown: {
		update: snapshot(planned, {
			context: unknownUsage(),
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
	summary: { update: states.history.update, act: open("Show Summary") },
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
			await chat.getByRole("button", { name: "Jump to Latest" }).waitFor();
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
	focused: {
		update: states.question.update,
		act: ({ chat }) => chat.locator(".option").first().focus(),
	},
} satisfies Readonly<Record<string, ChatState>>;
