// Calls of other agents: their cards, the requests of their sessions, and messages between agents.
import type { Caller, CallView } from "../../../src/core/caller.ts";
import type { ShownRequest } from "../../../src/shared/protocol/calls.ts";
import type { Update } from "../../../src/shared/protocol/chat.ts";
import type { ChatPage } from "../browser.ts";
import { parts } from "./conversation.ts";
import {
	asked,
	type ChatState,
	call,
	contextUsage,
	ended,
	event,
	type Fields,
	model,
	question,
	result,
	snapshot,
	started,
	user,
} from "./events.ts";

const TASK = "Draft the release notes for 0.4 from the commits since the last tag. Keep them short, and group them by room.";
const linked = { s2: "Release notes 0.4", s3: "Review of the draft" };
const usage = { input: 41_200, output: 1_900, cached: 30_000, cost: 0.0412, unpriced: 0 };
const draft =
	"## 0.4\n\n- Prices are rounded **once**, in `src/cart.ts`.\n- `formatPrice` is now `formatMoney`.\n\nTwo commits had no message; I left them out.";

const begun = (id = "a1", mode: "sync" | "async" = "sync") => [
	user("Ask the docs writer for a draft of the release notes"),
	started("planner"),
	model({ text: "I ask the docs writer.", calls: [call(id, "agents_message", { agentId: "docs", content: TASK, mode })] }),
	event("delegated", { call: id, session: "s2", agent: "docs", mode, depth: 1, responseId: "t-docs" }),
];

const view = (over: Partial<CallView> = {}): CallView => ({
	...{ kind: "agent", agent: "docs", session: "s2", turn: "t-docs", mode: "sync", status: "complete", text: draft, usage },
	tools: [
		{ name: "read_file", durationMs: 400 },
		{ name: "read_file", durationMs: 300 },
		{ name: "search_code", durationMs: 1_200 },
		{ name: "execute_command", durationMs: 9_000 },
	],
	durationMs: 64_000,
	...over,
});
const answered = (over?: Partial<CallView>, id = "a1") => result(id, "{}", view(over));

type Called = Extract<Update, { type: "called" }>;

const tools: Called["calls"][number]["tools"] = [
	{ call: call("k1", "read_file", { path: "CHANGELOG.md" }), status: "ok", durationMs: 400 },
	{ call: call("k2", "search_code", { pattern: "formatMoney" }), status: "error", durationMs: 1_200 },
	{ call: call("k3", "execute_command", { command: "git log v0.3..HEAD --oneline" }) },
];

export const ongoing = (over: Partial<Called["calls"][number]> = {}, requests: ShownRequest[] = []): Called => ({
	type: "called",
	session: "s1",
	calls: [
		{ call: "a1", state: "running", text: "I read the log and the changelog first.", tools, earlierTools: 0, steps: 3, usage, ...over },
	],
	requests,
});

const base = { under: "a1", session: "s2", chain: ["default", "docs"] };
const approves = (over?: Partial<Fields<"asked">>): ShownRequest => ({
	...base,
	kind: "approval",
	event: asked({ request: "r-docs", call: "k3", summary: "Run git log v0.3..HEAD --oneline", hash: "hash-docs", ...over }),
	call: call("k3", "execute_command", { command: "git log v0.3..HEAD --oneline" }),
});
export const approval = approves();
const deeper: ShownRequest = { ...approves({ request: "r-deep" }), session: "s3", chain: ["default", "docs", "reviewer"] };
const questioned: ShownRequest = { ...base, kind: "question", event: question() };
const plans = parts.planned.flatMap((each) => (each.type === "plan" ? [each] : []));
const planned: ShownRequest[] = plans.slice(-1).map((each) => ({ ...base, kind: "plan", event: each }));

const caller: Caller = {
	...{ session: "s2", turn: "t1", call: "a1", agent: "docs", role: "planner", ceiling: [], depth: 1, chain: ["docs"] },
};
const late = (status: "complete" | "error" = "complete") =>
	event("queued", {
		message: "m-late",
		from: "agent:docs",
		text: draft,
		about: { kind: "answer", call: "a1", turn: "t1", agent: "docs", session: "s2", status, usage },
	});
const asking = [
	event("user", { text: TASK, message: "t-docs" }, "agent:docs"),
	{ ...started("actor"), caller },
	model({ text: "", calls: [call("k3", "execute_command", { command: "git log v0.3..HEAD --oneline" })] }),
	asked({ request: "r-own", call: "k3", summary: "Run git log v0.3..HEAD --oneline" }),
];

const agents = [
	{ id: "default", label: "General Assistant" },
	{ id: "docs", label: "Docs writer", icon: "book" },
	{ id: "reviewer", label: "Reviewer of everything that leaves the house" },
];
const shown = (events: Parameters<typeof snapshot>[0], over: Parameters<typeof snapshot>[1] = {}) =>
	snapshot(events, { agents, linked, ...over });

const failed = [
	...begun(),
	answered({ status: "error", outcome: "limit", text: "" }),
	model({ text: "", calls: [call("a2", "agents_message", { agentId: "reviewer", content: "Check it" })] }),
	event("delegated", { call: "a2", session: "gone", agent: "reviewer", mode: "sync", depth: 1, responseId: "t3" }),
	result("a2", "The session of this call was deleted.", undefined, "error"),
	ended("done"),
];

const unfold = async ({ chat }: ChatPage) => {
	await chat.getByRole("button", { name: /^Asked / }).click();
	await chat.getByRole("button", { name: /^Read |^Ran / }).click();
};

export const agentCallStates = {
	agentCallQueued: { update: shown(begun()), after: [ongoing({ state: "queued", text: "", tools: [] })] },
	agentCallRunning: { update: shown(begun()), after: [ongoing()] },
	agentCallOpen: { update: shown(begun()), after: [ongoing({ earlierTools: 12 })], act: unfold },
	agentCallApproval: { update: shown(begun()), after: [ongoing({ state: "waiting" }, [approval])] },
	agentCallDeeper: { update: shown(begun()), after: [ongoing({}, [deeper])] },
	agentCallQuestion: { update: shown(begun()), after: [ongoing({ state: "waiting" }, [questioned])] },
	agentCallPlan: { update: shown(begun()), after: [ongoing({ state: "waiting" }, planned)] },
	agentCallDone: {
		update: shown([...begun(), answered(), model({ text: "Here is the draft." }), ended("done")], {
			context: contextUsage({ called: usage }),
		}),
		act: async ({ chat }) => {
			await chat.getByRole("button", { name: /^Read 2 files/ }).click();
			await chat.focus(".cost");
			await chat.getByRole("tooltip").waitFor();
		},
	},
	agentCallFailed: { update: shown(failed) },
	agentCallTimeout: {
		update: shown([...begun(), answered({ status: "timeout", text: "I am still reading." }), ended("done")]),
		after: [ongoing()],
	},
	agentCallDelivered: {
		update: shown([
			...begun("a1", "async"),
			answered({ status: "started", mode: "async", text: "" }),
			model({ text: "It works on it in the background." }),
			ended("done"),
			late(),
			event("user", { text: draft, message: "m-late" }, "agent:docs"),
			started("planner"),
			model({ text: "The draft has arrived." }),
			ended("done"),
		]),
	},
	calledBy: { update: shown(asking) },
} satisfies Readonly<Record<string, ChatState>>;

export { asking, begun };
