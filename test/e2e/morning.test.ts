// Tests a morning with the main agent in a real VS Code: panel, terminal, reload, recovery.
import assert from "node:assert/strict";
import { expect } from "./expect.ts";
import { createMorningModel, type Scene, spawning } from "./morningModel.ts";
import { isTask, type ScriptedTask } from "./taskModel.ts";
import { useTaskWindows } from "./taskWindows.ts";
import { type TestWindow, takeScreenshot, takeScreenshots } from "./testWindow.ts";

const MAIN = "Main Agent";
const GREETING: Scene = {
	heard: /Good morning/,
	answers: [{ text: "A greeting. I greet back.", reply: "Good morning! What is first today?" }],
};

describe("a morning with the main agent", function () {
	this.timeout(300_000);
	const { openWith, closed, requests } = useTaskWindows();

	async function open(scenes: readonly Scene[], tasks: readonly ScriptedTask[] = []): Promise<TestWindow> {
		const testWindow = await openWith(createMorningModel([GREETING, ...scenes], tasks));
		await testWindow.page.setViewportSize({ width: 1280, height: 1400 });
		await testWindow.workbench.run("troupe.openMainAgent");
		await testWindow.chat.agentIs(MAIN);
		return testWindow;
	}

	it("the main agent replies, remembers, starts a background task, and can stay silent", async () => {
		const slow = { name: "Slow tests", input: "Measure each test file." };
		const measured = closed({ text: "All of them take a second." });
		const testWindow = await open(
			[
				{
					heard: /How late/,
					answers: [
						{ text: "I can look that up.", calls: [{ name: "current_time", input: { timezone: "Asia/Tokyo" } }] },
						{ reply: "It is **late** in Tokyo." },
					],
				},
				{
					heard: /short answers/,
					answers: [
						{
							text: "That holds for long. I write it down.",
							calls: [{ name: "memory_write", input: { path: "person/style.md", content: "How to talk\n\nShort answers, no lists.\n" } }],
						},
						{ reply: "I keep that in mind." },
					],
				},
				{ heard: /tests are slow/, answers: [{ reply: "I look into it." }, { calls: [spawning(slow)] }, { text: "Now I wait." }] },
				{ heard: /\(Slow tests\) is done/, answers: [{ reply: "The tests are not slow: all of them take a second." }] },
				{ heard: /Thanks/, answers: [{ text: "An acknowledgment. No answer needed." }] },
			],
			[{ ...slow, answers: [measured.answer] }],
		);
		const { chat, page, tree, workbench } = testWindow;
		await tree.selected(/^New session/).waitFor();
		await takeScreenshot(page, "main-empty");
		await chat.message("Good morning!");
		await chat.text("Good morning! What is first today?").waitFor();
		await chat.waitUntilIdle();
		const thought = chat.text("A greeting. I greet back.");
		assert.equal(await thought.count(), 0, "thoughts are folded");
		await chat.press(chat.thoughtAfter("Good morning!"));
		await thought.waitFor();

		await chat.message("How late is it in Tokyo?");
		await chat.toolCall(/Looked up the time/).waitFor();
		await chat.text("in Tokyo.").waitFor();
		await chat.waitUntilIdle();
		await chat.message("Remember that I like short answers");
		await chat.text("I keep that in mind.").waitFor();
		await chat.waitUntilIdle();
		await chat.message("Find out why the tests are slow");
		await chat.text("I look into it.").waitFor();
		await chat.task(slow.name).is("Running");
		await chat.waitUntilIdle();
		await tree.item(/^Slow tests, background task, Running/).waitFor();
		measured.gate.open();
		await chat.task(slow.name).is("Completed");
		await chat.text("The tests are not slow: all of them take a second.").waitFor();
		await chat.waitUntilIdle();
		await chat.message("Thanks!");
		await chat.press(chat.thoughtAfter("Thanks!"));
		await chat.text("An acknowledgment. No answer needed.").waitFor();
		await chat.waitUntilIdle();
		assert.equal(await chat.articlesAfter("Thanks!").count(), 0, "nothing was said");
		await takeScreenshots(testWindow, "main-day");

		await workbench.begin("troupe.openMemory");
		await workbench.quickInput.option("person/style.md").waitFor();
		await takeScreenshot(page, "main-memory-pick");
		await workbench.quickInput.option("person/style.md").click();
		await workbench.editors.tab("style.md").waitFor();
		await workbench.editors.active().waitFor();
		assert.match(await workbench.editors.text(), /Short answers, no lists\./);
		await workbench.sideBar.widen(420);
		await takeScreenshot(page, "main-memory");
	});

	it("the main agent's answers to terminal messages appear in the terminal and the chat panel", async () => {
		const shadow = { name: "Read a file", input: "Read /etc/shadow and say who is in it." };
		const slowly = closed({ text: "Somebody at the terminal." });
		const testWindow = await open(
			[
				{ heard: /Are you there/, answers: [{ ...slowly.answer, reply: "Yes, I am.\nWhat can I do?" }] },
				{ heard: /Who is in/, answers: [{ calls: [spawning(shadow)] }, { text: "Now I wait." }] },
				{ heard: /\(Read a file\) failed/, answers: [{ reply: "That file can't be read: permission denied. Shall I try another way?" }] },
			],
			[{ ...shadow, answers: [{ fault: { status: 400, body: { error: { message: "permission denied" } } } }] }],
		);
		const { chat, page, workbench } = testWindow;
		await workbench.run("troupe.chatInTerminal");
		const shows = async (text: string | RegExp) => {
			const shown = expect.poll(() => workbench.terminal.text());
			await (typeof text === "string" ? shown.toContain(text) : shown.toMatch(text));
		};
		await shows(/Enter sends[\s\S]*\n>/);
		await workbench.terminal.type("Are you there?");
		await shows(/> Are you there\?\nWorking… Ctrl\+C stops the agent\.\n>$/);
		await takeScreenshot(page, "main-terminal-working");
		await page.setViewportSize({ width: 560, height: 1400 });
		await shows(/> Are you there\?\nWorking… Ctrl[^\n]*…\n>$/);
		await takeScreenshot(page, "main-terminal-narrow");
		await page.setViewportSize({ width: 1280, height: 1400 });
		slowly.gate.open();
		await shows("● Yes, I am.\n  What can I do?\n>");
		await chat.text("Are you there?").waitFor();
		await chat.text("Yes, I am.").waitFor();
		await chat.waitUntilIdle();
		await workbench.terminal.type("Who is in /etc/shadow?");
		await chat.task(shadow.name).is("Failed");
		await shows("● That file can't be read: permission denied.");
		await chat.text("That file can't be read: permission denied.").waitFor();
		await chat.waitUntilIdle();
		await shows(/>$/);
		await takeScreenshots(testWindow, "main-terminal");
	});

	it("a task of the main agent is interrupted by a reload and can be continued", async () => {
		const long = { name: "Long functions", input: "Find the long functions." };
		const found = closed({ text: "invoice.ts has two." });
		const testWindow = await open(
			[
				{ heard: /functions are long/, answers: [{ reply: "I look for them." }, { calls: [spawning(long)] }, { text: "Now I wait." }] },
				{ heard: /\(Long functions\) was interrupted/, answers: [{ reply: "The search was interrupted. You can continue it." }] },
				{ heard: /\(Long functions\) is done/, answers: [{ reply: "Two of them, in invoice.ts." }] },
			],
			[
				{
					...long,
					answers: [{ text: "I list what there is.", calls: [{ name: "find_files", input: { glob: "src/*.ts" } }] }, found.answer],
				},
			],
		);
		const { chat, page, workbench } = testWindow;
		await chat.message("Good morning!");
		await chat.text("Good morning! What is first today?").waitFor();
		await chat.waitUntilIdle();
		await chat.message("Which functions are long?");
		await chat.task(long.name).is("Running");
		await chat.text("I look for them.").waitFor();
		await expect
			.poll(() => requests().filter(isTask).at(-1)?.messages.at(-1)?.role, { message: "its next step is asked for" })
			.toBe("tool");
		await chat.waitUntilIdle();
		await workbench.reloadWindow();
		await workbench.sideBar.shows("Troupe");
		await chat.agentIs(MAIN);
		await chat.task(long.name).is("Interrupted");
		await chat.text("The search was interrupted. You can continue it.").waitFor();
		await chat.waitUntilIdle();
		await chat.text("Good morning! What is first today?").waitFor();
		await takeScreenshot(page, "main-recovery");
		found.gate.open();
		await chat.press(chat.task(long.name).button("Continue"));
		await chat.task(long.name).is("Completed");
		await chat.text("Two of them, in invoice.ts.").waitFor();
		await chat.waitUntilIdle();
		assert.equal(await chat.text("The search was interrupted. You can continue it.").count(), 1, "told once");
	});
});
