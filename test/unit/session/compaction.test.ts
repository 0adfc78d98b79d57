// A conversation summed up: what goes on from it, what waits, what is kept, and what a crash leaves.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import { ModelError, type ModelRequest } from "../../../src/core/ports/model.ts";
import { currentPlan, pendingQuestion } from "../../../src/core/transcript/state.ts";
import { UserError } from "../../../src/core/userError.ts";
import { createTroupeApi } from "../../../src/integrations/exportedApi.ts";
import { createOfflineProvider } from "../../../src/models/offline/offline.ts";
import { measureContextUsage } from "../../../src/session/contextWindow/usage.ts";
import { readArchiveAsMarkdown } from "../../../src/sessions/exportSession.ts";
import { nodeFileSystem } from "../../../src/storage/fileSystem.ts";
import { createSessionStore } from "../../../src/storage/sessions/sessionStore.ts";
import { type ScriptedAnswer, scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp } from "../../fakes/testApp.ts";
import { closeTestSessions, FILES, openTestSession, PLAN } from "./testSession.ts";

const SUMMARY = "## Goal\nSay hello louder.\n## Next step\nChange the greeting.";
const isSummary = ({ tools }: ModelRequest) => tools.length === 0;
const PLAN_CALL = { calls: [{ name: "present_plan", input: PLAN }] };

/** Plays its answers, and sums up when it is asked to. */
function playing(answers: ScriptedAnswer[], summary: ScriptedAnswer = { text: SUMMARY }) {
	let next = 0;
	return (request: ModelRequest) => (isSummary(request) ? summary : (answers[next++] ?? { text: "Done." }));
}

const types = (events: readonly TranscriptEvent[]) => events.map(({ type }) => type);

describe("a conversation that is summed up", () => {
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

	it("goes on with who it is, the summary, and what the session cost; the archive holds the rest", async () => {
		const usage = { input: 1_000, output: 100 };
		const { session, app, summary, model } = await openTestSession(playing([{ text: "Hi.", usage }], { text: SUMMARY, usage }), {
			files: FILES,
			info: { price: { input: 1, output: 10 } },
		});
		await session.send("Hello");
		const before = structuredClone(session.state.events);
		await session.compact();
		const { state } = session;
		assert.deepEqual(types(state.events), ["agent", "role", "compacted", "ended"]);
		assert.deepEqual(
			state.events.map(({ seq }) => seq),
			[1, 2, 3, 4],
		);
		const compacted = state.events[2];
		assert.ok(compacted?.type === "compacted");
		assert.equal(compacted.summary, SUMMARY);
		assert.deepEqual([state.messages, state.title, state.role], [2, "Hello", "planner"]);
		assert.deepEqual(measureContextUsage(session).session, { input: 2_000, output: 200, cached: 0, cost: 0.004, unpriced: 0 });
		const archived = await app.store.read(summary.sessionId, compacted.archive);
		assert.deepEqual(archived.events.slice(0, before.length), before);
		assert.match(await readArchiveAsMarkdown(app.sessions, summary.sessionId, compacted.archive), /## You\n\nHello\n\n## Agent\n\nHi\./);
		await session.send("And now?");
		const said = model.requests.at(-1)?.events.map((event) => ("summary" in event ? event.summary : "text" in event ? event.text : ""));
		assert.deepEqual(said?.filter(Boolean), [SUMMARY, "And now?"]);
		const [listed] = await app.sessions.list();
		assert.deepEqual([listed?.messageCount, listed?.attributes?.["title"]], [4, "Hello"]);
	});

	it("leaves the list of sessions as it was", async () => {
		const { session, app } = await openTestSession(playing([{ text: "Hi there." }]), { files: FILES });
		await session.send("Hello");
		await session.compact();
		const [listed] = await app.sessions.list();
		assert.deepEqual([listed?.messageCount, listed?.lastSnippet, listed?.role], [2, "Hi there.", "planner"]);
	});

	it("reads the same from disk, in this window and in another", async () => {
		const place = home();
		const setup = await openTestSession(playing([PLAN_CALL]), { files: FILES, home: place });
		await setup.session.send("Plan");
		await setup.session.compact();
		const grown = structuredClone(setup.session.state);
		await closeTestSessions();
		const { session } = await openTestSession([], { home: place });
		assert.deepEqual(structuredClone(session.state), grown);
	});

	it("keeps a proposed plan that can be executed, and a plan that runs with its steps", async () => {
		const step = (status: string) => ({ name: "update_step", input: { step_number: 1, status } });
		const plan = { calls: [{ name: "present_plan", input: { ...PLAN, steps: [...PLAN.steps, { step_number: 2, action: "Look" }] } }] };
		const setup = await openTestSession(playing([plan, { calls: [step("running"), step("done")] }, { text: "Half done." }]), {
			files: FILES,
		});
		const { session } = setup;
		await session.send("Plan");
		await session.compact();
		assert.equal(currentPlan(session.state)?.state, "proposed");
		assert.equal((await session.executePlan({})).outcome, "done");
		await session.compact();
		const { run } = session.state;
		assert.deepEqual([run?.state, [...(run?.steps ?? [])], session.state.role], ["running", [[1, "done"]], "actor"]);
		await session.cancel();
		await session.compact();
		assert.deepEqual([currentPlan(session.state)?.state, session.state.run], ["stopped", undefined]);
	});

	it("keeps a question that waits, and its answer arrives", async () => {
		const ask = { calls: [{ name: "ask_question", input: { question: "Which one?", allow_custom: true } }] };
		const { session, clock } = await openTestSession(playing([ask, { text: "Blue it is." }]), { files: FILES });
		await session.send("Choose");
		const request = pendingQuestion(session.state)?.request ?? "";
		await session.compact();
		assert.equal(pendingQuestion(session.state)?.request, request);
		clock.ahead += 1_000;
		const end = await session.answer(request, { value: "Blue" }, "person");
		assert.equal(end?.outcome, "done");
		assert.equal(session.state.requests.get(request)?.state, "answered");
	});

	it("says why there is no summary, and nothing else has changed", async () => {
		const { session, app, summary } = await openTestSession(playing([{ text: "Hi." }], { error: new UserError("The server is gone.") }), {
			files: FILES,
		});
		await session.send("Hello");
		const before = structuredClone(session.state.events);
		await session.compact();
		const { events } = session.state;
		assert.deepEqual(events.slice(0, before.length), before);
		assert.deepEqual(types(events.slice(before.length)), ["started", "status", "ended"]);
		const status = events.at(-2);
		assert.match(status?.type === "status" ? status.text : "", /conversation is unchanged.*server is gone/);
		assert.deepEqual(await app.store.archives(summary.sessionId), []);
	});

	it("is refused while a turn runs and where nothing was said, and a message sent meanwhile comes after it", async () => {
		let open: () => void = () => undefined;
		const until = new Promise<void>((resolve) => {
			open = resolve;
		});
		const { session, event } = await openTestSession(playing([{ text: "Hi." }, { text: "Later." }], { text: SUMMARY, until }), {
			files: FILES,
		});
		await assert.rejects(session.compact(), { code: "nothing-to-compact" });
		await session.send("Hello");
		const compacting = session.compact();
		await event("started", ({ seq }) => seq > 6);
		await assert.rejects(session.compact(), { code: "turn-running" });
		const later = session.send("Later");
		await event("queued");
		open();
		await compacting;
		assert.equal((await later).outcome, "done");
		assert.deepEqual(types(session.state.events).slice(2, 7), ["compacted", "queued", "ended", "user", "started"]);
	});

	it("can be stopped, and then nothing has changed", async () => {
		const { session, event, app, summary } = await openTestSession(
			playing([PLAN_CALL], { text: SUMMARY, until: new Promise(() => undefined) }),
			{ files: FILES },
		);
		await session.send("Plan");
		const compacting = session.compact();
		await event("started", ({ seq }) => seq > 6);
		await session.cancel();
		await compacting;
		assert.deepEqual(await app.store.archives(summary.sessionId), []);
		assert.equal(currentPlan(session.state)?.state, "proposed");
	});

	it("comes by itself in a turn whose window is full of words, and the turn goes on", async () => {
		const long = "word ".repeat(8_000);
		const count = (request: ModelRequest) => ({ input: Math.ceil(JSON.stringify(request.events).length / 4), output: 10 });
		const calls = () => [{ name: "read_file", input: { path: "README.md", end: asked } }];
		let asked = 0;
		const { session, model, app, summary } = await openTestSession(
			(request) => {
				if (isSummary(request)) return { text: SUMMARY, usage: count(request) };
				asked += 1;
				return asked < 4
					? { text: long, calls: calls(), usage: { ...count(request), output: 10_000 } }
					: { text: "Finished.", usage: count(request) };
			},
			{ files: FILES, info: { window: 32_000, maxOutput: 2_000 } },
		);
		const told = await createTroupeApi(app.sessions).send(summary.sessionId, "Talk a lot");
		assert.equal(told.outcome, "done");
		assert.deepEqual(
			told.toolCalls.map(({ name, status }) => [name, status]),
			[1, 2, 3].map(() => ["read_file", "ok"]),
		);
		const { state } = session;
		assert.ok(types(state.events).includes("compacted"), types(state.events).join());
		assert.equal(state.events.find((event) => event.type === "user")?.text, "Talk a lot");
		assert.equal(state.turn, undefined);
		assert.ok(model.requests.every((request) => count(request).input < 30_000));
	});

	it("keeps what a running plan did not foresee, and which files changed", async () => {
		const stray = { name: "create_file", input: { path: "notes.md", content: "Stray\n" } };
		const start = { name: "update_step", input: { step_number: 1, status: "running" } };
		const tooLong = new ModelError("context", "The prompt is longer than the model takes.");
		const { session } = await openTestSession(playing([PLAN_CALL, { calls: [start, stray] }, { error: tooLong }, { text: "Continued." }]), {
			files: FILES,
		});
		await session.send("Plan");
		assert.equal((await session.executePlan({})).outcome, "done");
		const { state } = session;
		assert.ok(types(state.events).includes("compacted"));
		assert.deepEqual([state.run?.step, state.run?.deviations.map(({ path }) => path)], [1, ["notes.md"]]);
		assert.deepEqual([...state.changed.keys()], ["notes.md"]);
		const warning = state.events.find((event) => event.type === "status" && event.level === "warning");
		assert.match(warning?.type === "status" ? warning.text : "", /outside the plan: notes\.md/);
	});

	it("is summed up by rules where the model is the offline one", async () => {
		const app = await openTestApp({ model: createOfflineProvider(), files: FILES });
		const { sessionId } = await app.sessions.create({ role: "planner" });
		const session = await app.sessions.get(sessionId);
		await session.send("Rename greeting to salute in src/hello.ts");
		await session.compact();
		const compacted = session.state.events.find((event) => event.type === "compacted");
		assert.match(compacted?.type === "compacted" ? compacted.summary : "", /Goal[\s\S]*- Rename greeting to salute[\s\S]*Files touched/);
		await app.close();
	});

	it("leaves the old conversation or the new one, whole, wherever it is cut", async () => {
		const place = home();
		const setup = await openTestSession(playing([PLAN_CALL, { text: "Hi." }]), { files: FILES, home: place });
		await setup.session.send("Plan");
		await setup.session.send("Hello");
		const { sessionId } = setup.summary;
		const old = structuredClone(setup.session.state.events);
		await closeTestSessions();
		const seen = new Set<string>();
		for (let cut = 0; ; cut += 1) {
			const copy = home();
			cpSync(place, copy, { recursive: true });
			const finished = await compactUntil(copy, sessionId, cut);
			const app = await openTestApp({ home: copy, model: scriptedModel([]) });
			const session = await app.sessions.get(sessionId);
			const { events } = session.state;
			const isNew = events.some(({ type }) => type === "compacted");
			if (isNew) {
				const compacted = events.find((event) => event.type === "compacted");
				const archived = await app.store.read(sessionId, compacted?.type === "compacted" ? compacted.archive : "");
				assert.deepEqual(archived.events.slice(0, old.length), old, `cut ${cut}: the archive lacks something`);
				assert.equal(currentPlan(session.state)?.state, "proposed");
			} else assert.deepEqual(events.slice(0, old.length), old, `cut ${cut}: the old conversation lacks something`);
			assert.equal(session.damaged, 0);
			seen.add(isNew ? "new" : "old");
			await session.note("Goes on");
			assert.equal((await app.store.read(sessionId)).events.at(-1)?.type, "status");
			await app.close();
			if (finished) break;
		}
		assert.deepEqual([...seen].sort(), ["new", "old"]);
	});
});

/** Sums up with a disk that stops working, as it would in a crash, after so many steps; true when it did not come to that. */
async function compactUntil(home: string, sessionId: string, steps: number): Promise<boolean> {
	let left = steps;
	let dead = false;
	const dying = <Step extends (...values: never[]) => Promise<unknown>>(step: Step): Step =>
		(async (...values: Parameters<Step>) => {
			if (armed && left === 0) dead = true;
			if (dead) throw Object.assign(new Error("the machine is gone"), { code: "EIO" });
			if (armed) left -= 1;
			return step(...values);
		}) as unknown as Step;
	let armed = false;
	const { open, rename, link, rm } = nodeFileSystem;
	const files = {
		...nodeFileSystem,
		open: dying(open),
		rename: dying(rename as never),
		link: dying(link as never),
		rm: dying(rm as never),
	} as typeof nodeFileSystem;
	const root = join(home, "storage");
	const store = createSessionStore({ root, files, index: { get: () => undefined, set: async () => undefined } });
	const model = scriptedModel([{ text: SUMMARY }]);
	const app = await openTestApp({ home, model });
	const { Session } = await import("../../../src/session/session.ts");
	const nobody = { event() {}, live() {}, changed() {}, reloaded() {}, taken() {}, reading() {}, returned() {} };
	const session = await new Session(sessionId, {
		services: { ...app.services, store },
		policy: app.policy,
		own: app.services.window,
		listener: nobody,
	}).open();
	armed = true;
	await session.compact().catch(() => undefined);
	armed = false;
	dead = true;
	await store.close().catch(() => undefined);
	await app.close();
	// The lock of a process that died is nobody's; this one lives on.
	rmSync(join(root, "sessions", sessionId, "owner.json"), { force: true });
	return left > 0;
}
