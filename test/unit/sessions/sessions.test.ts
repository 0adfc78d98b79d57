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
import { FILES, PLAN, results, stage, strike } from "../session/stage.ts";
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
		await strike();
		for (const made of homes.splice(0)) rmSync(made, { recursive: true, force: true });
	});

	it("waits with a question, and takes the chosen option as the next message", async () => {
		const scene = await stage([ASK, { text: "The second it is." }], { files: FILES });
		assert.equal((await scene.conversation.send("Choose")).outcome, "waiting");
		const { request } = await scene.event("question");
		await assert.rejects(scene.conversation.answer(request, { value: "2" }, "person"), { code: "early" });
		scene.clock.ahead += 1_000;
		await assert.rejects(scene.conversation.answer(request, { value: "3" }, "person"), { code: "malformed" });
		const end = await scene.conversation.answer(request, { value: "2" }, "person");
		assert.equal(end?.outcome, "done");
		assert.equal(scene.conversation.state.requests.get(request)?.state, "answered");
		const last = scene.conversation.state.events.findLast((event) => event.type === "user");
		assert.deepEqual(last?.type === "user" && [last.text, last.answers], ["The second", request]);
	});

	it("takes no second answer to a question that another window has answered since it was opened here", async () => {
		const place = home();
		const there = await stage([ASK, { text: "The first it is." }], { files: FILES, home: place });
		await there.conversation.send("Choose");
		const here = await stage([{ text: "The second it is." }], { home: place });
		const { request } = await there.event("question");
		for (const scene of [there, here]) scene.clock.ahead += 1_000;
		await there.conversation.answer(request, { value: "1" }, "person");
		await there.house.sessions.close();
		await assert.rejects(here.conversation.answer(request, { value: "2" }, "person"), { code: "expired" });
		await assert.rejects(here.conversation.answer(request, { allow: false }, "person"), { code: "expired" });
		assert.deepEqual([here.model.requests.length, here.types().filter((type) => type === "answered").length], [0, 1]);
	});

	it("takes other words as superseding a question that allows no custom answer", async () => {
		const scene = await stage([ASK, { text: "Fine." }], { files: FILES });
		await scene.conversation.send("Choose");
		const { request } = await scene.event("question");
		await scene.conversation.send("Forget it");
		assert.equal(scene.conversation.state.requests.get(request)?.state, "superseded");
	});

	it("keeps a dismissed question dismissed, and asks the model nothing", async () => {
		const scene = await stage([ASK], { files: FILES });
		await scene.conversation.send("Choose");
		const { request } = await scene.event("question");
		scene.clock.ahead += 1_000;
		await scene.conversation.answer(request, { allow: false }, "person");
		assert.equal(scene.conversation.state.requests.get(request)?.state, "dismissed");
		assert.equal(scene.model.requests.length, 1);
	});

	it("whose id exists is attached to as it is, for its own agent or none named", async () => {
		const { house } = await stage([{ text: "Hello." }], { agents: AGENTS });
		const { sessions } = house;
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
		const { house } = await stage([], { agents: AGENTS });
		const { sessions } = house;
		const made = await sessions.create({ sessionId: "EXTERNAL-123", name: "Ticket" });
		const taken = (error: unknown) => (error instanceof SessionExistsError && error.code === "exists" ? error : undefined);
		const other = await sessions.create({ sessionId: "EXTERNAL-123", agentId: "writer" }).catch(taken);
		assert.ok(other instanceof SessionExistsError);
		assert.deepEqual([other.session.sessionId, other.session.agentId, other.session.name], [made.sessionId, made.agentId, "Ticket"]);
		assert.match(other.message, /belongs to the agent default/);
		await house.store.create(taskSummary("work-1"));
		const work = await sessions.create({ sessionId: "work-1", agentId: made.agentId }).catch(taken);
		assert.ok(work instanceof SessionExistsError);
		assert.deepEqual([work.session.kind, /background task/.test(work.message)], ["task", true]);
		const left = await sessions.list();
		assert.deepEqual(left.find(({ sessionId }) => sessionId === made.sessionId)?.agentId, made.agentId);
	});

	it("goes to the first of two windows that create it, and the other attaches or is refused", async () => {
		const place = home();
		const here = { home: place, agents: AGENTS };
		const [one, two, three] = [await stage([], here), await stage([], here), await stage([], here)];
		const create = (scene: typeof one, agentId: string) => scene.house.sessions.create({ sessionId: "EXTERNAL-123", agentId });
		const made = await Promise.allSettled([create(one, "writer"), create(two, "writer"), create(three, "default")]);
		const [listed] = (await one.house.sessions.list()).filter(({ sessionId }) => sessionId === "EXTERNAL-123");
		const agents = made.map((result) =>
			result.status === "fulfilled" ? result.value.agentId : (result.reason as SessionExistsError).code,
		);
		const expected = listed?.agentId === "writer" ? ["writer", "writer", "exists"] : ["exists", "exists", "default"];
		assert.deepEqual(agents, expected);
	});

	it("whose id was used by a deleted one begins anew, also where something of that is left on disk", async () => {
		const place = home();
		const { house } = await stage([{ text: "Hello." }, { text: "Hello." }], { home: place, agents: AGENTS });
		const { sessions } = house;
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
		const scene = await stage([{ calls: [{ name: "list_directory", input: { path: "." } }], until }, { text: "Both done." }], {
			files: FILES,
		});
		const first = scene.conversation.send("One");
		await scene.model.asked;
		const second = scene.conversation.send("Two");
		await scene.event("queued");
		assert.deepEqual(scene.conversation.queued, ["Two"]);
		open();
		assert.equal((await first).turn, (await second).turn);
		const said = scene.model.requests[1]?.events.flatMap((event) => (event.type === "user" ? [event.text] : []));
		assert.deepEqual(said, ["One", "Two"]);
	});

	it("does not take for an answer what was typed before the question was asked", async () => {
		const ask = { calls: [{ name: "ask_question", input: { question: "Delete the database?", allow_custom: true } }] };
		let second: Promise<unknown> | undefined;
		const scene: Awaited<ReturnType<typeof stage>> = await stage(
			(_, call) => {
				second ??= scene.conversation.send("Also look at the readme");
				return call === 0 ? ask : { text: "Read it." };
			},
			{ files: FILES },
		);
		await scene.conversation.send("Clean up");
		await second;
		const { request } = await scene.event("question");
		assert.equal(scene.conversation.state.requests.get(request)?.state, "superseded");
	});

	it("ends as interrupted when its window closes, and its plan can go on", async () => {
		const place = home();
		const plan = { calls: [{ name: "present_plan", input: PLAN }] };
		const scene = await stage([plan, { text: "", until: new Promise(() => undefined) }], { files: FILES, home: place });
		await scene.conversation.send("Plan");
		const turn = scene.conversation.executePlan({});
		await scene.event("started", ({ role }) => role === "actor");
		await strike();
		assert.equal((await turn).outcome, "interrupted");
		const after = await stage([], { home: place });
		assert.equal(after.conversation.state.plans[0]?.state, "running");
	});

	it("keeps the words of an answer that broke off", async () => {
		const cut = { text: "So far so good", error: new ModelError("cut", "The connection was cut.") };
		const { conversation } = await stage([cut], { files: FILES });
		assert.equal((await conversation.send("Tell me")).outcome, "failed");
		assert.equal(conversation.state.events.find((event) => event.type === "assistant")?.text, "So far so good");
	});

	it("closes what a host that died left open, and runs nothing again", async () => {
		const place = home();
		const before = await stage([PLAN_CALL], { files: FILES, home: place });
		await before.conversation.send("Plan");
		const { sessionId } = before.session;
		const seq = before.conversation.state.seq;
		await strike();
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
		const after = await stage([], { home: place });
		assert.deepEqual(after.types().slice(-3), ["expired", "result", "ended"]);
		assert.equal(results(after.conversation).at(-1)?.status, "unknown");
		assert.equal(after.conversation.state.outcome, "interrupted");
		assert.equal(after.model.requests.length, 0);
	});

	it("stays what it was when the line that says so cannot be read", async () => {
		const place = home();
		const { session } = await stage([], { home: place });
		await strike();
		const path = join(place, "storage", "sessions", session.sessionId, "current.jsonl");
		writeFileSync(path, readFileSync(path, "utf8").replace('"type":"role"', '"type":"ro'));
		const { conversation } = await stage([], { home: place });
		assert.equal(conversation.state.role, "planner");
		assert.equal(conversation.damaged, 1);
	});

	it("loads an older transcript as what an actor said in text", async () => {
		const place = home();
		const folder = join(place, "storage", "sessions", "old-1");
		mkdirSync(folder, { recursive: true });
		writeFileSync(
			join(folder, "current.jsonl"),
			`${JSON.stringify({ role: "user", content: "Hello" })}\n${JSON.stringify({ role: "assistant", content: "Hi" })}\n`,
		);
		const { conversation, session } = await stage([], { home: place });
		assert.equal(session.role, "actor");
		assert.deepEqual(
			conversation.state.events.map((event) => [event.type, "text" in event ? event.text : ""]),
			[
				["user", "Hello"],
				["assistant", "Hi"],
			],
		);
	});

	it("is renamed, pinned, cleared and deleted without losing its identity before that", async () => {
		const { house, session, conversation } = await stage([{ text: "Hi." }], { files: FILES });
		await conversation.send("Hello");
		await house.sessions.rename(session.sessionId, "Mine");
		await house.sessions.pin(session.sessionId, true);
		await house.sessions.clear(session.sessionId);
		const [listed] = await house.sessions.list();
		assert.deepEqual([listed?.name, listed?.pinnedAt !== undefined, listed?.messageCount, listed?.role], ["Mine", true, 0, "planner"]);
		assert.equal(JSON.stringify(listed).includes("Hello"), false, "what was first said is gone as well");
		await house.sessions.delete(session.sessionId);
		assert.deepEqual(await house.sessions.list(), []);
	});

	it("counts as updated when it is renamed, pinned or unpinned, and so becomes the one its agent is turned to", async () => {
		const { house, session, conversation, clock } = await stage([{ text: "Hi." }]);
		const { sessions } = house;
		await conversation.send("Hello");
		const [one, other] = [session.sessionId, (await sessions.create()).sessionId];
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
		const { session, conversation, house } = await stage([PLAN_CALL], { files: FILES });
		await conversation.send("Plan");
		const markdown = await joinText(await streamExport(house.sessions, session, "markdown"));
		assert.match(markdown, /## You\n\nPlan/);
		assert.match(markdown, /started \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC · last changed \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n/);
		assert.match(markdown, /1\. Change the greeting/);
		assert.deepEqual(JSON.parse(await joinText(await streamExport(house.sessions, session, "json"))).events, conversation.state.events);
	});

	it("moves up with messages, its name, its pin and what is set by anybody, not with what the host notes for itself", async () => {
		const scene = await stage([{ text: "Hello." }], { files: FILES });
		const { sessions } = scene.house;
		const { sessionId } = scene.session;
		const updated = async () => (await sessions.list()).find((session) => session.sessionId === sessionId)?.updatedAt ?? "";
		/** Whether it moved with something that happens a minute later. */
		const moves = async (act: () => Promise<unknown>) => {
			const before = await updated();
			scene.clock.ahead += 60_000;
			await act();
			return (await updated()) > before;
		};
		assert.equal(await moves(() => scene.conversation.send("Hi")), true, "a message");
		assert.equal(await moves(() => sessions.rename(sessionId, "Greetings")), true, "its name");
		assert.equal(await moves(() => sessions.pin(sessionId, true)), true, "its pin");
		assert.equal(await moves(() => scene.conversation.setRole("actor")), true, "its role");
		for (const by of ["person", "model", "api"] as const)
			assert.equal(await moves(() => sessions.mark(sessionId, "color", by, by)), true, `an attribute of the ${by}`);
		assert.equal(await moves(() => sessions.mark(sessionId, "unreviewed", true)), false, "a mark of the host");
		assert.equal(
			await moves(() => scene.conversation.eventLog.emit({ type: "status", level: "info", text: "Noted." }, "host")),
			false,
			"a line of the host",
		);
		assert.equal(await moves(() => sessions.clear(sessionId)), true, "its end and beginning");
	});
});

const PLAN_CALL = { calls: [{ name: "present_plan", input: PLAN }] };
