// Tests agents that ask each other in a real VS Code: cards, approvals, a reload, and switching there and back.
import assert from "node:assert/strict";
import type { AskedRequest, ScriptedAnswer } from "../fakes/modelServer/script.ts";
import { type ModelServer, startModelServer } from "../fakes/modelServer/server.ts";
import { expect } from "./expect.ts";
import { createGate } from "./gate.ts";
import { removeMachineSettings, writeMachineSettings } from "./machineSettings.ts";
import { openWindow, type TestWindow, takeScreenshot, takeScreenshots } from "./testWindow.ts";

const NOTES = "Release Notes";
const AGENTS = [
	{
		agentId: "release-notes",
		displayName: NOTES,
		description: "Writes release notes",
		systemPrompt: "You are the writer of release notes.",
	},
];
const ask = (content: string, mode: string) => [{ name: "agents_message", input: { agentId: "release-notes", content, mode } }];

describe("an agent that asks another", function () {
	this.timeout(300_000);
	let server: ModelServer;
	/** Lets the other agent answer. */
	let gate = createGate();

	beforeEach(() => {
		gate = createGate();
	});
	afterEach(async () => {
		gate.open();
		await server?.close();
		await removeMachineSettings();
	});

	/** The asking agent does as it is told; the other one runs the tests first, or waits for the gate. */
	function answer({ messages }: AskedRequest): ScriptedAnswer {
		const system = messages.find(({ role }) => role === "system")?.text ?? "";
		const last = messages.at(-1);
		const said = messages.findLast(({ role }) => role === "user")?.text ?? "";
		if (/write the memory of a coding session/i.test(system)) return { text: "We decided on one sentence per change." };
		if (/writer of release notes/.test(system)) {
			if (/slowly/.test(said)) return { text: "A slow draft.", pace: () => gate.opened };
			if (/Draft the notes/.test(said) && last?.role !== "tool")
				return { calls: [{ name: "execute_command", input: { command: "npm test" } }] };
			return { text: /Draft the notes/.test(said) ? "A draft: formatMoney is new." : "One sentence per change it is." };
		}
		if (last?.role === "tool") return { text: /started/.test(last.text) ? "It works on it." : "Here is the draft." };
		if (/Message from the agent/.test(said)) return { text: /interrupted/.test(said) ? "It was interrupted." : "The slow draft is there." };
		if (/in the background/.test(said)) return { calls: ask("Draft them slowly", "async") };
		if (/Ask the release/.test(said)) return { calls: ask("Draft the notes", "sync") };
		return { text: "I am here." };
	}

	async function open(): Promise<TestWindow> {
		server = await startModelServer({ models: ["fake"], script: answer });
		await writeMachineSettings({
			"troupe.providers": { fake: { type: "openai-compatible", baseUrl: server.url } },
		});
		const testWindow = await openWindow({
			settings: { "troupe.model": "fake/fake", "troupe.agents": AGENTS, "troupe.defaultRole": "actor" },
			height: 1000,
		});
		await testWindow.workbench.sideBar.open("Troupe");
		await testWindow.chat.ready();
		return testWindow;
	}

	it("a called agent's approval appears in the caller's chat, and the caller hears of interruptions", async () => {
		const testWindow = await open();
		const { chat, workbench, page, tree } = testWindow;
		await chat.message("Ask the release-notes agent for a draft");
		await chat.agentCall(NOTES).waitFor();
		await chat.approval("Run npm test").waitUntilSettled();
		await chat.text(`General Assistant called ${NOTES}`).first().waitFor();
		await takeScreenshots(testWindow, "agent-call-approval");
		await chat.approval("Run npm test").allow();
		await chat.text("Here is the draft.").waitFor();
		await chat.waitUntilIdle();
		await chat.agentCall(NOTES).getByText("A draft: formatMoney is new.").waitFor();
		await takeScreenshots(testWindow, "agent-call-done");

		await chat.message("Now in the background, please");
		await chat.text("It works on it.").waitFor();
		await chat.waitUntilIdle();
		const lastMessages = () => server.requests.map(({ messages }) => JSON.stringify(messages.at(-1)));
		await expect.poll(lastMessages, { message: "the other agent is at work" }).toContainEqual(expect.stringMatching(/slowly/));
		await takeScreenshot(page, "agent-call-running");
		await workbench.reload();
		await workbench.sideBar.shows("Troupe");
		await chat.text("It was interrupted.").waitFor();
		await chat.waitUntilIdle();
		await takeScreenshot(page, "agent-call-after-reload");
		assert.equal(await chat.text("It was interrupted.").count(), 1, "the answer comes once");

		await workbench.begin("troupe.switchAgentWithContext");
		await workbench.quickInput.choose(NOTES);
		await workbench.quickInput.choose("Summary");
		await workbench.quickInput.answer("How long should the notes be?");
		await chat.text("One sentence per change it is.").waitFor();
		await chat.waitUntilIdle();
		await takeScreenshot(page, "switched");
		await chat.text("General Assistant asked").first().waitFor();
		await chat.text("A draft: formatMoney is new.").waitFor();
		await takeScreenshot(page, "agent-call-history");
		await tree.view().waitFor();
		await takeScreenshots(testWindow, "agent-call-tree");

		await workbench.reload();
		await workbench.sideBar.shows("Troupe");
		await chat.text("One sentence per change it is.").waitFor();
		await chat.press("Return with Summary");
		await chat.text("Here is the draft.").waitFor();
		await chat.message("Go on with that");
		await chat.text("I am here.").waitFor();
		const asked = JSON.stringify(server.requests.at(-1)?.messages);
		assert.match(asked, /one sentence per change/, "the summary reaches the model");
		await takeScreenshot(page, "returned");
	});
});
