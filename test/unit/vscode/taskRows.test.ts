// Rows of background tasks in the tree: where they are, how many, and what they say.
import assert from "node:assert/strict";
import type { SessionSummary } from "../../../src/core/events.ts";
import { TASK_STATES, type TaskState } from "../../../src/core/task.ts";
import type { LazyEngine } from "../../../src/vscode/engine.ts";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";
import { summary, taskRecord, taskSummary } from "../storage/support.ts";

type Tree = Pick<typeof import("../../../src/vscode/agents/agentsTree.ts"), "AgentsTree"> &
	Pick<typeof import("../../../src/vscode/agents/taskItems.ts"), "taskTreeItem">;
interface Item {
	id: string;
	label: string;
	description?: string;
	contextValue: string;
	collapsibleState: number;
	iconPath?: { id: string };
	tooltip?: { value: string };
	command?: { command: string; arguments: unknown[] };
	accessibilityInformation: { label: string };
}
interface Row {
	item: Item;
	below: Row[];
}

/** Newest first, as lists are. */
const task = (id: string, state: TaskState, session = "talk", copied?: true) =>
	taskSummary(id, taskRecord(state, session, copied && { copied }), { name: id });
const labels = (rows: Row[]): unknown[] =>
	rows.map(({ item, below }) => (below.length === 0 ? item.label : [item.label, ...labels(below)]));

describe("the tree", () => {
	let at: Tree;
	before(async () => {
		at = await onEditorWindow<Tree>("taskRows", "src/vscode/agents/agentsTree.ts", "src/vscode/agents/taskItems.ts");
	});

	/** All rows of the tree, as the editor asks for them. */
	async function drawn(tasks: SessionSummary[], sessions = [summary("talk", { name: "talk" })], pending: string[] = []) {
		const listed: string[] = [];
		const definition = { agentId: "default", displayName: "General Assistant" };
		const engine = {
			sessions: {
				services: {
					registry: { catalog: () => ({ agents: [{ definition, source: { kind: "builtin" }, notes: [] }], broken: [], waiting: [] }) },
				},
				policy: { roles: () => [] },
				list: async () => [...sessions],
				tasks: async () => tasks,
				running: async () => [],
			},
			skills: { now: () => ({ waiting: [], broken: [] }) },
			lastShownSession: async () => undefined,
		};
		const tree = new at.AgentsTree({
			engine: { load: async () => engine, current: () => engine } as unknown as LazyEngine,
			memory: { get: () => undefined, update: async () => undefined },
			attention: { isPending: (id: string) => pending.includes(id) } as never,
			first: async () => [],
			listed: (all) => void listed.push(...all.map(({ sessionId }) => sessionId)),
		});
		const rowsOf = async (node?: Parameters<typeof tree.getChildren>[0]): Promise<Row[]> =>
			Promise.all(
				(await tree.getChildren(node)).map(async (child) => ({
					item: (await tree.getTreeItem(child)) as unknown as Item,
					below: await rowsOf(child),
				})),
			);
		/** The ids of the rows from that session or task to the top, as the editor finds it, and its options. */
		const revealed = async (sessionId: string, visible = true): Promise<string[]> => {
			const path: string[] = [];
			const reveal = async (found: Parameters<typeof tree.getParent>[0]): Promise<void> => {
				for (let node: typeof found | undefined = found; node; node = await tree.getParent(node))
					path.push(((await tree.getTreeItem(node)) as unknown as Item).id);
			};
			await tree.revealSession(sessionId, { visible, selection: [], reveal } as never);
			return path;
		};
		/** Resolves with its id once a session's row is selected. */
		const selected = (sessionId: string): Promise<string> =>
			new Promise((resolve, reject) => {
				const reveal = async (found: Parameters<typeof tree.getTreeItem>[0]) =>
					resolve(((await tree.getTreeItem(found)) as unknown as Item).id);
				tree.revealSession(sessionId, { visible: true, selection: [], reveal } as never).catch(reject);
			});
		return { rows: await rowsOf(), listed, revealed, selected };
	}

	it("selects a session that was created a moment ago, once it has a row", async () => {
		const sessions = [summary("talk", { name: "talk" })];
		const { selected } = await drawn([], sessions);
		const first = await selected("talk");
		sessions.push(summary("new", { name: "new" }));
		assert.deepEqual([first, await selected("new")], ["session:talk", "session:new"]);
	});

	it("has each task below the session, or the task, that started it, and counts all of them", async () => {
		const { rows, listed } = await drawn([task("below", "running", "work"), task("work", "done"), task("other", "failed")]);
		assert.deepEqual(labels(rows), [["General Assistant", ["talk", ["work", "below"], "other"]]]);
		assert.deepEqual(listed, ["talk", "below", "work", "other"]);
	});

	it("shows the latest five finished tasks and all that are not over, and the others in one more row", async () => {
		const finished = Array.from({ length: 20 }, (_, index) => task(`over-${index}`, "done"));
		const { rows } = await drawn([...finished, task("runs", "running"), task("asks", "waiting")]);
		const below = rows[0]?.below[0]?.below ?? [];
		const shown = ["over-0", "over-1", "over-2", "over-3", "over-4", "runs", "asks"];
		assert.deepEqual(labels(below), [...shown, ["Older Tasks", ...Array.from({ length: 15 }, (_, index) => `over-${index + 5}`)]]);
		const older = below.at(-1)?.item;
		assert.deepEqual(
			[older?.description, older?.collapsibleState, older?.accessibilityInformation.label],
			["15", 1, "15 older background tasks"],
		);
		assert.deepEqual(labels((await drawn(finished.slice(0, 6))).rows[0]?.below[0]?.below ?? []).length, 6);
	});

	it("keeps a finished task in sight while one that it started is not over", async () => {
		const finished = Array.from({ length: 9 }, (_, index) => task(`over-${index}`, "done"));
		const { rows } = await drawn([task("runs", "running", "over-8"), ...finished]);
		const below = rows[0]?.below[0]?.below ?? [];
		assert.deepEqual(labels(below).at(-2), ["over-8", "runs"]);
		assert.equal(rows[0]?.below[0]?.item.collapsibleState, 2);
	});

	it("shows a task whose session is gone, and tasks that name each other, once, below an agent", async () => {
		const tasks = [task("a", "done", "b"), task("b", "done", "a"), task("lost", "interrupted", "gone"), task("child", "done", "lost")];
		const { rows } = await drawn(tasks);
		assert.deepEqual(labels(rows), [
			["General Assistant", "talk"],
			["main", ["lost", "child"], ["a", "b"]],
		]);
		assert.deepEqual(labels((await drawn(tasks.slice(2), [])).rows), ["General Assistant", ["main", ["lost", "child"]]]);
	});

	it("selects the session or task that a chat shows, below its session, the task that started it, older ones, or its agent", async () => {
		const tasks = [
			...["1", "2", "3", "4", "5", "6", "7", "8"].map((id) => task(id, "done")),
			task("inner", "done", "2"),
			task("lost", "done", "gone"),
		];
		const agent = "agent:default";
		for (const [id, path] of [
			["talk", ["session:talk:tasks", agent]],
			["1", ["task:1", "session:talk:tasks", agent]],
			["7", ["task:7", "tasks:talk", "session:talk:tasks", agent]],
			["inner", ["task:inner", "task:2:tasks", "session:talk:tasks", agent]],
			["lost", ["task:lost", "agent:main"]],
			["none", []],
		] as const)
			assert.deepEqual(await (await drawn(tasks)).revealed(id), path, id);
		assert.deepEqual(await (await drawn(tasks)).revealed("1", false), []);
	});

	it("says of a session how many of its tasks are not over, and opens while there are some", async () => {
		const item = async (...tasks: SessionSummary[]) => (await drawn(tasks)).rows[0]?.below[0]?.item;
		const [idle, ended, one, two] = await Promise.all([
			item(),
			item(task("a", "done")),
			item(task("a", "running")),
			item(task("a", "running"), task("b", "queued")),
		]);
		assert.deepEqual(
			[idle, ended, one, two].map((each) => [
				each?.id,
				each?.collapsibleState,
				/(\w+ background tasks?)/.exec(each?.description ?? "")?.[1],
			]),
			[
				["session:talk", 0, undefined],
				["session:talk:tasks", 1, undefined],
				["session:talk:tasks", 2, "1 background task"],
				["session:talk:tasks", 2, "2 background tasks"],
			],
		);
	});

	it("opens a session while one of its latest tasks can be continued", async () => {
		const finished = Array.from({ length: 9 }, (_, index) => task(`over-${index}`, "done"));
		const stateOf = async (...tasks: SessionSummary[]) => (await drawn(tasks)).rows[0]?.below[0]?.item.collapsibleState;
		assert.equal(await stateOf(task("a", "interrupted"), ...finished), 2);
		assert.equal(await stateOf(task("b", "interrupted", "a"), task("a", "done")), 2);
		assert.equal(await stateOf(...finished, task("old", "interrupted")), 1);
	});

	it("says a task's state and time, and opens its transcript", async () => {
		const words = ["Queued", "Running", "Needs information", "Completed", "Failed", "Interrupted", "Stopped"];
		const { rows } = await drawn(TASK_STATES.map((state) => task(state, state)));
		const items = rows[0]?.below[0]?.below.map(({ item }) => item) ?? [];
		assert.deepEqual(
			items.map(({ description }) => description?.split(" · ")[0]),
			words,
		);
		assert.equal(new Set(items.map(({ iconPath }) => iconPath?.id)).size, words.length);
		for (const [index, state] of TASK_STATES.entries()) {
			const item = items[index];
			assert.deepEqual(item?.command?.arguments, [{ sessionId: state }]);
			assert.match(item?.accessibilityInformation.label ?? "", new RegExp(`^${state}, background task, ${words[index]}, \\d+ weeks ago$`));
			assert.equal(item?.contextValue, ["queued", "running", "waiting"].includes(state) ? "task" : "task.over");
		}
	});

	it("says of a task that it needs the user, or works in a copy of the workspace", async () => {
		const { rows } = await drawn([task("asks", "running", "talk", true)], undefined, ["asks"]);
		const item = rows[0]?.below[0]?.below[0]?.item;
		assert.match(item?.description ?? "", /^needs your attention · /);
		assert.match(item?.accessibilityInformation.label ?? "", /needs your attention, in a copy of the workspace/);
		assert.match(item?.tooltip?.value ?? "", /in&nbsp;a&nbsp;copy&nbsp;of&nbsp;the&nbsp;workspace/);
	});
});
