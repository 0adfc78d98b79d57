// Tests background tasks in a real VS Code: questions, approvals, a reload, their changes, and four at once.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "./expect.ts";
import { isTask, listNews, type ScriptedTask, updating } from "./taskModel.ts";
import { useTaskWindows } from "./taskWindows.ts";
import { takeScreenshot, takeScreenshots } from "./testWindow.ts";

const SLOW = "Find out why the tests are slow";
const TIDY = "Tidy up the prices";
const QUESTION = "Which tests do you mean?";
describe("background tasks", function () {
	this.timeout(300_000);
	const { open, closed, requests } = useTaskWindows();

	it("a background task asks in its caller's chat and can be continued after a reload", async () => {
		const measure = closed({
			calls: [{ name: "need_more_info", input: { question: QUESTION, options: ["Those of the cart", "All of them"] } }],
		});
		const slow: ScriptedTask = {
			name: SLOW,
			input: "Measure each test file and say what it waits for.",
			answers: [
				{ text: "I read how the tests are run.", calls: [{ name: "read_file", input: { path: "package.json" } }] },
				measure.answer,
				{ text: "I measure all of them.", calls: [{ name: "execute_command", input: { command: "npm test" } }] },
				{ text: "The tests are not slow: all of them take a second." },
			],
		};
		const tidied = closed({ text: "The prices are tidy." });
		const tidy: ScriptedTask = {
			name: TIDY,
			input: "Give the prices better names.",
			answers: [
				{ text: "I rename the width first.", calls: [updating("src/invoice.ts", "const width = 40;", "const columns = 40;")] },
				tidied.answer,
			],
		};
		const testWindow = await open([slow, tidy]);
		const { chat, workbench, page, tree, folder } = testWindow;

		await chat.message(`${SLOW}, in the background`);
		await chat.task(SLOW).is("Running");
		await chat.task(SLOW).card.getByText("I read how the tests are run.").waitFor();
		await chat
			.task(SLOW)
			.card.getByText(/1 step/)
			.waitFor();
		await chat.text("It works in the background.").waitFor();
		await chat.waitUntilIdle();
		await tree.item(new RegExp(`^${SLOW}, background task, Running`)).waitFor();
		await page.getByRole("button", { name: `1 background task, ${SLOW}: Running` }).waitFor();
		await takeScreenshots(testWindow, "task-running");

		measure.gate.open();
		await chat.task(SLOW).is(`Needs information: ${QUESTION}`);
		await chat.text(`I heard that “${SLOW}” needs information.`).waitFor();
		await chat.waitUntilIdle();
		await chat.message("Hello");
		await chat.text("I am here.").waitFor();
		await chat.waitUntilIdle();
		await takeScreenshots(testWindow, "task-waiting", () => chat.task(SLOW).card.scrollIntoViewIfNeeded());
		await chat.question(QUESTION).choose("All of them");
		const approval = chat.approval("Run npm test");
		await approval.waitUntilSettled();
		await approval.card.getByText(`started the background task “${SLOW}”`).waitFor();
		await takeScreenshot(page, "task-approval");
		await approval.allow();
		await chat.task(SLOW).is("Completed");
		await chat.text(`I heard that “${SLOW}” is done.`).waitFor();
		await chat.waitUntilIdle();

		await chat.message(`${TIDY}, in the background`);
		await chat.task(TIDY).is("Running");
		await chat.task(TIDY).card.getByText("I rename the width first.").waitFor();
		await expect
			.poll(() => requests().filter(isTask).at(-1)?.messages.at(-1)?.role, { message: "its next step is asked for" })
			.toBe("tool");
		await chat.waitUntilIdle();
		await workbench.reloadWindow();
		await workbench.sideBar.shows("Troupe");
		await chat.task(TIDY).is("Interrupted");
		await chat
			.task(TIDY)
			.card.getByText(/1 step/)
			.waitFor();
		await chat.text(`I heard that “${TIDY}” was interrupted.`).waitFor();
		await chat.waitUntilIdle();
		await tree.item(new RegExp(`^${TIDY}, background task, Interrupted`)).waitFor();
		await takeScreenshots(testWindow, "task-interrupted");
		tidied.gate.open();
		await chat.task(TIDY).button("Continue").click();
		await chat.task(TIDY).is("Completed");
		await chat.text(`I heard that “${TIDY}” is done.`).waitFor();
		await chat.waitUntilIdle();
		const last = requests().findLast((request) => !isTask(request));
		assert.deepEqual(last && listNews(last), [
			`${SLOW} needs information`,
			`${SLOW} is done`,
			`${TIDY} was interrupted`,
			`${TIDY} is done`,
		]);
		await tree.item(new RegExp(`^${TIDY}, background task, Completed`)).waitFor();
		await takeScreenshots(testWindow, "task-done");
		assert.match(await readFile(join(folder, "src/invoice.ts"), "utf8"), /const width = 40;/, "the person's file is left alone");
	});

	it("three background tasks run at once, and a fourth waits for its turn", async () => {
		const names = ["Task one", "Task two", "Task three", "Task four"];
		const works = names.map((name) => closed({ text: `${name} has its own copy.` }));
		const tasks = names.map((name, index) => ({
			name,
			input: `Do the work of ${name}.`,
			answers: [
				{ text: "I change a line.", calls: [updating("src/money.ts", "function percentOf(", `function percentOf${index}(`)] },
				works[index]?.answer ?? {},
			],
		}));
		const testWindow = await open(tasks);
		const { chat, page, folder } = testWindow;
		await chat.message(`${names.join(", ")}, please`);
		await Promise.all(names.slice(0, 3).map((name) => chat.task(name).is("Running")));
		await chat.task("Task four").is("Queued");
		await page.getByRole("button", { name: /^4 background tasks, / }).waitFor();
		const atWork = () => requests().filter((request) => isTask(request) && request.messages.at(-1)?.role === "tool").length;
		await expect.poll(atWork, { message: "three are at work" }).toBe(3);
		await chat.task("Task four").is("Queued");
		await takeScreenshot(page, "tasks-four");
		works[1]?.gate.open();
		await chat.task("Task two").is("Completed");
		await chat.task("Task four").is("Running");
		for (const { gate } of works) gate.open();
		await Promise.all(names.map((name) => chat.task(name).is("Completed")));
		await chat.waitUntilIdle();
		assert.match(await readFile(join(folder, "src/money.ts"), "utf8"), /function percentOf\(/, "the person's file is left alone");
		await takeScreenshot(page, "tasks-four-done");
	});
});
