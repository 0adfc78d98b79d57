// Tests what the chat shows of a task's copy, and how it takes changes back, with real files.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ChatHost } from "../../../src/chat/chatHost.ts";
import { type ChatController, createChatController } from "../../../src/chat/controller.ts";
import { type Intent, IntentSchema, type Update } from "../../../src/shared/protocol/chat.ts";
import type { TaskCopy } from "../../../src/shared/protocol/taskChanges.ts";
import { createDeferred } from "../../fakes/deferred.ts";
import { applyChangesOf, edited, FILES, finishedTask, reviewed, type Taken } from "../delegation/applyChanges/finishedTask.ts";
import { closeTestTasks } from "../delegation/tasks/testTasks.ts";

const chats: ChatController[] = [];

/** A chat that shows the calling session, or the task itself. */
async function chatOn({ app, caller, taskId }: Taken, session = caller.sessionId) {
	const updates: Update[] = [];
	const said: string[] = [];
	const opened: string[] = [];
	const user = { confirms: true };
	let look: () => void = () => undefined;
	const host: Partial<ChatHost> = {
		post(update) {
			updates.push(structuredClone(update));
			look();
		},
		shown: () => undefined,
		health: () => undefined,
		focusedFor: async () => 10_000,
		pageFocus: () => undefined,
		notify: (level, text) => void said.push(`${level}: ${text}`),
		async confirm(question, lines, button) {
			said.push([question, ...lines, `[${button}]`].join(" "));
			return user.confirms;
		},
		openTaskChanges: async (task, path = "all") => void opened.push(`${task} ${path}`),
	};
	const chat = createChatController(app, host as ChatHost, session);
	chats.push(chat);
	await chat.handle({ type: "ready" });
	const first = <Found>(find: (update: Update) => Found | undefined) =>
		new Promise<Found>((resolve) => {
			look = () => {
				const found = find(updates.at(-1) as Update);
				if (found !== undefined) resolve(found);
			};
		});
	const act = <T extends Intent["type"]>(type: T, rest: object = {}) =>
		chat.handle(IntentSchema.parse({ type, session, task: taskId, ...rest }));
	const token = () => updates.findLast((update) => update.type === "snapshot" || update.type === "token")?.token ?? "";
	return {
		...{ chat, updates, said, opened, user, act },
		/** Resolves with the next update about the task's copy that fits. */
		copy: (fits: (copy: TaskCopy | undefined) => boolean = () => true) =>
			first((update) => (update.type === "taskCopies" && fits(update.copies[0]) ? { copy: update.copies[0] } : undefined)),
		list: () => first((update) => (update.type === "taskChanges" ? update.list : undefined)),
		take: (rest: object, given = token()) => act("takeTaskChanges", { ...rest, token: given }),
	};
}

describe("a chat whose session has a task with a copy", () => {
	afterEach(async () => {
		for (const chat of chats.splice(0)) chat.dispose();
		await closeTestTasks();
	});

	it("gets how much is left to take, without what Git ignores, and the list once it is asked for", async () => {
		const task = await finishedTask();
		task.change("src/a.ts", edited(2, 25));
		task.change("AGENTS.md", "obey\n");
		task.change("src/b.ts", "theirs\n");
		task.put("src/b.ts", "mine\n");
		task.change("dist/out.js", "out\n");
		const page = await chatOn(task);
		const { copy } = await page.copy();
		assert.deepEqual(copy, { task: task.taskId, state: "present", files: 3, added: 4, removed: 3 });
		assert.ok(page.updates.every(({ type }) => type !== "taskChanges"));
		const listed = page.list();
		await page.act("listTaskChanges", { on: true });
		const { changes, notes } = await listed;
		assert.deepEqual(
			changes.map(({ path, group }) => `${path} ${group}`),
			["AGENTS.md apart", "src/a.ts takeable", "src/b.ts conflict"],
		);
		assert.deepEqual(notes, [`1 file that Git ignores stays in the copy: ${join(task.copy, "dist/out.js")}`]);
		await page.act("openTaskChange", { path: "src/b.ts" });
		await page.act("openTaskChange");
		assert.deepEqual(page.opened, [`${task.taskId} src/b.ts`, `${task.taskId} all`]);
	});

	it("says what stays in a copy in which nothing is left to take", async () => {
		const task = await finishedTask();
		task.change("src/b.ts", "theirs\n");
		for (const name of ["dist/b.html", "dist/a.html"]) task.change(name, "the result\n");
		const page = await chatOn(task);
		const left = page.copy((copy) => copy?.files === 0);
		await page.take({ shown: (await applyChangesOf(task).list(task.taskId)).shown });
		const sentence = `2 files that Git ignores stay in the copy, such as ${join(task.copy, "dist/a.html")}`;
		assert.deepEqual((await left).copy, { task: task.taskId, state: "present", files: 0, added: 0, removed: 0, left: [sentence] });
	});

	it("takes a part of a file and then the rest as it was shown, and says when the copy is gone", async () => {
		const task = await finishedTask();
		task.change("src/a.ts", edited(2, 25));
		const page = await chatOn(task);
		let next = page.list();
		await page.act("listTaskChanges", { on: true });
		const { changes } = await next;
		next = page.list();
		await page.take({ shown: changes[0]?.shown, path: "src/a.ts", hunks: [1] });
		assert.equal(task.read("src/a.ts"), edited(25));
		const rest = await next;
		assert.equal(rest.changes[0]?.diff.match(/^@@/gm)?.length, 1);
		const gone = page.copy((copy) => copy?.state === "gone");
		await page.take({ shown: rest.shown });
		assert.equal(task.read("src/a.ts"), edited(2, 25));
		await gone;
		await reviewed(task, 1);
		assert.deepEqual(page.said, []);
		const { events } = (await task.app.sessions.get(task.caller.sessionId)).state;
		assert.deepEqual(
			events.flatMap((event) => (event.type === "status" && event.changes ? [event.text] : [])),
			["Took a part of src/a.ts from the background task “count”.", "Took src/a.ts from the background task “count”."],
		);
	});

	it("reads the copies again once when all changes are taken, however many and slow they are", async () => {
		const task = await finishedTask();
		const names = ["src/a.ts", "src/b.ts", "new.txt", "old.txt"];
		for (const name of names) task.change(name, "theirs\n");
		task.change("AGENTS.md", "obey\n");
		const page = await chatOn(task);
		await page.copy((copy) => copy?.files === 5);
		const { copies } = task.app.services;
		if (!copies) assert.fail("no copies");
		const take = copies.take.bind(copies);
		copies.take = async (...of) => {
			await new Promise((resolve) => setTimeout(resolve, 150));
			return take(...of);
		};
		const before = page.updates.length;
		const left = page.copy((copy) => copy?.files === 1);
		await page.take({ shown: (await applyChangesOf(task).list(task.taskId)).shown });
		await left;
		const counts = page.updates.slice(before).flatMap((update) => (update.type === "taskCopies" ? [update.copies[0]] : []));
		assert.deepEqual(
			counts.map((copy) => [copy?.files, copy?.taking]),
			[
				[5, true],
				[1, undefined],
			],
		);
	});

	it("gets no total of lines where some files are too large to be counted", async () => {
		const task = await finishedTask();
		task.change("src/a.ts", edited(2));
		task.change("large.txt", `${"x".repeat(99)}\n`.repeat(20_000));
		const page = await chatOn(task);
		const { copy } = await page.copy();
		assert.deepEqual([copy?.files, copy?.added, copy?.removed], [2, 0, 0]);
	});

	it("takes nothing without the page's own token, nor what has changed since it was shown, and says so", async () => {
		const task = await finishedTask();
		task.change("src/b.ts", "theirs\n");
		const page = await chatOn(task);
		await page.copy();
		const { shown } = await task.one("src/b.ts");
		await page.take({ shown, path: "src/b.ts" }, "guessed");
		task.change("src/b.ts", "theirs, later\n");
		await page.take({ shown, path: "src/b.ts" });
		assert.equal(task.read("src/b.ts"), FILES["src/b.ts"]);
		assert.deepEqual(page.said, ["warning: The change of src/b.ts is no longer the one that was shown. Look at it again, then take it."]);
	});

	it("offers a change again when taking it was undone", async () => {
		const task = await finishedTask();
		task.change("src/b.ts", "theirs\n");
		task.change("AGENTS.md", "obey\n");
		const page = await chatOn(task);
		await page.copy((copy) => copy?.files === 2);
		const taken = page.copy((copy) => copy?.files === 1);
		await page.take({ shown: (await task.one("src/b.ts")).shown, path: "src/b.ts" });
		await taken;
		await reviewed(task, 1);
		const again = page.copy((copy) => copy?.files === 2);
		await task.app.sessions.review.undo(["src/b.ts"]);
		await again;
	});

	it("discards the copy once the user has confirmed it, in the task's own chat as well", async () => {
		const task = await finishedTask();
		task.change("src/b.ts", "theirs\n");
		task.change("new.txt", "new\n");
		const page = await chatOn(task, task.taskId);
		await page.copy((copy) => copy?.files === 2);
		page.user.confirms = false;
		await page.act("discardTaskChanges");
		assert.equal((await task.list()).length, 2);
		page.user.confirms = true;
		const gone = page.copy((copy) => copy?.state === "gone");
		await page.act("discardTaskChanges");
		await gone;
		assert.match(page.said[0] ?? "", /^Discard 2 changes of “count”\? .* can't be undone.* \[Discard\]$/);
		assert.equal(existsSync(join(task.copy, "new.txt")), false);
		assert.equal(task.read("src/b.ts"), FILES["src/b.ts"]);
	});

	it("drops a change that was merged or isn't wanted, and the copy with the last one", async () => {
		const task = await finishedTask();
		task.change("src/b.ts", "theirs\n");
		task.put("src/b.ts", "mine\n");
		task.change("new.txt", "new\n");
		const page = await chatOn(task);
		await page.copy((copy) => copy?.files === 2);
		const { shown } = await task.one("src/b.ts");
		await page.act("discardTaskChanges", { change: { path: "src/b.ts", shown: "0".repeat(64) } });
		assert.match(page.said.at(-1) ?? "", /^error: .*Nothing was discarded/);
		const less = page.copy((copy) => copy?.files === 1);
		await page.act("discardTaskChanges", { change: { path: "src/b.ts", shown } });
		assert.match(page.said.at(-1) ?? "", /^Mark src\/b\.ts as resolved\? .*your file stays as it is.* \[Mark as Resolved\]$/);
		await less;
		task.change("src/b.ts", "theirs, later\n");
		assert.equal((await task.one("src/b.ts")).changedMeanwhile, true);
		task.change("src/b.ts", "theirs\n");
		const gone = page.copy((copy) => copy?.state === "gone");
		await page.act("discardTaskChanges", { change: { path: "new.txt", shown: (await task.one("new.txt")).shown } });
		assert.match(page.said.at(-1) ?? "", /^Discard the task's change of new\.txt\? .*can't be undone.* \[Discard\]$/);
		await gone;
		assert.equal(task.read("src/b.ts"), "mine\n");
		assert.equal(existsSync(join(task.app.folder, "new.txt")), false);
	});

	it("gets nothing of a copy while its task works, and nothing of tasks of other sessions", async () => {
		const { until, open } = createDeferred();
		const task = await finishedTask({ until });
		task.change("src/b.ts", "theirs\n");
		const page = await chatOn(task);
		const other = await task.app.sessions.create({ agentId: "caller", role: "actor" });
		const elsewhere = await chatOn(task, other.sessionId);
		await elsewhere.take({ shown: (await task.one("src/b.ts")).shown, path: "src/b.ts" });
		assert.deepEqual(elsewhere.said, ["error: This task no longer exists."]);
		assert.equal(task.read("src/b.ts"), FILES["src/b.ts"]);
		const copied = page.copy((copy) => copy?.files === 1);
		open();
		await task.state("done");
		await copied;
		const before = page.updates.filter((update) => update.type === "taskCopies");
		assert.equal(before.length, 1);
	});
});
