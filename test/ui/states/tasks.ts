// Background tasks: their cards in each state, their requests, their messages, and the chat of a task itself.
import type { TaskState } from "../../../src/core/task.ts";
import type { ShownRequest } from "../../../src/shared/protocol/calls.ts";
import type { Update, WiderRoleOffer } from "../../../src/shared/protocol/chat.ts";
import type { ShownTaskChange, TaskCopy } from "../../../src/shared/protocol/taskChanges.ts";
import { asked, type ChatState, call, ended, event, model, question, result, snapshot, started, user, view } from "./events.ts";

const NAME = "Find out why the tests are slow";
const INPUT = "Measure each test file, find the three slowest, and say what they wait for. Change nothing that is not needed for that.";
const usage = { input: 41_200, output: 1_900, cached: 30_000, cost: 0.0412, unpriced: 0 };
const agents = [{ id: "default", label: "General Assistant" }];
const shown = (events: Parameters<typeof snapshot>[0], over: Parameters<typeof snapshot>[1] = {}) =>
	snapshot(events, { agents, linked: { k1: NAME, k2: "Read the changelog" }, ...over });

const changed = (state: TaskState, text?: string, name = NAME) => event("task", { task: "k1", state, name, ...(text && { text }) });

export const begun = (name = NAME, input = INPUT) => [
	user("Find out why the tests are slow, in the background"),
	started("planner"),
	model({ text: "I start a task for that.", calls: [call("s1", "spawn_subagent", { description: name, input: input })] }),
	event("delegated", { call: "s1", task: "k1", agent: "task-general", depth: 1 }),
	changed("queued", undefined, name),
	result("s1", '{"taskId":"k1"}', { kind: "task", task: "k1", name, type: "general" }),
	model({ text: "It works in the background. I tell you what it finds." }),
	ended("done"),
];

const news = (state: TaskState, text: string, intro = "") =>
	event("queued", {
		message: `m-${state}`,
		from: "agent:task-general",
		text: `${intro}${text}`,
		about: { kind: "task", session: "k1", call: "s1", turn: "t1", agent: "task-general", state, usage, intro: intro.length },
	});
const read = (state: TaskState, text: string) => event("user", { text, message: `m-${state}` }, "agent:task-general");

type Called = Extract<Update, { type: "called" }>;

const tools: Called["calls"][number]["tools"] = [
	{ call: call("x1", "read_file", { path: "package.json" }), status: "ok", durationMs: 300 },
	{ call: call("x2", "execute_command", { command: "npm test -- --reporter json" }), status: "ok", durationMs: 48_000 },
	{ call: call("x3", "search_code", { pattern: "setTimeout" }) },
];

export const working = (over: Partial<Called["calls"][number]> = {}, requests: ShownRequest[] = []): Called => ({
	type: "called",
	session: "s1",
	calls: [
		{
			...{ call: "k1", state: "running", text: "`cart.test.ts` takes **14 of 22 seconds**. I look at what it waits for." },
			...{ tools, earlierTools: 4, steps: 9, usage },
			...over,
		},
	],
	requests,
});

const base = { under: "k1", session: "k1", chain: ["default", "task-general"] };
const information: ShownRequest = {
	...base,
	kind: "question",
	event: {
		...question({
			question: "Is the database of the tests meant to be a real one?",
			options: [{ label: "Yes, a real one", value: "yes" }],
		}),
		about: { kind: "information" },
	},
};
const command = { command: "npm run bench" };
export const approval: ShownRequest = {
	...base,
	kind: "approval",
	event: asked({ request: "r-task", call: "x9", summary: "Run npm run bench", hash: "hash-task" }),
	call: call("x9", "execute_command", command),
};

const ANSWER =
	"The three slowest:\n\n1. `cart.test.ts` waits 14 s for a port.\n2. `money.test.ts` sleeps.\n3. `api.test.ts` starts a server.";
const INTRO = "Background task k1 is done.\n\nIts answer:\n\n";
const LONG = "Compare every dependency with its latest version, and read the changelogs of those that changed in between";

const REFUSED = "I found why, but I may not change `cart.test.ts`.";
const LONG_CALL = `Edit src/components/checkout/${"totals/".repeat(8)}money.ts`;
const wider = (over: Partial<WiderRoleOffer> = {}): WiderRoleOffer => ({
	...{ task: "k1", role: { id: "commander", label: "Commander" }, limitedBy: "Planner" },
	calls: ["Edit test/checkout/cart.test.ts", "Create test/freePort.ts", "Run npm test"],
	...over,
});

const HASH = "b".repeat(64);
export const HUNKS = [
	'@@ -1,4 +1,4 @@\n import assert from "node:assert";\n-const port = 0;\n+const port = await freePort();\n \n describe("the cart", () => {',
	'@@ -40,3 +40,2 @@\n \tit("adds", async () => {\n-\t\tawait sleep(14_000);\n \t\tassert.equal(add(1), 1);',
];
const change = (path: string, over: Partial<ShownTaskChange> = {}): ShownTaskChange => ({
	...{ path, action: "update", group: "takeable", diff: HUNKS[1] ?? "", added: 0, removed: 1, shown: HASH },
	...over,
});
const protectedReason = "Agents read AGENTS.md as instructions, so writing it always requires approval.";
export const changes: ShownTaskChange[] = [
	change("test/checkout/cart.test.ts", { diff: HUNKS.join("\n"), added: 1, removed: 2 }),
	change("test/freePort.ts", { action: "create", diff: "@@ -0,0 +1 @@\n+export const freePort = async () => 0;", added: 1, removed: 0 }),
	change("test/sleep.ts", { action: "delete", diff: "@@ -1 +0,0 @@\n-export const sleep = 0;" }),
	change("src/components/checkout/totals/money.ts", { group: "conflict", added: 12, removed: 3 }),
	change("AGENTS.md", { group: "apart", reason: protectedReason, added: 2, removed: 0 }),
	change("latest", { group: "refused", action: "create", reason: "latest is a link, and only files are taken.", diff: "", removed: 0 }),
];
const copy = (over: Partial<TaskCopy> = {}): TaskCopy => ({
	...{ task: "k1", state: "present", files: changes.length, added: 16, removed: 9 },
	...over,
});
export const copies = (over: Partial<TaskCopy> = {}): Update => ({ type: "taskCopies", session: "s1", copies: [copy(over)] });
const LEFT = "2 files that Git ignores stay in the copy, such as /home/ada/.config/Code/copies/k1/0/shop/dist/report.html";
export const listed = (some = changes, task = "k1"): Update => ({
	type: "taskChanges",
	session: "s1",
	list: { task, changes: some, notes: [LEFT], shown: "a".repeat(64) },
});
const finished = shown([...begun(), changed("done", "`cart.test.ts` no longer waits for a port.")]);
const review: ChatState["act"] = async ({ chat }) => {
	await chat.getByRole("button", { name: /^Review Changes/ }).click();
	await chat.getByRole("button", { name: /^Take All/ }).waitFor();
};

const EDIT = [
	model({ text: "I edit one.", calls: [call("e1", "update_file", { path: "src/a.ts", old: "a", new: "b" })] }),
	result("e1", "Edited.", view({ path: "src/a.ts", action: "update", diff: "@@ -1 +1 @@\n-a\n+b", added: 1, removed: 1, after: "h" })),
	ended("done"),
];
const COPIED = {
	task: {
		...{ state: "done", type: "general", ceiling: [], isolation: "always", copied: true },
		caller: { session: "s9", turn: "t1", call: "s1", agent: "default", role: "actor", ceiling: [], depth: 1, chain: ["default"] },
		...{ budget: { steps: 60, tokens: 400_000, minutes: 60 }, spent: { steps: 2, tokens: 900, minutes: 1 } },
	},
};

export const taskStates = {
	taskChanged: { update: finished, after: [copies()] },
	taskTaking: { update: finished, after: [copies(), listed(), copies({ taking: true })], act: review },
	taskUnchanged: { update: finished, after: [copies({ files: 0, added: 0, removed: 0 })] },
	taskOnlyIgnored: { update: finished, after: [copies({ files: 0, added: 0, removed: 0, left: [LEFT] })] },
	taskCopyGone: { update: finished, after: [copies({ state: "gone" })] },
	taskCopyUnreadable: {
		update: finished,
		after: [copies({ state: "unreadable", problem: "The copy is damaged or was removed, so its changes can't be read." })],
	},
	taskReview: { update: finished, after: [copies(), listed()], act: review },
	taskReviewOpen: {
		update: finished,
		after: [copies(), listed()],
		async act(page) {
			await review(page);
			for (const name of [/cart\.test\.ts/, /AGENTS/, /latest/]) await page.chat.getByRole("button", { name, expanded: false }).click();
		},
	},
	taskQueued: { update: shown(begun()) },
	taskRunning: { update: shown([...begun(), changed("running")]), after: [working()] },
	taskLong: {
		update: shown([...begun(LONG, "Read each of them."), changed("running", undefined, LONG)]),
		after: [working({ text: "" })],
		async act({ chat }) {
			await chat.getByRole("button", { name: /^Asked / }).click();
			await chat.getByRole("button", { name: /^Read |^Ran / }).click();
		},
	},
	taskInformation: {
		update: shown([...begun(), changed("running"), changed("waiting", "Is the database of the tests meant to be a real one?")]),
		after: [working({ state: "waiting" }, [information])],
	},
	taskApproval: { update: shown([...begun(), changed("running")]), after: [working({ state: "waiting" }, [approval])] },
	taskDone: {
		update: shown([
			...begun(),
			changed("done", "The three slowest are in cart, money and api."),
			news("done", ANSWER, INTRO),
			read("done", `${INTRO}${ANSWER}`),
			started("planner"),
			model({ text: "The task is done: `cart.test.ts` waits for a port." }),
			ended("done"),
		]),
	},
	taskFailed: { update: shown([...begun(), changed("failed", "It reached its limit of 60 steps.")]) },
	taskDenied: { update: shown([...begun(), changed("done", REFUSED)], { wider: [wider()] }) },
	taskDeniedInterrupted: {
		update: shown([...begun(LONG, INPUT), changed("interrupted", REFUSED, LONG)], {
			wider: [{ task: "k1", role: { id: "commander", label: "Commander" }, calls: [LONG_CALL], more: true }],
		}),
	},
	taskInterrupted: { update: shown([...begun(), changed("interrupted", "I measure the second half now.")]) },
	taskStopped: { update: shown([...begun(), changed("running"), changed("cancelled")]) },
	taskOwn: { update: own() },
	taskOwnDenied: { update: own({ wider: [wider({ task: "s1" })] }) },
	taskOwnChanged: { update: own(), after: [copies({ task: "s1" })] },
	taskOwnReviewOpen: {
		update: own(),
		after: [copies({ task: "s1" }), listed(changes, "s1")],
		async act(page) {
			await review(page);
			await page.chat.getByRole("button", { name: /cart\.test\.ts/, expanded: false }).click();
		},
	},
	taskOwnEdited: { update: own({}, EDIT, COPIED), after: [copies({ task: "s1" })] },
	taskOwnEditedHere: { update: own({}, EDIT) },
} satisfies Readonly<Record<string, ChatState>>;

function own(over: Parameters<typeof snapshot>[1] = {}, more: Parameters<typeof snapshot>[0] = [], task: object = {}) {
	return snapshot(
		[
			event("user", { text: INPUT, message: "t-task" }, "agent:default"),
			{
				...started("actor"),
				agent: "task-general",
				caller: { session: "s9", turn: "t1", call: "s1", agent: "default", role: "actor", ceiling: [], depth: 1, chain: ["default"] },
			},
			model({ text: "`cart.test.ts` takes 14 of 22 seconds." }),
			...more,
		],
		{
			agents: [...agents, { id: "task-general", label: "general" }],
			linked: { s9: "Slow tests" },
			session: {
				...{ sessionId: "s1", kind: "task", agentId: "task-general", role: "actor", name: NAME, messageCount: 1 },
				...{ createdAt: "2026-01-01", updatedAt: "2026-01-01" },
				...task,
			},
			...over,
		},
	);
}
