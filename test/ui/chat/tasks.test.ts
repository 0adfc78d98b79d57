// Background tasks: their cards, requests that are answered from the calling chat, and the chat of a task.
import assert from "node:assert/strict";
import { boxOf, type ChatPage, clickByScript, continueSession, hasFocus, openChat, showSnapshot, textOf } from "../browser.ts";
import { type ChatState, event } from "../states/events.ts";
import { approval, begun, changes, copies, listed, taskStates, working } from "../states/tasks.ts";

async function opened({ update, after = [] }: ChatState): Promise<ChatPage> {
	const page = await showSnapshot(await openChat({ reducedMotion: "reduce" }), update);
	await page.sendAll(after);
	await page.posted();
	return page;
}

const NAME = "Find out why the tests are slow";
const cardIn = ({ chat }: ChatPage) => chat.getByRole("region", { name: `Background task: ${NAME}` });
const ready = ({ chat }: ChatPage) => chat.waitForFunction(() => !document.querySelector("[data-pending] [aria-disabled=true]"));
const takeable = ({ chat }: ChatPage) => chat.waitForFunction(() => !document.querySelector(".task-change-list [aria-disabled=true]"));

it("a task's card shows what it does, opens it and stops it", async () => {
	const page = await opened(taskStates.taskRunning);
	const card = cardIn(page);
	await card.getByText("Running", { exact: true }).waitFor();
	await card.getByText("takes 14 of 22 seconds").waitFor();
	await card.getByText("general · 9 steps").waitFor();
	await card.getByRole("button", { name: `Open ${NAME}` }).click();
	await card.getByRole("button", { name: `Stop ${NAME}` }).click();
	assert.equal(await card.getByRole("button", { name: /^Continue/ }).count(), 0);
	assert.deepEqual(await page.posted(), [
		{ type: "openSession", session: "k1" },
		{ type: "stopTask", session: "s1", task: "k1" },
	]);
});

it("an interrupted, failed or stopped task can be continued from its card", async () => {
	const page = await opened(taskStates.taskInterrupted);
	await cardIn(page).getByText("Interrupted").waitFor();
	assert.equal(await cardIn(page).locator(".buttons button").first().textContent(), "Continue");
	await cardIn(page)
		.getByRole("button", { name: `Continue ${NAME}` })
		.click();
	assert.deepEqual(await page.posted(), [{ type: "continueTask", session: "s1", task: "k1" }]);
	for (const [state, label, acts] of [
		["taskDone", "Completed", 0],
		["taskFailed", "Failed", 1],
		["taskStopped", "Stopped", 1],
	] as const) {
		const card = cardIn(await opened(taskStates[state]));
		await card.getByText(label, { exact: true }).waitFor();
		assert.deepEqual(await card.getByRole("button", { name: /^(Stop|Continue)/ }).count(), acts, state);
	}
});

it("a task's approval says who started what, and is answered in the task", async () => {
	const page = await opened(taskStates.taskApproval);
	await cardIn(page).getByText("Waiting for you: Run npm run bench").waitFor();
	const card = page.chat.getByRole("group", { name: "Approval: Run npm run bench" });
	await card.getByText(`General Assistant started the background task “${NAME}”`).waitFor();
	await ready(page);
	await card.getByRole("button", { name: "Allow", exact: true }).click();
	const { request } = approval.event as { request: string };
	assert.deepEqual(await page.posted(), [
		{ type: "answer", session: "k1", request, hash: "hash-task", token: "token-1", answer: { allow: true } },
	]);
	await page.send(working({}, []));
	assert.equal(await card.count(), 0);
});

it("a task's question is asked once and answered in the task", async () => {
	const page = await opened(taskStates.taskInformation);
	await cardIn(page).getByText("Needs information: Is the database").waitFor();
	await ready(page);
	await page.chat.getByRole("button", { name: "Yes, a real one" }).click();
	const [answer] = (await page.posted()) as { type: string; session: string; answer: unknown }[];
	assert.deepEqual([answer?.type, answer?.session, answer?.answer], ["answer", "k1", { value: "yes" }]);
});

it("a task's card says which tool calls ran, and counts each file once", async () => {
	const edit = (id: string, path: string, status?: "ok" | "denied") => ({
		call: { id, name: "update_file", input: { path } },
		...(status && { status, durationMs: 20 }),
	});
	const test = { call: { id: "x4", name: "execute_command", input: { command: "npm test" } } };
	const waits = { state: "waiting" } as const;
	const twice = [edit("x1", "src/a.ts", "ok"), edit("x2", "src/a.ts", "ok"), edit("x3", "src/b.ts", "ok")];
	for (const [state, update, line] of [
		[
			taskStates.taskApproval,
			working({ ...waits, tools: [edit("x1", "src/a.ts"), edit("x2", "src/b.ts")] }, [approval]),
			"Waiting: Edit src/a.ts",
		],
		[taskStates.taskApproval, working({ ...waits, tools: [...twice, test] }, [approval]), "Edited 2 files · Waiting: Run npm test"],
		[taskStates.taskRunning, working({ tools: [...twice, test] }), "Edited 2 files · Running npm test"],
		[taskStates.taskRunning, working({ tools: [edit("x1", "src/a.ts", "denied")] }), "Denied: Edit src/a.ts"],
		[taskStates.taskInterrupted, working({ tools: [...twice, test] }), "Edited 2 files"],
		[taskStates.taskInterrupted, working({ tools: [test] }), "Interrupted: Run npm test"],
	] as const) {
		const page = await opened({ ...state, after: [update] });
		const shown = cardIn(page).locator(".called .line .about").nth(1);
		assert.equal(await textOf(shown), line);
	}
});

it("the request on a task's card is one line with hidden characters escaped", async () => {
	const { update } = taskStates.taskQueued;
	const events = begun(NAME, " Do this.\n\nPlease:\r\n\t- b\u202e  c\n");
	const page = await opened({ update: { ...update, events } });
	assert.equal(await textOf(cardIn(page).locator(".called .line .about").first()), "Do this. Please: - b\\u{202e} c");
});

it("a task's message is named by the task and leads to it", async () => {
	const { chat, posted } = await opened(taskStates.taskDone);
	const message = chat.getByRole("article", { name: NAME });
	await message.getByText(`“${NAME}” reported`).waitFor();
	assert.doesNotMatch(await textOf(message), /Background task k1/);
	await message.getByRole("button", { name: `Open ${NAME}` }).click();
	assert.deepEqual(await posted(), [{ type: "openSession", session: "k1" }]);
});

it("a task's own chat has a message box, but no roles or agents to choose", async () => {
	const { chat } = await opened(taskStates.taskOwn);
	await chat.getByText("General Assistant asked").waitFor();
	assert.equal(await chat.locator("#message").count(), 1);
	assert.equal(await chat.getByRole("radiogroup", { name: "Role" }).count(), 0);
	assert.equal(await chat.getByRole("combobox", { name: "Agent" }).count(), 0);
});

it("a screen reader hears each change of a task once", async () => {
	const before = begun();
	const page = await opened({ update: { ...taskStates.taskQueued.update, events: before } });
	await continueSession(page, before)(event("task", { task: "k1", state: "done", name: NAME, text: "Three files." }));
	const said = await textOf(page.chat.getByRole("status").last());
	assert.match(said, /Background task “Find out why the tests are slow”: Completed\. Three files\./);
});

it("a task's card says how much its copy has changed and lists the changes", async () => {
	const page = await opened(taskStates.taskChanged);
	const card = cardIn(page);
	await card.getByText("6 files changed").waitFor();
	await card.getByText("+16").waitFor();
	const review = card.getByRole("button", { name: `Review Changes of ${NAME}` });
	assert.equal(await review.getAttribute("aria-expanded"), "false");
	await review.click();
	await card.getByText("Reading changes…").waitFor();
	assert.deepEqual(await page.posted(), [{ type: "listTaskChanges", session: "s1", task: "k1", on: true }]);
	await page.send(listed());
	const list = card.getByRole("group", { name: `Changes of ${NAME}` });
	for (const [group, files] of [
		["Changes", 3],
		["Changed in your workspace meanwhile", 1],
		["Protected, to be taken one by one", 1],
		["Can't be taken", 1],
	] as const)
		assert.equal(await list.getByRole("group", { name: group, exact: true }).locator(".task-change").count(), files, group);
	await list.getByText("2 files that Git ignores stay in the copy, such as").waitFor();
	await card.getByRole("button", { name: `Hide Changes of ${NAME}` }).click();
	assert.equal(await list.count(), 0);
	assert.deepEqual(await page.posted(), [{ type: "listTaskChanges", session: "s1", task: "k1", on: false }]);
});

it("the list of a task's changes opens with its beginning in view", async () => {
	const page = await showSnapshot(await openChat({ reducedMotion: "reduce", width: 300, height: 600 }), taskStates.taskReview.update);
	await page.send(copies());
	await page.chat.getByRole("button", { name: `Review Changes of ${NAME}` }).click();
	await cardIn(page).getByText("Reading changes…").waitFor();
	await page.send(listed());
	const { y: top, height } = await boxOf(page.chat.locator(".scroller"));
	for (const name of [/^Hide Changes/, /cart\.test\.ts$/, /freePort\.ts$/]) {
		const { y } = await boxOf(cardIn(page).getByRole("button", { name }).first());
		assert.ok(y >= top && y < top + height, `${name} at ${y} of ${top} to ${top + height}`);
	}
});

it("a task's changes can be taken all at once, by file, or by part", async () => {
	const taken = { type: "takeTaskChanges", session: "s1", task: "k1", token: "token-1" };
	const { shown } = changes[0] ?? assert.fail();
	for (const [button, posted] of [
		[`Take All Changes of ${NAME}`, { ...taken, shown: "a".repeat(64) }],
		["Take AGENTS.md", { ...taken, shown, path: "AGENTS.md" }],
		["Take Part 2 of test/checkout/cart.test.ts", { ...taken, shown, path: "test/checkout/cart.test.ts", hunks: [1] }],
	] as const) {
		const page = await opened(taskStates.taskReview);
		await taskStates.taskReview.act?.(page);
		const card = cardIn(page);
		await card.getByRole("button", { name: /^Edited: test\/checkout\/cart/ }).click();
		await takeable(page);
		await page.posted();
		const take = card.getByRole("button", { name: button, exact: true });
		await clickByScript(take);
		assert.deepEqual(await page.posted(), []);
		await take.click();
		await take.click({ force: true });
		assert.deepEqual(await page.posted(), [posted], "a second click comes too soon");
	}
});

it("a task's changes can't be taken again while they are being taken", async () => {
	const page = await opened(taskStates.taskTaking);
	await taskStates.taskTaking.act?.(page);
	const card = cardIn(page);
	await card.getByText("Taking changes…").waitFor();
	assert.equal(await card.getByText(/files changed/).count(), 0);
	const all = card.getByRole("button", { name: `Take All Changes of ${NAME}` });
	assert.equal(await all.getAttribute("aria-disabled"), "true");
	await page.posted();
	await all.click({ force: true });
	assert.deepEqual(await page.posted(), []);
	await page.send(copies({ files: 2 }));
	await card.getByText("2 files changed").waitFor();
	await takeable(page);
	await all.click();
	assert.equal((await page.posted()).length, 1);
});

it("a second click on Review Changes hides the changes again and takes nothing", async () => {
	const page = await opened({ ...taskStates.taskReview, after: [copies({ files: 1 }), listed(changes.slice(1, 2))] });
	const review = cardIn(page).getByRole("button", { name: `Review Changes of ${NAME}` });
	const { x, y, width, height } = await boxOf(review);
	await page.chat.mouse.click(x + width / 2, y + height / 2);
	const take = cardIn(page).getByRole("button", { name: /^Take All/ });
	await take.click({ force: true });
	await page.chat.mouse.click(x + width / 2, y + height / 2);
	assert.equal(await take.count(), 0);
	assert.ok((await page.posted()).every(({ type }) => type === "listTaskChanges"));
});

it("a task's file that the person changed meanwhile is merged in an editor", async () => {
	const page = await opened(taskStates.taskReview);
	await taskStates.taskReview.act?.(page);
	await page.posted();
	const card = cardIn(page);
	const merged = "src/components/checkout/totals/money.ts";
	assert.equal(await card.getByRole("button", { name: `Take ${merged}` }).count(), 0);
	await card.getByRole("button", { name: `Merge ${merged}` }).click();
	await card.getByRole("button", { name: `Edited: ${merged}` }).click();
	await card.getByRole("button", { name: `Mark ${merged} as Resolved…` }).click();
	await card.getByRole("button", { name: `Open All Changes of ${NAME}` }).click();
	assert.deepEqual(await page.posted(), [
		{ type: "openTaskChange", session: "s1", task: "k1", path: merged },
		{ type: "discardTaskChanges", session: "s1", task: "k1", change: { path: merged, shown: "b".repeat(64) } },
		{ type: "openTaskChange", session: "s1", task: "k1" },
	]);
	const refused = card.getByRole("group", { name: "Can't be taken" });
	await refused.getByRole("button", { name: /latest/ }).click();
	await refused.getByText("latest is a link, and only files are taken.").waitFor();
	assert.equal(await refused.getByRole("button").count(), 1);
});

it("a task's card can discard its changes and then says that the copy is gone", async () => {
	const page = await opened(taskStates.taskReview);
	await taskStates.taskReview.act?.(page);
	await page.posted();
	const card = cardIn(page);
	await card.getByRole("button", { name: `Discard Changes of ${NAME}…` }).click();
	assert.deepEqual(await page.posted(), [{ type: "discardTaskChanges", session: "s1", task: "k1" }]);
	await page.send(copies({ state: "gone" }));
	await card.getByText("The task's copy of the workspace was deleted, so the task can't go on.").waitFor();
	assert.equal(await card.getByRole("button", { name: /Review|Hide|Discard|Take/ }).count(), 0);
});

it("a task's card says if no files changed or if its changes can't be read", async () => {
	await cardIn(await opened(taskStates.taskUnchanged))
		.getByText("No files changed")
		.waitFor();
	const kept = cardIn(await opened(taskStates.taskOnlyIgnored));
	await kept.getByText("2 files that Git ignores stay in the copy, such as").waitFor();
	await kept.getByRole("button", { name: `Delete Copy of ${NAME}…` }).waitFor();
	assert.equal(await kept.getByText("No files changed").count(), 0);
	const page = await opened(taskStates.taskCopyUnreadable);
	await cardIn(page).getByText("The copy is damaged").waitFor();
	await cardIn(page)
		.getByRole("button", { name: `Delete Copy of ${NAME}…` })
		.click();
	assert.deepEqual(await page.posted(), [{ type: "discardTaskChanges", session: "s1", task: "k1" }]);
});

it("a task's own chat offers Keep and Undo only for changes in the workspace", async () => {
	const here = (await opened(taskStates.taskOwnEditedHere)).chat.getByRole("group", { name: "Changed src/a.ts" });
	assert.deepEqual(await here.getByRole("button").allTextContents(), ["Review", "Keep", "Undo"]);
	const copied = await opened(taskStates.taskOwnEdited);
	await copied.chat.getByRole("button", { name: `Review Changes of ${NAME}` }).waitFor();
	const there = copied.chat.getByRole("group", { name: "Changed src/a.ts" });
	assert.match((await there.textContent()) ?? "", /Changed src\/a\.ts/);
	assert.equal(await there.getByRole("button").count(), 0);
});

it("a task's own chat shows its changes above the message box", async () => {
	const page = await opened(taskStates.taskOwnChanged);
	const panel = page.chat.getByRole("region", { name: `Changes of ${NAME}` });
	await panel.getByText("6 files changed").waitFor();
	await page.chat.bringToFront();
	await page.send({ type: "focus", where: "changes" });
	const hide = panel.getByRole("button", { name: `Hide Changes of ${NAME}` });
	await hide.waitFor();
	assert.ok(await hasFocus(hide));
	assert.deepEqual(await page.posted(), [{ type: "listTaskChanges", session: "s1", task: "s1", on: true }]);
});

it("all changes in a task's own chat can be reached while a diff is open", async () => {
	const page = await opened(taskStates.taskOwnReviewOpen);
	await taskStates.taskOwnReviewOpen.act(page);
	const panel = page.chat.getByRole("region", { name: `Changes of ${NAME}` });
	for (const width of [240, 300, 380, 800, 1200]) {
		await page.chat.setViewportSize({ width, height: 900 });
		const { x: left, width: wide } = await boxOf(panel);
		for (const name of [/^Hide Changes of/, /^Take All/, /^Merge/, /^Take Part 2/]) {
			const { x, width: own } = await boxOf(panel.getByRole("button", { name }));
			assert.ok(x >= left && x + own <= left + wide, `${name} at ${width}`);
		}
		const { x } = await boxOf(panel.getByRole("group", { name: `Changes of ${NAME}` }));
		assert.ok(x < left + 20, `a second column at ${width}`);
	}
});

it("the text of all parts of a change begins at the same column", async () => {
	const page = await opened(taskStates.taskOwnReviewOpen);
	await taskStates.taskOwnReviewOpen.act(page);
	const indents = await page.chat
		.getByRole("group", { name: /^Part \d of test\/checkout\/cart/ })
		.locator(".diff-line.same")
		.evaluateAll((lines) => lines.map((line) => getComputedStyle(line).paddingInlineStart));
	assert.deepEqual([indents.length, new Set(indents).size], [5, 1]);
});

it("a command leads to a task's changes even if they are read later", async () => {
	const page = await opened(taskStates.taskOwn);
	await page.chat.bringToFront();
	await page.send({ type: "focus", where: "changes" });
	await page.send(copies({ task: "s1" }));
	assert.ok(await hasFocus(page.chat.getByRole("button", { name: `Hide Changes of ${NAME}` })));
});

it("a task that was denied something can be continued in a wider role", async () => {
	const page = await opened(taskStates.taskDenied);
	const card = cardIn(page);
	await card.getByText("The role Planner didn't allow: Edit test/checkout/cart.test.ts, Create test/freePort.ts, Run npm test").waitFor();
	const button = card.getByRole("button", { name: `Continue as Commander: ${NAME}` });
	await page.chat.waitForFunction(() => !document.querySelector(".agent-call [aria-disabled=true]"));
	await clickByScript(button);
	assert.deepEqual(await page.posted(), []);
	await button.focus();
	await page.chat.keyboard.press("Enter");
	const posted = { type: "continueTaskAs", session: "s1", task: "k1", role: "commander", token: "token-1" };
	assert.deepEqual(await page.posted(), [posted]);
	await page.chat.keyboard.press("Enter");
	assert.deepEqual(await page.posted(), [], "a second press comes too soon");
});

it("a task's own chat offers the wider role above the message box", async () => {
	const page = await opened(taskStates.taskOwnDenied);
	const panel = page.chat.getByRole("region", { name: `Denied in ${NAME}` });
	await panel.getByText(/^The role Planner didn't allow/).waitFor();
	await page.chat.waitForFunction(() => !document.querySelector(".task-panel [aria-disabled=true]"));
	await panel.getByRole("button", { name: `Continue as Commander: ${NAME}` }).click();
	assert.deepEqual(await page.posted(), [{ type: "continueTaskAs", session: "s1", task: "s1", role: "commander", token: "token-1" }]);
});
