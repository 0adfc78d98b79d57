// Tests the exported API on the offline model in a real editor.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commands, extensions, Position, type TextDocument, Uri, WorkspaceEdit, window, workspace } from "vscode";
import type { TroupeApi } from "../../src/api.ts";
import type { EventOf, TranscriptEvent } from "../../src/core/events.ts";
import { type Heard, heardIn, until } from "./heard.ts";

const request = "Rename formatPrice to formatMoney everywhere";
const changing = ["update_file", "create_file", "delete_file", "rename_file", "apply_patch", "execute_command"];

let api: TroupeApi;
let folder: string;
let heard: Heard;

function text(path: string): string {
	return readFileSync(join(folder, path), "utf8");
}

async function session(role: string): Promise<string> {
	const { sessionId } = await api.createSession({ role });
	heard = await heardIn(api, sessionId);
	return sessionId;
}

/** Allows what is asked, as soon as it is old enough to be answered. Resolves with what came of it. */
async function allow(sessionId: string): Promise<EventOf<"result">> {
	const { request, call } = await heard.first("asked");
	await until(() => api.answer(sessionId, request, { allow: true }));
	return heard.first("result", (result) => result.call === call);
}

/** Resolves once the editor has loaded what is on disk: a document that was open before may hold an earlier text. */
async function show(path: string): Promise<TextDocument> {
	const document = await workspace.openTextDocument(Uri.file(join(folder, path)));
	await window.showTextDocument(document);
	await textOf(document, (now) => document.isDirty || now === text(path));
	return document;
}

/** What the document holds once that fits. */
function textOf(document: TextDocument, wanted: (text: string) => boolean): Promise<string> {
	const now = document.getText();
	if (wanted(now)) return Promise.resolve(now);
	return new Promise((resolve) => {
		const listening = workspace.onDidChangeTextDocument((change) => {
			if (change.document !== document || !wanted(document.getText())) return;
			listening.dispose();
			resolve(document.getText());
		});
	});
}

async function insert(document: TextDocument, words: string): Promise<void> {
	const edit = new WorkspaceEdit();
	edit.insert(document.uri, new Position(document.lineCount, 0), words);
	assert.ok(await workspace.applyEdit(edit), "the editor took no text");
}

describe("the exported API", function () {
	this.timeout(120_000);

	before(async () => {
		api = await (extensions.getExtension<TroupeApi>("troupe.troupe")?.activate() ?? assert.fail("troupe.troupe is not installed"));
		folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("no folder is open");
	});

	afterEach(async () => {
		heard.dispose();
		// What is closed unsaved makes the editor ask, and wait.
		for (const document of workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
			await window.showTextDocument(document);
			await commands.executeCommand("workbench.action.files.revert");
		}
		await commands.executeCommand("workbench.action.closeAllEditors");
		execFileSync("git", ["checkout", "--quiet", "--", "."], { cwd: folder });
	});

	it("names the agents, and a session by what it was created with", async () => {
		assert.ok((await api.agents()).some(({ agentId, displayName }) => agentId === "default" && displayName === "General Assistant"));
		const { sessionId } = await api.createSession({ name: "Prices", role: "reviewer", sessionId: "prices-1" });
		heard = await heardIn(api, sessionId);
		const listed = (await api.sessions()).find((candidate) => candidate.sessionId === "prices-1");
		assert.deepEqual(
			{ name: listed?.name, role: listed?.role, agentId: listed?.agentId },
			{ name: "Prices", role: "reviewer", agentId: "default" },
		);
		const attached = await api.createSession({ sessionId: "prices-1", agentId: "default", name: "Other", role: "planner" });
		assert.deepEqual([attached.name, attached.role], ["Prices", "reviewer"]);
		await assert.rejects(api.createSession({ sessionId: "prices-1", agentId: "explain" }), { code: "exists" });
		await assert.rejects(api.createSession({ sessionId: "../prices" }), /letters, digits/);
		await assert.rejects(api.createSession({ role: "king" }), /The role king doesn't exist/);
		await assert.rejects(api.send("nobody", "Hello"), /session nobody doesn.t exist/);
	});

	it("has a planner plan, and offers it nothing that changes things", async () => {
		const id = await session("planner");
		const offered = (await api.tools(id)).map(({ name }) => name);
		assert.deepEqual(
			changing.filter((name) => offered.includes(name)),
			[],
		);
		assert.ok(offered.includes("read_file") && offered.includes("present_plan"));
		const planned = await api.send(id, request);
		assert.equal(planned.outcome, "waiting");
		assert.ok(planned.toolCalls.every(({ status }) => status === "ok"));
		const [plan, ...others] = await api.pending(id);
		assert.deepEqual([plan?.kind, others], ["plan", []]);
		assert.match(plan?.summary ?? "", /formatMoney/);
		assert.match(text("src/money.ts"), /formatPrice/);
	});

	it("executes the plan, asks for the tests, takes no early answer and records who gave the answer", async () => {
		const id = await session("planner");
		await api.send(id, request);
		const turn = api.executePlan(id);
		const asked = await heard.first("asked");
		await assert.rejects(api.answer(id, asked.request, { allow: true }), /came too quickly/);
		assert.deepEqual(await api.pending(id), [{ requestId: asked.request, kind: "approval", summary: asked.summary }]);
		assert.doesNotMatch(text("src/money.ts"), /formatPrice/, "the edits came before");
		await until(() => api.answer(id, asked.request, { allow: true, always: false }));
		await assert.rejects(api.answer(id, asked.request, { allow: true }), /expired or was already answered/);
		const { outcome, text: said, toolCalls } = await turn;
		assert.equal(outcome, "done");
		assert.match(said, /\w/);
		assert.equal(toolCalls.find(({ name }) => name === "execute_command")?.status, "ok");

		const events = await api.transcript(id);
		assert.deepEqual(heard.events, events, "listeners hear every event as it is kept");
		assert.deepEqual(
			events.map(({ seq }) => seq),
			events.map((_, index) => index + 1),
		);
		const answered = events.find((event) => event.type === "answered");
		assert.deepEqual([answered?.by, answered?.request], ["api", asked.request]);
		assert.equal(events.find((event) => event.type === "role" && event.plan)?.by, "api");
		assert.deepEqual(
			ofType(events, "ended").map((event) => event.outcome),
			["waiting", "done"],
		);
	});

	it("changes the role, and what the gate offers with it", async () => {
		const id = await session("planner");
		await api.setRole(id, "actor");
		const offered = (await api.tools(id)).map(({ name }) => name);
		assert.deepEqual(
			changing.filter((name) => !offered.includes(name)),
			[],
		);
		const last = (await api.transcript(id)).at(-1);
		assert.deepEqual([last?.type, last?.by], ["role", "api"]);
		await assert.rejects(api.setRole(id, "king"), /The role king doesn't exist/);
	});

	it("queues what is sent during a turn, and both resolve with the turn that took it", async () => {
		const id = await session("actor");
		const first = api.send(id, "Run the tests");
		await heard.first("asked");
		const second = api.send(id, "Find parsePrice");
		await allow(id);
		assert.deepEqual(await first, await second);
		const said = ofType(await api.transcript(id), "user");
		assert.deepEqual(
			said.map(({ text: words, by }) => [words, by]),
			[
				["Run the tests", "api"],
				["Find parsePrice", "api"],
			],
		);
		assert.equal(said[0]?.turn, said[1]?.turn);
	});

	it("cancels a turn that waits, whose request then takes no answer", async () => {
		const id = await session("actor");
		const turn = api.send(id, "Run the tests");
		const asked = await heard.first("asked");
		await api.cancel(id);
		const { outcome, toolCalls } = await turn;
		assert.deepEqual([outcome, toolCalls.at(-1)?.status], ["cancelled", "cancelled"]);
		await assert.rejects(api.answer(id, asked.request, { allow: true }), /expired or was already answered/);
		assert.deepEqual(await api.pending(id), []);
	});

	it("changes a file that is open and clean under its editor, where Undo brings the old text back", async () => {
		const id = await session("actor");
		const document = await show("src/money.ts");
		const before = document.getText();
		const turn = api.send(id, "Rename formatPrice to formatMoney in src/money.ts");
		assert.equal((await allow(id)).status, "ok");
		const after = await textOf(document, (now) => now.includes("formatMoney"));
		assert.equal(after, before.replaceAll("formatPrice", "formatMoney"));
		assert.equal(document.isDirty, false);
		assert.equal(text("src/money.ts"), after);
		await api.cancel(id);
		await turn;
		await show("src/money.ts");
		await commands.executeCommand("undo");
		assert.equal(await textOf(document, (now) => now === before), before);
	});

	it("changes a file with unsaved text through its editor, which keeps that text and its undo", async () => {
		const id = await session("actor");
		const document = await show("src/money.ts");
		await insert(document, "// Not saved yet, formatPrice.\n");
		const unsaved = document.getText();
		const turn = api.send(id, "Rename formatPrice to formatMoney in src/money.ts");
		assert.equal((await allow(id)).status, "ok");
		const after = document.getText();
		assert.equal(after, unsaved.replaceAll("formatPrice", "formatMoney"));
		await api.cancel(id);
		await turn;
		assert.equal(text("src/money.ts"), after, "what the model changed is on disk");
		await show("src/money.ts");
		// One step back for each of the edits it took.
		for (let steps = 0; document.getText() !== unsaved && steps < 5; steps += 1) await commands.executeCommand("undo");
		assert.equal(document.getText(), unsaved);
	});

	it("leaves unsaved text and its file alone where the editor can't save it", async () => {
		const id = await session("actor");
		const document = await show("src/money.ts");
		await insert(document, "// Not saved yet, formatPrice.\n");
		const unsaved = document.getText();
		const other = `${text("src/money.ts")}// Written by another program.\n`;
		writeFileSync(join(folder, "src/money.ts"), other);
		const turn = api.send(id, "Rename formatPrice to formatMoney in src/money.ts");
		const { output } = await allow(id);
		assert.match(
			output,
			/^src\/money\.ts could not be written: its editor could not save it, .*; ask the user to save or revert it\. Nothing was changed\.$/,
		);
		await api.cancel(id);
		await turn;
		assert.deepEqual([document.getText(), document.isDirty, text("src/money.ts")], [unsaved, true, other]);
	});
});

function ofType<T extends TranscriptEvent["type"]>(events: readonly TranscriptEvent[], type: T): EventOf<T>[] {
	return events.filter((event): event is EventOf<T> => event.type === type);
}
