// Tests combined session operations: summary after rewind, rewind after summary, and two windows.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRewindActions } from "../../../src/chat/historyActions.ts";
import { ModelError, type ModelRequest } from "../../../src/core/ports/model.ts";
import { visibleEvents } from "../../../src/core/transcript/fold.ts";
import { currentPlan } from "../../../src/core/transcript/state.ts";
import type { ScriptedAnswer } from "../../fakes/scriptedModel.ts";
import { composing, rewindHost } from "./rewindFixture.ts";
import { closeTestSessions, EDIT, FILES, openTestSession, PLAN, type TestSession } from "./testSession.ts";

/** Plays its answers, and sums up when it is asked to. */
function playing(answers: ScriptedAnswer[]) {
	let next = 0;
	return (request: ModelRequest) => (request.tools.length === 0 ? { text: "## Goal\nHello." } : (answers[next++] ?? { text: "Done." }));
}

const PLAN_CALL = { calls: [{ name: "present_plan", input: PLAN }] };

function back({ session }: TestSession, answer?: string) {
	const host = rewindHost();
	host.answer = answer;
	const acts = createRewindActions({ on: async () => session, host, bring: composing, returnToComposer: () => undefined });
	const id = (text: string) => session.state.events.find((event) => event.type === "user" && event.text === text)?.id ?? text;
	const { sessionId } = session;
	return {
		host,
		to: (text: string) => acts.rewind({ type: "rewind", session: sessionId, message: id(text) }),
		resend: (text: string, words: string) => acts.resend({ type: "resend", session: sessionId, message: id(text), text: words }),
		retry: () => acts.retry({ type: "retry", session: sessionId }),
	};
}

describe("a session that is summed up and goes back", () => {
	const homes: string[] = [];
	afterEach(async () => {
		await closeTestSessions();
		for (const made of homes.splice(0)) rmSync(made, { recursive: true, force: true });
	});

	it("does not approve a plan again whose approval was taken back", async () => {
		const set = await openTestSession(playing([PLAN_CALL, { text: "Began." }]), { files: FILES });
		const { session } = set;
		await session.send("Plan");
		await session.executePlan({});
		await back(set, "Restore Conversation").to("Execute the plan.");
		await session.setRole("actor");
		assert.deepEqual([currentPlan(session.state)?.state, session.state.run], ["proposed", undefined]);
		await session.compact();
		assert.deepEqual([currentPlan(session.state)?.state, session.state.run], ["proposed", undefined]);
	});

	it("does not let a plan run on that the person has stopped", async () => {
		const tooLong = new ModelError("context", "The prompt is longer than the model takes.");
		const set = await openTestSession(playing([PLAN_CALL, { text: "Began." }, { error: tooLong }, { text: "Something else." }]), {
			files: FILES,
		});
		const { session } = set;
		await session.send("Plan");
		await session.executePlan({});
		await session.cancel();
		await back(set, "Keep Files and Send").resend("Execute the plan.", "Tell me of it first");
		assert.ok(session.state.events.some(({ type }) => type === "compacted"));
		assert.deepEqual([currentPlan(session.state)?.state, session.state.run], ["stopped", undefined]);
	});

	it("begins as who it is under the id of one that was deleted while a chat showed it", async () => {
		const { app, summary } = await openTestSession(playing([]), { files: FILES });
		const { sessions } = app;
		await sessions.delete(summary.sessionId);
		await sessions.get(summary.sessionId);
		await sessions.create({ sessionId: summary.sessionId, role: "planner" });
		const { state } = await sessions.get(summary.sessionId);
		assert.deepEqual([state.role, state.events.map(({ type }) => type)], ["planner", ["agent", "role"]]);
	});

	it("goes back to before a message whose turn was summed up on its way, with all files that the turn changed until then", async () => {
		const tooLong = new ModelError("context", "The prompt is longer than the model takes.");
		const more = { calls: [{ name: "create_file", input: { path: "more.md", content: "More\n" } }] };
		const set = await openTestSession(playing([{ calls: [EDIT] }, { error: tooLong }, more, { text: "Done." }]), {
			files: FILES,
			role: "actor",
			settings: { approval: "edits" },
		});
		const { session, app } = set;
		await session.send("Louder");
		const { state } = session;
		assert.ok(state.events.some(({ type }) => type === "compacted"));
		const [changed] = state.changedIn.values();
		assert.deepEqual([...(changed?.keys() ?? [])].sort(), ["more.md", "src/hello.ts"]);
		const person = back(set, "Restore Files");
		await person.to("Louder");
		const named = (person.host.asked[0]?.detail ?? "").match(/• \S+/g);
		assert.deepEqual(named?.sort(), ["• more.md", "• src/hello.ts"]);
		assert.equal(readFileSync(join(app.folder, "src/hello.ts"), "utf8"), FILES["src/hello.ts"]);
		assert.equal(existsSync(join(app.folder, "more.md")), false);
	});

	it("moves to the window where the person writes, and back, though the other one stays open", async () => {
		const home = mkdtempSync(join(tmpdir(), "troupe-home-"));
		homes.push(home);
		const here = await openTestSession(playing([]), { files: FILES, home });
		await here.session.send("One");
		const there = await openTestSession(playing([]), { home });
		await there.session.send("Two");
		await here.session.send("Three");
		const said = visibleEvents(here.session.state).flatMap((event) => (event.type === "user" ? [event.text] : []));
		assert.deepEqual(said, ["One", "Two", "Three"]);
	}).timeout(30_000);

	it("retries the message that is the last now, when another window has gone on and summed up meanwhile", async () => {
		const home = mkdtempSync(join(tmpdir(), "troupe-home-"));
		homes.push(home);
		const first = await openTestSession(playing([]), { files: FILES, home });
		await first.session.send("One");
		await first.app.close();
		const here = await openTestSession(playing([]), { home });
		const there = await openTestSession(playing([]), { home });
		await there.session.send("Two");
		await there.session.compact();
		await there.session.send("Three");
		await there.app.close();
		await back(here).retry();
		const { state } = here.session;
		const left = visibleEvents(state).flatMap((event) => (event.type === "user" ? [event.text] : [event.type]));
		assert.deepEqual(
			left.filter((word) => ["One", "Two", "Three", "compacted"].includes(word)),
			["compacted", "Three"],
		);
	});
});
