// Tests the suggestions of an empty chat in different kinds of workspaces.
import assert from "node:assert/strict";
import { createChatStatus } from "../../../src/chat/chatStatus.ts";
import { computeSuggestions, getSuggestions } from "../../../src/chat/suggestions.ts";
import type { TestAppOptions } from "../../fakes/testApp.ts";
import { closeTestSessions, openTestSession } from "../session/testSession.ts";

const CODE = { "src/cart.ts": "export function cartTotal() {}\n", "src/money.ts": "export const cent = 1;\n", "test/cart.test.ts": "x\n" };

async function offered(options: Omit<TestAppOptions, "model" | "now">, offline = false): Promise<string[]> {
	const { app } = await openTestSession([], options);
	return computeSuggestions(app.services, offline);
}

describe("an empty chat offers three things", () => {
	afterEach(closeTestSessions);

	it("made of what is there: changes, code without tests, an open TODO", async () => {
		const files = { ...CODE, "src/money.ts": "export const cent = 1;\n// TODO: round\n" };
		const changes = async () => ({ diff: "diff --git a/x b/x", untracked: [], hidden: 0 });
		assert.deepEqual(await offered({ files, facts: { changes } }), [
			"Review my uncommitted changes: @changes",
			"Plan the missing tests for @src/money.ts",
			"Plan how to resolve the TODO in @src/money.ts:2",
		]);
	});

	it("begins with the file that has the most errors", async () => {
		const { app } = await openTestSession([], { files: CODE });
		const { workspace } = app.services.window;
		const problem = (path: string, line: number) => ({ path: `${app.folder}/${path}`, line, severity: "error" as const, message: "no" });
		app.services.window.workspace = {
			...workspace,
			diagnostics: async () => [problem("src/cart.ts", 1), problem("src/money.ts", 1), problem("src/money.ts", 2)],
		};
		assert.equal((await computeSuggestions(app.services, false))[0], "Fix the 2 errors in @src/money.ts");
	});

	it("names the README where there is little else", async () => {
		const [first] = await offered({ files: { "README.md": "# Hello\n" } });
		assert.equal(first, "Explain what this project does and how it is built, from @README.md");
	});

	it("always comes to three, in a bare folder too", async () => {
		assert.equal((await offered({})).length, 3);
	});

	it("keeps to what the offline model can do", async () => {
		assert.deepEqual(await offered({ files: CODE }, true), [
			"Explain cart.ts",
			"Find where cartTotal is used",
			"Rename cartTotal to cartTotal2 everywhere",
		]);
		assert.deepEqual(await offered({}, true), ["List the files here", "Find TODO", "Run the tests"]);
	});

	it("keeps to it as well while the first message is to decide on the model", async () => {
		const { app, summary } = await openTestSession([], { files: CODE });
		const { services } = app.sessions;
		const { model } = services;
		services.model = async (...asked) => ({ ...(await model(...asked)), undecided: true });
		const around = (later: () => void) => createChatStatus(app.sessions, summary.sessionId, undefined, later);
		await new Promise<void>((resolve, reject) => void around(resolve).catch(reject));
		assert.equal((await around(() => undefined)).suggestions?.[0], "Explain cart.ts");
	});

	it("does not hold up the chat: what is found comes a moment later, once", async () => {
		const { app } = await openTestSession([], { files: CODE });
		let told = 0;
		await new Promise<void>((resolve) => {
			const now = getSuggestions(app.services, true, () => {
				told += 1;
				resolve();
			});
			assert.deepEqual(now, []);
		});
		assert.equal(getSuggestions(app.services, true, () => assert.fail("it was known")).length, 3);
		assert.equal(told, 1);
	});

	it("are things to talk about with the main agent, which the offline model can't", async () => {
		const { app } = await openTestSession([], { files: CODE });
		const { sessionId } = await app.sessions.latest("main");
		const shown = () => createChatStatus(app.sessions, sessionId, undefined, () => assert.fail("nothing comes later"));
		const { suggestions, talks } = await shown();
		assert.deepEqual([suggestions.length, suggestions[0], talks], [3, "What can you do for me?", true]);
		const { services } = app;
		const { model } = services;
		services.model = async (...asked) => ({ ...(await model(...asked)), undecided: true });
		assert.deepEqual((await shown()).suggestions, []);
	});

	it("is not spoiled by a look that fails", async () => {
		const changes = () => Promise.reject(new Error("git is broken"));
		assert.equal((await offered({ files: CODE, facts: { changes } })).length, 3);
	});
});
