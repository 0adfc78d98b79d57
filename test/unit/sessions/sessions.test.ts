// Sessions over their lifetime: questions, messages meanwhile, hosts that die, older transcripts, exports.
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ModelError } from "../../../src/core/ports/model.ts";
import type { AgentDefinition } from "../../../src/core/role.ts";
import { SessionExistsError } from "../../../src/session/state/sessionBlocked.ts";
import { joinText, streamExport } from "../../../src/sessions/exportSession.ts";
import { nameFolder } from "../../../src/storage/sessions/sessionPaths.ts";
import { closeTestSessions, FILES, openTestSession, PLAN, results } from "../session/testSession.ts";
import { taskSummary } from "../storage/support.ts";

const ASK = {
	calls: [
		{
			name: "ask_question",
			input: {
				question: "Which one?",
				options: [
					{ label: "The first", value: "1" },
					{ label: "The second", value: "2" },
				],
			},
		},
	],
};

const AGENTS: AgentDefinition[] = [{ agentId: "writer", displayName: "Writer" }];

describe("a session", () => {
	const homes: string[] = [];
	const home = () => {
		const made = mkdtempSync(join(tmpdir(), "troupe-home-"));
		homes.push(made);
		return made;
	};
	afterEach(async () => {
		await closeTestSessions();
		for (const made of homes.splice(0)) rmSync(made, { recursive: true, force: true });
	});

	it("waits with a question, and takes the chosen option as the next message", async () => {
		const setup = await openTestSession([ASK, { text: "The second it is." }], { files: FILES });
		assert.equal((await setup.session.send("Choose")).outcome, "waiting");
		const { request } = await setup.event("question");
		await assert.rejects(setup.session.answer(request, { value: "2" }, "person"), { code: "early" });
		setup.clock.ahead += 1_000;
		await assert.rejects(setup.session.answer(request, { value: "3" }, "person"), { code: "malformed" });
		const end = await setup.session.answer(request, { value: "2" }, "person");
		assert.equal(end?.outcome, "done");
		assert.equal(setup.session.state.requests.get(request)?.state, "answered");
		const last = setup.session.state.events.findLast((event) => event.type === "user");
		assert.deepEqual(last?.type === "user" && [last.text, last.answers], ["The second", request]);
	});

	it("takes no second answer to a question that another window has answered since it was opened here", async () => {
		const place = home();
		const there = await openTestSession([ASK, { text: "The first it is." }], { files: FILES, home: place });
		await there.session.send("Choose");
		const here = await openTestSession([{ text: "The second it is." }], { home: place });
		const { request } = await there.event("question");
		for (const setup of [there, here]) setup.clock.ahead += 1_000;
		await there.session.answer(request, { value: "1" }, "person");
		await there.app.sessions.close();
		await assert.rejects(here.session.answer(request, { value: "2" }, "person"), { code: "expired" });
		await assert.rejects(here.session.answer(request, { allow: false }, "person"), { code: "expired" });
		assert.deepEqual([here.model.requests.length, here.types().filter((type) => type === "answered").length], [0, 1]);
	});

	it("takes other words as superseding a question that allows no custom answer", async () => {
		const setup = await openTestSession([ASK, { text: "Fine." }], { files: FILES });
		await setup.session.send("Choose");
		const { request } = await setup.event("question");
		await setup.session.send("Forget it");
		assert.equal(setup.session.state.requests.get(request)?.state, "superseded");
	});

	it("keeps a dismissed question dismissed, and asks the model nothing", async () => {
		const setup = await openTestSession([ASK], { files: FILES });
		await setup.session.send("Choose");
		const { request } = await setup.event("question");
		setup.clock.ahead += 1_000;
		await setup.session.answer(request, { allow: false }, "person");
		assert.equal(setup.session.state.requests.get(request)?.state, "dismissed");
		assert.equal(setup.model.requests.length, 1);
	});

	it("whose id exists is attached to as it is, for its own agent or none named", async () => {
		const { app } = await openTestSession([{ text: "Hello." }], { agents: AGENTS });
		const { sessions } = app;
		const made = await sessions.create({ sessionId: "EXTERNAL-123", agentId: "writer", name: "Ticket" });
		await (await sessions.get(made.sessionId)).send("Hi");
		const changes: unknown[] = [];
		sessions.listen({ changed: (id) => changes.push(id) });
		for (const agentId of ["writer", undefined]) {
			const again = await sessions.create({ sessionId: "EXTERNAL-123", name: "Other", role: "no such role", ...(agentId && { agentId }) });
			assert.deepEqual([again.name, again.role, again.agentId, again.messageCount], ["Ticket", made.role, "writer", 2]);
		}
		assert.deepEqual([changes, (await sessions.list()).length], [[], 2]);
		assert.equal((await sessions.create({ sessionId: "external-123" })).messageCount, 0, "another letter case is another id");
		await assert.rejects(sessions.create({ sessionId: "x".repeat(129) }), /1 to 128/);
	});

	it("whose id belongs to another agent or a task is refused, with what has it, and nothing changes", async () => {
		const { app } = await openTestSession([], { agents: AGENTS });
		const { sessions } = app;
		const made = await sessions.create({ sessionId: "EXTERNAL-123", name: "Ticket" });
		const taken = (error: unknown) => (error instanceof SessionExistsError && error.code === "exists" ? error : undefined);
		const other = await sessions.create({ sessionId: "EXTERNAL-123", agentId: "writer" }).catch(taken);
		assert.ok(other instanceof SessionExistsError);
		assert.deepEqual([other.session.sessionId, other.session.agentId, other.session.name], [made.sessionId, made.agentId, "Ticket"]);
		assert.match(other.message, /belongs to the agent default/);
		await app.store.create(taskSummary("work-1"));
		const work = await sessions.create({ sessionId: "work-1", agentId: made.agentId }).catch(taken);
		assert.ok(work instanceof SessionExistsError);
		assert.deepEqual([work.session.kind, /background task/.test(work.message)], ["task", true]);
		const left = await sessions.list();
		assert.deepEqual(left.find(({ sessionId }) => sessionId === made.sessionId)?.agentId, made.agentId);
	});

	it("goes to the first of two windows that create it, and the other attaches or is refused", async () => {
		const place = home();
		const here = { home: place, agents: AGENTS };
		const [one, two, three] = [await openTestSession([], here), await openTestSession([], here), await openTestSession([], here)];
		const create = (setup: typeof one, agentId: string) => setup.app.sessions.create({ sessionId: "EXTERNAL-123", agentId });
		const made = await Promise.allSettled([create(one, "writer"), create(two, "writer"), create(three, "default")]);
		const [listed] = (await one.app.sessions.list()).filter(({ sessionId }) => sessionId === "EXTERNAL-123");
		const agents = made.map((result) =>
			result.status === "fulfilled" ? result.value.agentId : (result.reason as SessionExistsError).code,
		);
		const expected = listed?.agentId === "writer" ? ["writer", "writer", "exists"] : ["exists", "exists", "default"];
		assert.deepEqual(agents, expected);
	});

	it("whose id was used by a deleted one begins anew, also where something of that is left on disk", async () => {
		const place = home();
		const { app } = await openTestSession([{ text: "Hello." }, { text: "Hello." }], { home: place, agents: AGENTS });
		const { sessions } = app;
		for (const leftovers of [false, true]) {
			const { sessionId } = await sessions.create({ sessionId: "EXTERNAL-123", agentId: "writer", name: "Ticket" });
			await (await sessions.get(sessionId)).send("Hi");
			await sessions.delete(sessionId);
			const folder = join(place, "storage", "sessions", nameFolder(sessionId));
			if (leftovers) {
				mkdirSync(folder);
				writeFileSync(join(folder, "2025-01-01-000000.jsonl"), '{"role":"user","content":"Hello"}\n');
				writeFileSync(join(folder, "streaming.txt"), "half");
			}
			const revived = await sessions.create({ sessionId, agentId: "default" });
			const { state } = await sessions.get(sessionId);
			assert.deepEqual(
				[revived.agentId, revived.name, state.messages, state.events.map(({ type }) => type)],
				["default", undefined, 0, ["agent", "role"]],
			);
			await sessions.delete(sessionId);
		}
	});

	it("delivers what is typed during a turn at its next step", async () => {
		let open: () => void = () => undefined;
		const until = new Promise<void>((resolve) => {
			open = resolve;
		});
		const setup = await openTestSession([{ calls: [{ name: "list_directory", input: { path: "." } }], until }, { text: "Both done." }], {
			files: FILES,
		});
		const first = setup.session.send("One");
		await setup.model.asked;
		const second = setup.session.send("Two");
		await setup.event("queued");
		assert.deepEqual(setup.session.queued, ["Two"]);
		open();
		assert.equal((await first).turn, (await second).turn);
		const said = setup.model.requests[1]?.events.flatMap((event) => (event.type === "user" ? [event.text] : []));
		assert.deepEqual(said, ["One", "Two"]);
	});

	it("does not take for an answer what was typed before the question was asked", async () => {
		const ask = { calls: [{ name: "ask_question", input: { question: "Delete the database?", allow_custom: true } }] };
		let second: Promise<unknown> | undefined;
		const setup: Awaited<ReturnType<typeof openTestSession>> = await openTestSession(
			(_, call) => {
				second ??= setup.session.send("Also look at the readme");
				return call === 0 ? ask : { text: "Read it." };
			},
			{ files: FILES },
		);
		await setup.session.send("Clean up");
		await second;
		const { request } = await setup.event("question");
		assert.equal(setup.session.state.requests.get(request)?.state, "superseded");
	});

	it("ends as interrupted when its window closes, and its plan can go on", async () => {
		const place = home();
		const plan = { calls: [{ name: "present_plan", input: PLAN }] };
		const setup = await openTestSession([plan, { text: "", until: new Promise(() => undefined) }], { files: FILES, home: place });
		await setup.session.send("Plan");
		const turn = setup.session.executePlan({});
		await setup.event("started", ({ role }) => role === "actor");
		await closeTestSessions();
		assert.equal((await turn).outcome, "interrupted");
		const after = await openTestSession([], { home: place });
		assert.equal(after.session.state.plans[0]?.state, "running");
	});

	it("keeps the words of an answer that broke off", async () => {
		const cut = { text: "So far so good", error: new ModelError("cut", "The connection was cut.") };
		const { session } = await openTestSession([cut], { files: FILES });
		assert.equal((await session.send("Tell me")).outcome, "failed");
		assert.equal(session.state.events.find((event) => event.type === "assistant")?.text, "So far so good");
	});

	it("closes what a host that died left open, and runs nothing again", async () => {
		const place = home();
		const before = await openTestSession([PLAN_CALL], { files: FILES, home: place });
		await before.session.send("Plan");
		const { sessionId } = before.summary;
		const seq = before.session.state.seq;
		await closeTestSessions();
		const at = new Date().toISOString();
		const line = (offset: number, body: object) =>
			JSON.stringify({ id: `x${offset}`, seq: seq + offset, at, turn: "t9", by: "host", ...body });
		const lines = [
			line(1, { type: "user", text: "Go", by: "person" }),
			line(2, { type: "started", agent: "default", definitionHash: "", role: "actor", model: "scripted/one" }),
			line(3, {
				type: "assistant",
				text: "",
				calls: [{ id: "c9", name: "execute_command", input: { command: "touch made" } }],
				by: "model",
			}),
			line(4, { type: "asked", request: "r9", call: "c9", summary: "Run touch made", hash: "h", reason: "because" }),
		];
		appendFileSync(join(place, "storage", "sessions", sessionId, "current.jsonl"), `${lines.join("\n")}\n`);
		const after = await openTestSession([], { home: place });
		assert.deepEqual(after.types().slice(-3), ["expired", "result", "ended"]);
		assert.equal(results(after.session).at(-1)?.status, "unknown");
		assert.equal(after.session.state.outcome, "interrupted");
		assert.equal(after.model.requests.length, 0);
	});

	it("stays what it was when the line that says so cannot be read", async () => {
		const place = home();
		const { summary } = await openTestSession([], { home: place });
		await closeTestSessions();
		const path = join(place, "storage", "sessions", summary.sessionId, "current.jsonl");
		writeFileSync(path, readFileSync(path, "utf8").replace('"type":"role"', '"type":"ro'));
		const { session } = await openTestSession([], { home: place });
		assert.equal(session.state.role, "planner");
		assert.equal(session.damaged, 1);
	});

	it("loads an older transcript as what an actor said in text", async () => {
		const place = home();
		const folder = join(place, "storage", "sessions", "old-1");
		mkdirSync(folder, { recursive: true });
		writeFileSync(
			join(folder, "current.jsonl"),
			`${JSON.stringify({ role: "user", content: "Hello" })}\n${JSON.stringify({ role: "assistant", content: "Hi" })}\n`,
		);
		const { session, summary } = await openTestSession([], { home: place });
		assert.equal(summary.role, "actor");
		assert.deepEqual(
			session.state.events.map((event) => [event.type, "text" in event ? event.text : ""]),
			[
				["user", "Hello"],
				["assistant", "Hi"],
			],
		);
	});

	it("is renamed, pinned, cleared and deleted without losing its identity before that", async () => {
		const { app, summary, session } = await openTestSession([{ text: "Hi." }], { files: FILES });
		await session.send("Hello");
		await app.sessions.rename(summary.sessionId, "Mine");
		await app.sessions.pin(summary.sessionId, true);
		await app.sessions.clear(summary.sessionId);
		const [listed] = await app.sessions.list();
		assert.deepEqual([listed?.name, listed?.pinnedAt !== undefined, listed?.messageCount, listed?.role], ["Mine", true, 0, "planner"]);
		assert.equal(JSON.stringify(listed).includes("Hello"), false, "what was first said is gone as well");
		await app.sessions.delete(summary.sessionId);
		assert.deepEqual(await app.sessions.list(), []);
	});

	it("counts as updated when it is renamed, pinned or unpinned, and so becomes the one its agent is turned to", async () => {
		const { app, summary, session, clock } = await openTestSession([{ text: "Hi." }]);
		const { sessions } = app;
		await session.send("Hello");
		const [one, other] = [summary.sessionId, (await sessions.create()).sessionId];
		const changes = [
			[one, () => sessions.rename(one, "Mine")],
			[other, () => sessions.pin(other, true)],
			[one, () => sessions.pin(one, true)],
			[other, () => sessions.pin(other, false)],
		] as const;
		for (const [changed, change] of changes) {
			clock.ahead += 60_000;
			await change();
			assert.equal((await sessions.latest("default")).sessionId, changed);
		}
	});

	it("is exported as Markdown and as JSON", async () => {
		const { summary, session, app } = await openTestSession([PLAN_CALL], { files: FILES });
		await session.send("Plan");
		const markdown = await joinText(await streamExport(app.sessions, summary, "markdown"));
		assert.match(markdown, /## You\n\nPlan/);
		assert.match(markdown, /started \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC · last changed \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n/);
		assert.match(markdown, /1\. Change the greeting/);
		assert.deepEqual(JSON.parse(await joinText(await streamExport(app.sessions, summary, "json"))).events, session.state.events);
	});

	it("moves up with messages, its name, its pin and what is set by anybody, not with what the host notes for itself", async () => {
		const setup = await openTestSession([{ text: "Hello." }], { files: FILES });
		const { sessions } = setup.app;
		const { sessionId } = setup.summary;
		const updated = async () => (await sessions.list()).find((session) => session.sessionId === sessionId)?.updatedAt ?? "";
		/** Whether it moved with something that happens a minute later. */
		const moves = async (act: () => Promise<unknown>) => {
			const before = await updated();
			setup.clock.ahead += 60_000;
			await act();
			return (await updated()) > before;
		};
		assert.equal(await moves(() => setup.session.send("Hi")), true, "a message");
		assert.equal(await moves(() => sessions.rename(sessionId, "Greetings")), true, "its name");
		assert.equal(await moves(() => sessions.pin(sessionId, true)), true, "its pin");
		assert.equal(await moves(() => setup.session.setRole("actor")), true, "its role");
		for (const by of ["person", "model", "api"] as const)
			assert.equal(await moves(() => sessions.mark(sessionId, "color", by, by)), true, `an attribute of the ${by}`);
		assert.equal(await moves(() => sessions.mark(sessionId, "unreviewed", true)), false, "a mark of the host");
		assert.equal(
			await moves(() => setup.session.eventLog.emit({ type: "status", level: "info", text: "Noted." }, "host")),
			false,
			"a line of the host",
		);
		assert.equal(await moves(() => sessions.clear(sessionId)), true, "its end and beginning");
	});
});

const PLAN_CALL = { calls: [{ name: "present_plan", input: PLAN }] };
