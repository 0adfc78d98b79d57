// Tests intents from the webview: strict parsing, tokens for approvals, and no escaping errors.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ChatHost } from "../../../src/chat/chatHost.ts";
import { createChatController } from "../../../src/chat/controller.ts";
import { IntentSchema, type Update } from "../../../src/shared/protocol/chat.ts";
import { closeTestSessions, FILES, openTestSession } from "../session/testSession.ts";

function pageOf(): { host: ChatHost; updates: Update[]; token(): string; notes: string[]; focus: { since: number } } {
	const updates: Update[] = [];
	const focus = { since: 10_000 };
	const notes: string[] = [];
	const nothing = async () => undefined;
	const host: ChatHost = {
		post: (update) => updates.push(structuredClone(update)),
		shown: () => undefined,
		health: () => undefined,
		focusedFor: async () => focus.since,
		pageFocus: () => undefined,
		confirm: async () => true,
		choose: nothing,
		progress: (_, run) => run(new AbortController().signal),
		copy: nothing,
		review: nothing,
		notify: (_, text) => notes.push(text),
		pickRole: nothing,
		pickAgent: nothing,
		exportSession: nothing,
		openImage: nothing,
		save: nothing,
		openFile: nothing,
		openDiff: nothing,
		openTaskChanges: nothing,
		openText: nothing,
		insertCode: nothing,
		applyCode: nothing,
		showTerminal: () => undefined,
		openLink: nothing,
		command: () => undefined,
	};
	const token = () => updates.findLast((update) => update.type === "snapshot" || update.type === "token")?.token ?? "";
	return { host, updates, token, notes, focus };
}

describe("messages of the chat page", () => {
	afterEach(closeTestSessions);

	it("approve only with the token that is in force, once, and for what was shown", async () => {
		const setup = await openTestSession([{ calls: [{ name: "execute_command", input: { command: "touch made" } }] }, { text: "Done." }], {
			files: FILES,
			role: "actor",
		});
		const page = pageOf();
		const chat = createChatController(setup.app, page.host);
		await chat.handle({ type: "ready" });
		const session = setup.summary.sessionId;
		const turn = chat.handle({ type: "send", session, text: "Make it" });
		const { request, hash } = await setup.event("asked");
		setup.clock.ahead += 1_000;
		const old = page.token();
		await chat.handle({ type: "answer", session, request, hash, answer: { allow: true }, token: "guessed" });
		await chat.handle({ type: "answer", session, request, hash, answer: { allow: true }, token: old });
		assert.equal(setup.session.state.requests.get(request)?.state, "pending");
		await chat.handle({ type: "answer", session, request, hash: "0".repeat(64), answer: { allow: true }, token: page.token() });
		assert.equal(setup.session.state.requests.get(request)?.state, "pending");
		page.focus.since = 300;
		await chat.handle({ type: "answer", session, request, hash, answer: { allow: true }, token: page.token() });
		assert.equal(setup.session.state.requests.get(request)?.state, "pending");
		assert.equal(existsSync(join(setup.app.folder, "made")), false);
		page.focus.since = 600;
		await chat.handle({ type: "answer", session, request, hash, answer: { allow: true }, token: page.token() });
		await turn;
		assert.equal(existsSync(join(setup.app.folder, "made")), true);
		chat.dispose();
	});

	it("show nothing of a bug but that there was one, which the log has with its stack", async () => {
		const setup = await openTestSession([], { files: FILES });
		const page = pageOf();
		page.host.openLink = () => (undefined as unknown as { href(): Promise<void> }).href();
		const chat = createChatController(setup.app, page.host);
		await chat.handle({ type: "ready" });
		await chat.handle({ type: "openLink", url: "https://example.com" });
		assert.deepEqual(page.notes, ["Something went wrong. The log has details."]);
		assert.match(setup.app.logged.join("\n"), /TypeError: Cannot read properties of undefined[\s\S]*at .*intents\.test\.ts/);
		chat.dispose();
	});

	it("get what other integrations put into the chat after their first snapshot, however early it was sent", async () => {
		const setup = await openTestSession([], { files: FILES });
		const page = pageOf();
		const chat = createChatController(setup.app, page.host);
		chat.compose("before");
		const opening = chat.handle({ type: "ready" });
		let open = false;
		void opening.then(() => {
			open = true;
		});
		while (!open) {
			chat.compose("meanwhile");
			await new Promise((resolve) => setImmediate(resolve));
		}
		assert.equal(page.updates[0]?.type, "snapshot");
		assert.deepEqual(
			page.updates.slice(1, 3).map((update) => update.type === "compose" && update.text),
			["before", "meanwhile"],
		);
		chat.pageGone();
		chat.compose("while it was hidden");
		assert.ok(!page.updates.some((update) => update.type === "compose" && update.text === "while it was hidden"));
		await chat.handle({ type: "ready" });
		assert.deepEqual(
			page.updates.slice(-2).map(({ type }) => type),
			["snapshot", "compose"],
		);
		chat.dispose();
	});

	it("give the words back when they cannot be sent, and say why", async () => {
		const setup = await openTestSession([], { files: FILES, restricted: "Trust this workspace first." });
		const page = pageOf();
		const chat = createChatController(setup.app, page.host);
		await chat.handle({ type: "ready" });
		await chat.handle({ type: "send", session: setup.summary.sessionId, text: "Hello" });
		assert.deepEqual(page.notes, ["Trust this workspace first."]);
		assert.deepEqual(
			page.updates.findLast((update) => update.type === "compose"),
			{ type: "compose", text: "Hello", back: { pictures: [] } },
		);
		chat.dispose();
	});

	it("of another session bring nothing of it while this one is shown, unless this one called it", async () => {
		const setup = await openTestSession([{ calls: [{ name: "execute_command", input: { command: "touch made" } }] }, { text: "Done." }], {
			files: FILES,
			role: "actor",
		});
		const { sessions } = setup.app;
		const shown = await sessions.create({});
		const page = pageOf();
		const chat = createChatController(setup.app, page.host, shown.sessionId);
		await chat.handle({ type: "ready" });
		assert.equal(chat.sessionId, shown.sessionId);
		const other = setup.summary.sessionId;
		const turn = setup.session.send("Make it");
		const { request, hash, turn: responseId = "" } = await setup.event("asked");
		const arrived = () =>
			page.updates.flatMap((update) => (update.type === "called" ? (update.requests ?? []).map(({ event }) => event.type) : []));
		assert.deepEqual(arrived(), [], "it was not called");
		const { eventLog } = await sessions.get(shown.sessionId);
		await eventLog.emit({ type: "delegated", call: "c", session: other, agent: "default", mode: "sync", depth: 1, responseId }, "host");
		while (arrived().length === 0) await new Promise((resolve) => setImmediate(resolve));
		assert.deepEqual(arrived(), ["asked"]);
		setup.clock.ahead += 1_000;
		await chat.handle({ type: "answer", session: other, request, hash, answer: { allow: true }, token: page.token() });
		await turn;
		assert.equal(existsSync(join(setup.app.folder, "made")), true);
		assert.equal(
			page.updates.some((update) => (update.type === "event" || update.type === "live") && update.session === other),
			false,
		);
		chat.dispose();
	});

	it("bring a long session's end first and the rest behind it, and an output that was cut when its call is opened", async () => {
		const setup = await openTestSession([], { files: FILES });
		const session = setup.summary.sessionId;
		const { eventLog: journal } = setup.session;
		for (let turn = 0; turn < 300; turn += 1) {
			await journal.emit({ type: "user", text: `message ${turn} ${"x".repeat(2_000)}` }, "person");
			await journal.emit({ type: "ended", outcome: "done" }, "host");
		}
		await journal.emit({ type: "assistant", text: "", calls: [{ id: "c1", name: "read_file", input: { path: "a" } }] }, "model");
		await journal.emit({ type: "result", call: "c1", status: "ok", output: "y".repeat(70_000) }, "host");
		const page = pageOf();
		const whole = new Promise<void>((resolve) => {
			const post = page.host.post;
			page.host.post = (update) => {
				post(update);
				if (update.type === "earlier" && update.last) resolve();
			};
		});
		const chat = createChatController(setup.app, page.host);
		await chat.handle({ type: "ready" });
		const snapshot = page.updates.find((update) => update.type === "snapshot");
		assert.ok(snapshot?.earlier && snapshot.events.length < 200);
		await whole;
		const before = page.updates.flatMap((update) => (update.type === "earlier" ? update.events : []));
		const { events } = setup.session.state;
		assert.deepEqual(
			[...before, ...snapshot.events].map(({ id }) => id),
			events.map(({ id }) => id),
		);
		assert.ok(JSON.stringify(snapshot).length < 400_000);
		await chat.handle({ type: "loadOutput", session, call: "c1" });
		assert.deepEqual(page.updates.at(-1), { type: "output", session, call: "c1", text: "y".repeat(70_000) });
		chat.dispose();
	});

	it("do nothing when they are not Intents: 100,000 of them run no tool, approve nothing and throw nothing", async () => {
		const setup = await openTestSession([], { files: FILES });
		const page = pageOf();
		const chat = createChatController(setup.app, page.host);
		const types = ["ready", "send", "answer", "execute", "role", "undo", "command", "stop", "constructor", "__proto__", "", null, 7];
		const values = ["", "x", 0, -1, null, undefined, [], {}, { allow: true }, "a".repeat(300), Number.NaN, true, "\u0000"];
		const keys = [
			"session",
			"text",
			"request",
			"hash",
			"answer",
			"token",
			"role",
			"planId",
			"version",
			"path",
			"call",
			"__proto__",
			"extra",
		];
		let understood = 0;
		for (let index = 0; index < 100_000; index += 1) {
			const message: Record<string, unknown> = { type: types[index % types.length] };
			for (let field = 0; field < 4; field += 1) {
				message[keys[(index * 7 + field * 5) % keys.length] as string] = values[(index * 3 + field * 11) % values.length];
			}
			const parsed = IntentSchema.safeParse(message);
			if (!parsed.success) continue;
			understood += 1;
			if (understood <= 500) await chat.handle(parsed.data);
		}
		assert.equal(setup.model.requests.length, 0);
		assert.equal(
			setup.session.state.events.some((event) => event.type === "answered" || event.type === "result"),
			false,
		);
		chat.dispose();
	});
});
