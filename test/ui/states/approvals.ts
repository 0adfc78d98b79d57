// Approvals of every kind of call, and those that were answered or came too late.
import { parts } from "./conversation.ts";
import {
	asked,
	type ChatState,
	call,
	change,
	created,
	ended,
	event,
	type Fields,
	model,
	result,
	snapshot,
	started,
	user,
	view,
} from "./events.ts";

const { approving } = parts;

/** One call that asks, as the newest thing. */
const asks = (name: string, input: unknown, over: Omit<Fields<"asked">, "request" | "call" | "hash">) => [
	user("Tidy up"),
	started("actor"),
	model({ text: "", calls: [call(`k-${name}`, name, input)] }),
	event("asked", { request: `r-${name}`, call: `k-${name}`, hash: "h", ...over }),
];

const settledApprovals = [
	...approving,
	event("answered", { request: "r1", hash: "hash-c6", answer: { allow: false, reason: "The tests are slow today" } }, "person"),
	result("c6", "The person said no: The tests are slow today", { kind: "denied", layer: "person" }, "denied"),
	model({ text: "", calls: [call("c7", "execute_command", { command: "npm run lint" })] }),
	asked({ request: "r2", call: "c7", summary: "Run npm run lint" }),
	event("expired", { request: "r2" }),
	model({ text: "", calls: [call("c8", "execute_command", { command: "npm run build" })] }),
	asked({ request: "r3", call: "c8", summary: "Run npm run build" }),
	event("answered", { request: "r3", hash: "hash-c6", answer: { allow: true, scope: "session" } }, "person"),
	result("c7", "Nobody answered.", { kind: "denied", layer: "person" }, "denied"),
	ended("interrupted"),
];

const ranByPerson = [
	user("Tidy up"),
	started("actor"),
	model({ text: "", calls: [call("t1", "execute_command", { command: "npm test" })] }),
	asked({ request: "rt", call: "t1", summary: "Run npm test", terminal: true }),
	event("answered", { request: "rt", hash: "hash-c6", answer: { allow: true } }, "person"),
	result("t1", "exit code: 0; run by the person in their own terminal\n12 passing", {
		kind: "command",
		command: "npm test",
		cwd: ".",
		exitCode: 0,
		output: "",
		byPerson: true,
		changed: [],
		figure: "run by you",
	}),
	model({ text: "The tests pass." }),
	ended("done"),
];

export const approvalStates = {
	approveInTerminal: {
		update: snapshot(
			asks(
				"execute_command",
				{ command: "git push origin main" },
				{
					summary: "Run git push origin main",
					reason: "git push goes to the network.",
					session: ["git push in this session."],
					always: ["git push in every session of this agent."],
					terminal: true,
				},
			),
		),
	},
	ranInTerminal: {
		update: snapshot(ranByPerson),
		act: ({ chat }) =>
			chat
				.getByRole("button", { name: /npm test/ })
				.first()
				.click(),
	},
	approveDelete: {
		update: snapshot(
			asks(
				"delete_file",
				{ path: "src/old.ts" },
				{
					summary: "Delete src/old.ts",
					reason: "Deleting always requires approval.",
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
					reason: "Makefile is a protected location.",
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
					reason: ".troupe is a protected location.",
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
					reason: "Every change requires your approval.",
					session: ["Allows this agent to patch files in this session, except protected ones."],
					always: ["Allows this agent to patch files in this workspace, except protected ones."],
					often: { text: "You allowed file changes twice in this session.", ends: "approval" },
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
					reason: "No rule allows this yet.",
					session: ["Allows fetching from https://example.com in this session."],
					always: ["Allows fetching from https://example.com in this workspace."],
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
				{
					summary: "Use tracker · create_issue",
					reason: "This tool belongs to an MCP server.",
					session: ["Allows mcp__tracker__create_issue in this session until its definition changes."],
					always: ["Allows mcp__tracker__create_issue in this workspace until its definition changes."],
				},
			),
		),
	},
	approveOften: {
		update: snapshot(
			asks(
				"execute_command",
				{ command: "git add . && npm test" },
				{
					summary: "Run git add . && npm test",
					reason: "No rule allows this yet.",
					session: ["Allows git add in this session.", "Allows npm test in this session until its definition in package.json changes."],
					always: ["Allows git add in this workspace.", "Allows npm test in this workspace until its definition in package.json changes."],
					often: { text: "You allowed npm test twice in this session.", ends: "always" },
				},
			),
		),
	},
	approveLine: {
		update: snapshot(
			asks(
				"execute_command",
				{ command: "deno task release --channel=next --notes='What is new'" },
				{
					summary: "Run deno task release --channel=next --notes='What is new'",
					reason: "Troupe doesn't recognize deno.",
					session: [
						"Allows only this exact command in this session until /usr/local/bin/deno changes: deno task release --channel=next --notes='What is new'",
					],
					always: [
						"Allows only this exact command in this workspace until /usr/local/bin/deno changes: deno task release --channel=next --notes='What is new'",
					],
				},
			),
		),
	},
	approvalsSettled: { update: snapshot(settledApprovals) },
	interrupted: { update: snapshot(settledApprovals.slice(0, -1).concat(ended("interrupted"))) },
} satisfies Readonly<Record<string, ChatState>>;
