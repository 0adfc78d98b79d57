// Calls, changes and approvals in every state of their life.
import type { ChatPage } from "../browser.ts";
import {
	asked,
	type ChatState,
	call,
	change,
	edit,
	ended,
	event,
	model,
	planEvent,
	result,
	snapshot,
	started,
	user,
	view,
} from "./events.ts";

/** Three commands in one answer: the first is asked about, none has run. */
export const several = () => [
	user("Clean up"),
	started("actor"),
	model({
		text: "",
		calls: [
			call("w1", "execute_command", { command: "npm test" }),
			call("w2", "execute_command", { command: "rm -rf dist" }),
			call("w3", "update_file", { path: "src/a.ts", old: "a", new: "b" }),
		],
	}),
	event("asked", { request: "rw", call: "w1", summary: "Run npm test", hash: "hash-w1", reason: "No rule allows it yet." }),
];

export const FILES = [
	"src/cart.ts",
	"src/invoice.ts",
	"src/money.ts",
	"src/order.ts",
	"src/receipt.ts",
	"src/shop.ts",
	"src/tax.ts",
] as const;
export const blob = (name: string) => ({ before: { blob: `${name} before`, size: 10 }, after: `${name} after` });

/** One rename in seven files. */
export const sevenFiles = () => [
	user("Rename it"),
	started("actor"),
	...FILES.flatMap((path, index) => edit(`s${index}`, path, blob(path))),
	model({ text: "Renamed in seven files." }),
	ended("done"),
];

export const putBack = (...paths: string[]) =>
	event(
		"status",
		{
			level: "info",
			text: paths.length === 1 ? `Reverted changes in ${paths[0]}.` : `Reverted changes in ${paths.length} files.`,
			changes: paths.map((path) => change(path, { diff: "", before: { blob: `${path} after`, size: 10 }, after: `${path} before` })),
		},
		"person",
		undefined,
	);

export const keptAll = (...paths: string[]) =>
	event("status", { level: "info", text: "Kept.", reviewed: paths.map((path) => ({ path })) }, "person");

const patch = () => [
	user("Rename it at once"),
	started("actor"),
	model({ text: "", calls: [call("pa", "apply_patch", { patch: "*** Begin Patch" })] }),
	result("pa", "Patched", view(...FILES.map((path) => change(path, { ...blob(path), diff: change(path).diff })))),
	ended("done"),
];

export const reasons = () => [
	user("Tidy up"),
	started("actor"),
	model({ text: "", calls: [call("rs", "execute_command", { command: "rm Makefile && curl https://example.com" })] }),
	event("asked", {
		request: "rr",
		call: "rs",
		summary: "Run rm Makefile && curl https://example.com",
		hash: "hash-rs",
		reason: "Makefile is a protected location.",
		more: ["Deleting always requires approval.", "This command uses the network."],
	}),
];

export const withPaths = () => [
	user("Where?"),
	started("planner"),
	model({ text: "", calls: [call("rp", "read_file", { path: "src/cart.ts" })] }),
	result("rp", "export const a = 1;", { kind: "text" }),
	model({
		text: "In [src/cart.ts](src/cart.ts), `src/cart.ts:12` and [here](src/cart.ts#L7), not in ../src/cart.ts; see docs/none.md.\n\n| file | edits |\n|---|--:|\n| src/money.ts:3:1 | 2 |\n| `README.md` | 1 |\n",
	}),
	planEvent(1, { steps: [{ step_number: 1, action: "Change `src/money.ts`", files: ["src/cart.ts"] }] }),
	ended("waiting"),
];

export const press =
	(name: string | RegExp) =>
	async ({ chat }: ChatPage) => {
		await chat.getByRole("button", { name }).click();
	};

export const callsStates = {
	callsWaiting: { update: snapshot(several()) },
	approveReasons: { update: snapshot(reasons()), act: press(/Makefile is a protected/) },
	approveScopes: {
		update: snapshot([
			...several().slice(0, 2),
			model({ text: "", calls: [call("c6", "execute_command", { command: "npm test" })] }),
			asked(),
		]),
		act: press("More Ways to Allow"),
	},
	approveDeny: { update: snapshot(several()), act: press("Deny") },
	changesMany: { update: snapshot(sevenFiles()) },
	changesPatch: { update: snapshot(patch()) },
	changesUndone: { update: snapshot([...sevenFiles(), putBack(FILES[0], FILES[2]), keptAll(FILES[1])]) },
	changesAllUndone: { update: snapshot([...sevenFiles(), putBack(...FILES)]) },
} satisfies Readonly<Record<string, ChatState>>;
