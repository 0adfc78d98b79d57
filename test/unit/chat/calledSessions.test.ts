// Tests what the chat is sent about called sessions: progress, requests, and their end.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ChatHost } from "../../../src/chat/chatHost.ts";
import { createChatController } from "../../../src/chat/controller.ts";
import { findSessionsInCharge } from "../../../src/chat/linkedSessions.ts";
import type { Caller } from "../../../src/core/caller.ts";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import type { Session } from "../../../src/session/session.ts";
import type { ShownRequest } from "../../../src/shared/protocol/calls.ts";
import type { Update } from "../../../src/shared/protocol/chat.ts";
import type { Script, ScriptedAnswer } from "../../fakes/scriptedModel.ts";
import type { TestApp } from "../../fakes/testApp.ts";
import { untilIdle } from "../../fakes/untilIdle.ts";
import { calling as calls, closeTestCalls, newHome, openTestCalls } from "../delegation/calls/testCalls.ts";
import { FILES, PLAN } from "../session/testSession.ts";
import { leave, open } from "./testChat.ts";

type Called = Extract<Update, { type: "called" }>;

const touch = { name: "execute_command", input: { command: "touch made" } };
const question = { question: "Which one?", options: [{ label: "This", value: "this" }] };

/** The shown session has called another one, which runs what the script says, up to that event of it. */
async function calling(script: Script, until: TranscriptEvent["type"]) {
	const setup = await open(script, { files: FILES, role: "actor" });
	const { sessions } = setup.app;
	const { sessionId } = await sessions.create({ role: "actor", name: "Release notes" });
	const child = await sessions.get(sessionId);
	const reached = new Promise<void>((resolve) => {
		sessions.listen({ event: (id, event) => id === sessionId && event.type === until && resolve() });
	});
	const end = child.send("Write a draft");
	await reached;
	const turn = child.state.events.find(({ type }) => type === "started")?.turn ?? "";
	const { eventLog } = setup.session;
	const calls = [{ id: "c1", name: "agents_message", input: { agentId: "default", content: "Write a draft" } }];
	await eventLog.emit({ type: "assistant", text: "", calls }, "model", "t1");
	await eventLog.emit(delegated(sessionId, turn), "host", "t1");
	const token = () => setup.updates.findLast((update) => update.type === "snapshot" || update.type === "token")?.token ?? "";
	const last = () => setup.updates.findLast((update) => update.type === "called");
	const settle = () =>
		eventLog.emit({ type: "result", call: "c1", status: "ok", output: "", view: answered(sessionId, turn) }, "host", "t1");
	return { ...setup, child, end, turn, token, last, settle };
}

const delegated = (session: string, responseId: string) =>
	({ type: "delegated", call: "c1", session, agent: "default", mode: "sync", depth: 1, responseId }) as const;

const answered = (session: string, turn: string) =>
	({ kind: "agent", agent: "default", session, turn, mode: "sync", status: "complete", text: "Done." }) as const;

const requested = ({ requests = [] }: Called) => requests.length > 0;

describe("a chat whose session has called another agent", () => {
	afterEach(leave);

	it("gets the called session's text, tool calls and usage, and nothing more of it once the call has its result", async () => {
		const calls = [{ name: "read_file", input: { path: "README.md" } }];
		const { update, end, settle, last, turn } = await calling([{ text: "I look.", calls }, { text: "A draft." }], "ended");
		await end;
		const { calls: shown, requests } = await update("called", ({ calls: [call] }) => call?.state === "ended");
		assert.deepEqual(requests, undefined);
		assert.deepEqual(
			shown.map(({ call, text, earlierTools }) => [call, text, earlierTools]),
			[["c1", "A draft.", 0]],
		);
		assert.deepEqual(
			shown[0]?.tools.map(({ call, status }) => [call.name, call.input, status]),
			[["read_file", { path: "README.md" }, "ok"]],
		);
		assert.equal(shown[0]?.usage.input, 200);
		assert.notEqual(turn, "");
		await settle();
		await update("called", ({ calls: open }) => open.length === 0);
		assert.deepEqual(last()?.calls, []);
	});

	it("gets its approval with the exact call, and answers it there with its own one-time token", async () => {
		const { update, child, clock, chat, token, app, end } = await calling([{ calls: [touch] }, { text: "Done." }], "asked");
		const { calls, requests = [] } = await update("called", requested);
		const [request] = requests;
		assert.ok(request?.kind === "approval");
		assert.deepEqual([request.under, request.session, request.call?.input], ["c1", child.sessionId, touch.input]);
		assert.equal(calls[0]?.state, "waiting");
		const { session, event } = request;
		const intent = { type: "answer", session, request: event.request, hash: event.hash, answer: { allow: true } } as const;
		clock.ahead += 1_000;
		const old = token();
		await chat.handle({ ...intent, token: "guessed" });
		await chat.handle({ ...intent, token: old });
		assert.equal(child.state.requests.get(event.request)?.state, "pending");
		await chat.handle({ ...intent, token: token() });
		await end;
		assert.ok(existsSync(join(app.folder, "made")));
		await update("called", ({ requests: left }) => left?.length === 0);
	});

	it("gets its question, whose answer goes to that session", async () => {
		const { update, child, clock, chat, token, end } = await calling(
			[{ calls: [{ name: "ask_question", input: question }] }, { text: "This." }],
			"ended",
		);
		await end;
		const { requests = [] } = await update("called", requested);
		assert.ok(requests[0]?.kind === "question");
		clock.ahead += 1_000;
		const { request } = requests[0].event;
		await chat.handle({ type: "answer", session: child.sessionId, request, answer: { value: "this" }, token: token() });
		assert.equal(child.state.requests.get(request)?.state, "answered");
	});

	it("gets its plan, and who called whom down to the agent that asks", async () => {
		const plan = { goal: "Draft", steps: [{ step_number: 1, action: "Write" }] };
		const { update, session, app } = await calling([{ text: "Hello." }], "ended");
		const deeper = await app.sessions.get((await app.sessions.create({})).sessionId);
		const child = await app.sessions.get((await app.sessions.create({})).sessionId);
		await handmade(child, "t2", ["default"]);
		await child.eventLog.emit({ ...delegated(deeper.sessionId, "t3"), call: "c2" }, "host", "t2");
		await handmade(deeper, "t3", ["default", "writer"]);
		await deeper.eventLog.emit({ type: "plan", plan, planId: "p", version: 1, hash: "h", basis: { files: [] } }, "model", "t3");
		await deeper.eventLog.emit({ type: "ended", outcome: "waiting" }, "host", "t3");
		await session.eventLog.emit({ ...delegated(child.sessionId, "t2"), call: "c3" }, "host");
		const { requests = [] } = await update("called", requested);
		assert.deepEqual(
			requests.map(({ kind, under, session, chain }) => [kind, under, session, chain]),
			[["plan", "c3", deeper.sessionId, ["default", "writer", "default"]]],
		);
	});

	it("gets the approvals of the turn that executes its plan", async () => {
		const plan = { goal: "Draft", steps: [{ step_number: 1, action: "Write" }] };
		const { update, child, end, act, summary } = await calling(
			[{ calls: [{ name: "present_plan", input: plan }] }, { calls: [touch] }, { text: "Done." }],
			"ended",
		);
		await end;
		await update("called", ({ requests = [] }) => requests.some(({ kind }) => kind === "plan"));
		const executed = child.executePlan({}, "person");
		await update("called", ({ requests = [] }) => requests.some(({ kind }) => kind === "approval"));
		await act({ type: "stopCalled", session: summary.sessionId, call: "c1" });
		assert.equal((await executed).outcome, "cancelled");
	});

	it("stops the called turn and nothing else", async () => {
		const { update, child, act, summary, end } = await calling([{ calls: [touch] }, { text: "Done." }], "asked");
		await update("called", requested);
		await act({ type: "stopCalled", session: summary.sessionId, call: "c1" });
		await end;
		assert.equal(child.state.outcome, "cancelled");
		const next = child.send("Something else", "person");
		await act({ type: "stopCalled", session: summary.sessionId, call: "c1" });
		assert.equal((await next).outcome, "done");
	});

	it("does not open a called session that was deleted", async () => {
		const { update, app, child, end, updates } = await calling([{ text: "Done." }], "ended");
		await end;
		await update("called", ({ calls }) => calls.length === 1);
		await app.sessions.delete(child.sessionId);
		await update("called", ({ calls }) => calls.length === 0);
		assert.equal(
			(await app.sessions.list()).some(({ sessionId }) => sessionId === child.sessionId),
			false,
		);
		assert.deepEqual(updates.findLast((sent) => sent.type === "status")?.status.linked, {});
	});

	it("names the sessions that can be opened", async () => {
		const { update, child, end } = await calling([{ text: "Done." }], "ended");
		await end;
		await update("status", ({ status: { linked = {} } }) => linked[child.sessionId] === "Release notes");
	});

	it("hears of a busy called session a few times a second at most, and of its end", async () => {
		const search = (at: number) => ({ calls: [{ name: "search_code", input: { pattern: `word${at}` } }] });
		const script = [...Array.from({ length: 20 }, (_, at) => search(at)), { text: "Done." }];
		const began = Date.now();
		const { update, updates, end } = await calling(script, "started");
		await end;
		await update("called", ({ calls: [call] }) => call?.text === "Done." && call.tools.length === 20);
		const sent = updates.filter(({ type }) => type === "called").length;
		assert.ok(sent <= 2 + (Date.now() - began) / 200, `${sent} updates`);
	});
});

/** A called turn whose events are made by hand. */
async function handmade(session: Session, turn: string, chain: string[]): Promise<void> {
	const caller: Caller = {
		session: "s",
		turn: "t",
		call: "c",
		agent: chain.at(-1) ?? "",
		role: "actor",
		ceiling: [],
		depth: chain.length,
		chain,
	};
	await session.eventLog.emit({ type: "user", text: "Write", message: turn }, `agent:${caller.agent}`, turn);
	await session.eventLog.emit({ type: "started", agent: "default", definitionHash: "", role: "planner", model: "m", caller }, "host", turn);
}

/** A chat that shows the session. */
async function chatOf(app: TestApp, { sessionId }: Session) {
	const updates: Update[] = [];
	const looks = new Set<() => void>();
	const host: Partial<ChatHost> = {
		post(update) {
			updates.push(update);
			for (const look of [...looks]) look();
		},
		shown: () => undefined,
		health: () => undefined,
		pageFocus: () => undefined,
		focusedFor: async () => 10_000,
		notify: (_, text) => assert.fail(text),
	};
	const chat = createChatController(app, host as ChatHost, sessionId);
	await chat.handle({ type: "ready" });
	const first = <Found>(find: (update: Update) => Found | undefined) =>
		new Promise<Found>((resolve) => {
			const look = () => {
				const found = updates.map(find).findLast((each) => each !== undefined);
				if (found === undefined) return;
				looks.delete(look);
				resolve(found);
			};
			looks.add(look);
			look();
		});
	/** The first request of that kind that the chat gets, and the call's state then. */
	const requestOf = (kind: ShownRequest["kind"]) =>
		first((update) => {
			const request = update.type === "called" ? update.requests?.find((each) => each.kind === kind) : undefined;
			return request && update.type === "called" ? { ...request, state: update.calls[0]?.state } : undefined;
		});
	return { chat, updates, first, requestOf };
}

describe("a chat of an agent that calls another one itself", () => {
	afterEach(closeTestCalls);

	it("gets the called agent's approval with who called whom, and the call is complete once it was answered here", async () => {
		const scripts = { a: [calls("b"), { text: "It is made." }], b: [{ calls: [touch] }, { text: "Made." }] };
		const { app, caller, clock } = await openTestCalls(scripts, { files: FILES, role: "actor" });
		const { chat, updates, first } = await chatOf(app, caller);
		const end = caller.send("Let b make it");
		const { session, chain, event, kind } = await first((update) => (update.type === "called" ? update.requests?.[0] : undefined));
		assert.deepEqual([kind, chain], ["approval", ["a", "b"]]);
		assert.ok(event.type === "asked");
		assert.deepEqual(await findSessionsInCharge(app.sessions, session), [session, caller.sessionId]);
		clock.ahead += 1_000;
		const token = updates.findLast((update) => update.type === "snapshot" || update.type === "token")?.token ?? "";
		await chat.handle({ type: "answer", session, request: event.request, hash: event.hash, answer: { allow: true }, token });
		assert.equal((await end).outcome, "done");
		assert.ok(existsSync(join(app.folder, "made")));
		const [delegation] = caller.state.delegations.values();
		assert.equal(delegation?.ended, "complete");
		const own = 2 * 100;
		await first((update) => {
			const usage = update.type === "status" ? update.status.context : undefined;
			return usage?.called?.input === 200 && usage.session.input === own + 200 ? usage : undefined;
		});
		chat.dispose();
	});
});

describe("a chat whose session has called an agent that presents a plan or asks", () => {
	afterEach(closeTestCalls);
	const present = { calls: [{ name: "present_plan", input: PLAN }] };
	const ask = { calls: [{ name: "ask_question", input: { ...question, allow_custom: true } }] };
	const make: ScriptedAnswer = { calls: [touch] };

	/** `a` has called `b`, which does that and waits for the user with a request of that kind. */
	async function waits(kind: "plan" | "question", b: readonly ScriptedAnswer[], options: { home?: string } = {}) {
		const setup = await openTestCalls({ a: [calls("b"), { text: "End." }], b: [...b, { text: "Done." }] }, { files: FILES, ...options });
		const shown = await chatOf(setup.app, setup.caller);
		const end = setup.caller.send("Ask b");
		const { session } = await shown.requestOf(kind);
		const child = await setup.app.sessions.get(session);
		await untilIdle(setup.app.sessions, child);
		return { ...setup, ...shown, end, child };
	}

	/** The approval appears here, and once it is denied there the call is complete. */
	async function approval({ requestOf, answer, child, end, caller, chat }: Awaited<ReturnType<typeof waits>>): Promise<void> {
		const { state, session } = await requestOf("approval");
		assert.deepEqual([state, session], ["waiting", child.sessionId]);
		await answer(child, { allow: false });
		await end;
		assert.equal([...caller.state.delegations.values()][0]?.ended, "complete");
		chat.dispose();
	}

	it("gets the approvals that follow an answer to what the plan's execution asked", async () => {
		const setup = await waits("plan", [present, ask, make]);
		await setup.child.executePlan({});
		await setup.requestOf("question");
		void setup.child.send("Blue");
		await approval(setup);
	});

	it("gets the approvals that follow an objection to a plan that the execution presented", async () => {
		const setup = await waits("plan", [present, present, make]);
		await setup.child.executePlan({});
		void setup.child.send("Not again");
		await approval(setup);
	});

	it("is told who called whom by an approval of the execution", async () => {
		const setup = await waits("plan", [present, make]);
		void setup.child.executePlan({});
		assert.deepEqual((await setup.requestOf("approval")).chain, ["a", "b"]);
		await approval(setup);
	});

	it("still has the plan after its session was summarized, and the approvals of its execution", async () => {
		const setup = await waits("plan", [present, make]);
		await setup.child.compact();
		setup.chat.dispose();
		const { chat, requestOf } = await chatOf(setup.app, setup.caller);
		assert.equal((await requestOf("plan")).state, "waiting");
		void setup.child.executePlan({});
		await approval({ ...setup, chat, requestOf });
	});

	it("still has the question after its session was summarized, in another window too", async () => {
		const home = newHome();
		const { child, end, chat } = await waits("question", [ask], { home });
		await child.compact();
		const second = await openTestCalls({ a: [], b: [] }, { home });
		const other = await chatOf(second.app, second.caller);
		const { state, chain } = await other.requestOf("question");
		assert.deepEqual([state, chain], ["waiting", ["a", "b"]]);
		await child.send("Blue");
		await end;
		for (const each of [chat, other.chat]) each.dispose();
	});
});

describe("a chat whose session has called nobody", () => {
	afterEach(leave);

	it("hears of no called session", async () => {
		const { send, updates } = await open([{ text: "Hello." }]);
		await send("Hello");
		assert.equal(
			updates.some(({ type }) => type === "called"),
			false,
		);
	});
});
