// “Allow in This Session” through the whole app: what it lets pass, where it is seen, and what ends it.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTroupeApi } from "../../../src/integrations/exportedApi.ts";
import { createApprovalList } from "../../../src/sessions/approvalList.ts";
import { closeTestSessions, EDIT, FILES, openTestSession, results, type TestSession } from "./testSession.ts";

const run = (command: string) => ({ calls: [{ name: "execute_command", input: { command } }] });
const PACKAGE = { "package.json": '{ "scripts": { "test": "echo tested" } }\n' };
const OTHER = { agentId: "other", displayName: "Other" };

const asked = ({ session }: TestSession) => session.state.events.filter(({ type }) => type === "asked").length;

/** Runs the same command with every message, as an actor. */
const npmTests = (options: Parameters<typeof openTestSession>[1] = {}) =>
	openTestSession((request) => (request.events.at(-1)?.type === "result" ? { text: "Done." } : run("npm test")), {
		files: PACKAGE,
		role: "actor",
		agents: [OTHER],
		...options,
	});

/** Says something, and answers what is asked then; resolves with whether anything was. */
async function say(setup: TestSession, answer: Parameters<TestSession["answer"]>[0] = { allow: false }): Promise<boolean> {
	const before = asked(setup);
	const request = setup.next("asked");
	const turn = setup.session.send("Test");
	await Promise.race([turn, request]);
	if (asked(setup) > before) {
		const { request: id, hash } = await request;
		setup.clock.ahead += 1_000;
		await setup.session.answer(id, answer, "person", hash);
	}
	await turn;
	return asked(setup) > before;
}

describe("an approval for the session", () => {
	afterEach(closeTestSessions);

	it("says what it covers, lets the same pass in that session alone, and stands nowhere on disk", async () => {
		const setup = await npmTests();
		assert.equal(await say(setup, { allow: true, scope: "session" }), true);
		const { session, always } = await setup.event("asked");
		assert.match(String(session), /^Allows npm test in this session until its definition (in package\.json )?changes\.$/);
		assert.notEqual(always, session);
		assert.deepEqual((await setup.event("answered")).answer, { allow: true, scope: "session" });
		assert.equal(await say(setup), false);
		assert.equal(existsSync(join(setup.app.folder, "..", "global", "grants.json")), false);
		const { sessionId } = await setup.app.sessions.create({ role: "actor" });
		const another = await setup.app.sessions.get(sessionId);
		const turn = another.send("Test");
		while (another.state.requests.size === 0) await new Promise((resolve) => setImmediate(resolve));
		await another.cancel();
		await turn;
	});

	it("is bound to what it was given for", async () => {
		const setup = await npmTests();
		await say(setup, { allow: true, scope: "session" });
		const ended = async () => (await createApprovalList(setup.app.sessions).rows()).map((row) => row.ended);
		assert.deepEqual(await ended(), [undefined]);
		writeFileSync(join(setup.app.folder, "package.json"), '{ "scripts": { "test": "echo other" } }\n');
		assert.match(String(await ended()), /^The command's definition (in package\.json )?has changed\.$/);
		assert.equal(await say(setup), true);
	});

	it("ends when another agent takes over, and does not come back with the first", async () => {
		const setup = await npmTests();
		await say(setup, { allow: true, scope: "session" });
		await setup.session.setAgent("other");
		assert.equal(await say(setup, { allow: true, scope: "session" }), true);
		await setup.session.setAgent("default");
		assert.equal(await say(setup), true);
		await setup.session.setAgent("other");
		assert.equal(await say(setup), true);
	});

	it("keeps nothing for an agent that was switched away from while the card waited", async () => {
		const setup = await npmTests();
		const turn = setup.session.send("Test");
		await setup.event("asked");
		await setup.session.setAgent("other");
		await setup.answer({ allow: true, scope: "session" });
		await turn;
		assert.deepEqual([results(setup.session)[0]?.status, await setup.app.sessions.approvedInSessions()], ["ok", []]);
		assert.equal(setup.session.decisions.approved.allowed("execute_command npm test"), 0);
		await setup.session.setAgent("default");
		assert.equal(await say(setup), true);
	});

	it("ends with the agent's definition, and not with what is always allowed beside it", async () => {
		const agents = [{ ...OTHER, systemPrompt: "Test.", allowedTools: [] as string[] }];
		const setup = await npmTests({ agents });
		await setup.session.setAgent("other");
		await say(setup, { allow: true, scope: "session" });
		agents[0] = { ...(agents[0] as (typeof agents)[number]), allowedTools: ["update_file"] };
		assert.equal(await say(setup), false);
		agents[0] = { ...(agents[0] as (typeof agents)[number]), systemPrompt: "Test, and send it to me." };
		assert.equal(await say(setup), true);
	});

	it("ends with the window, and with a history that is cleared", async () => {
		for (const end of ["close", "clear"] as const) {
			const setup = await npmTests();
			await say(setup, { allow: true, scope: "session" });
			const { sessions } = setup.app;
			const { sessionId } = setup.summary;
			await (end === "close" ? sessions.close() : sessions.clear(sessionId));
			assert.deepEqual(await sessions.approvedInSessions(), []);
			const session = await sessions.get(sessionId);
			assert.equal(await say({ ...setup, session }), true, end);
			await closeTestSessions();
		}
	});

	it("lets no role do more than it may", async () => {
		const setup = await openTestSession((request) => (request.events.at(-1)?.type === "result" ? { text: "Done." } : { calls: [EDIT] }), {
			files: FILES,
			role: "actor",
			settings: { approval: "ask" },
		});
		await say(setup, { allow: true, scope: "session" });
		await setup.session.setRole("planner");
		await setup.session.send("Again");
		assert.deepEqual(
			results(setup.session).map(({ status }) => status),
			["ok", "denied"],
		);
	});

	it("is listed under its session, and taken back there", async () => {
		const setup = await npmTests();
		await say(setup, { allow: true, scope: "session" });
		await setup.app.sessions.rename(setup.summary.sessionId, "Fix prices");
		const rows = await createApprovalList(setup.app.sessions).rows();
		assert.deepEqual(
			rows.map(({ agentId, entry, place, session, ended }) => ({ agentId, entry, place, session, ended })),
			[
				{
					agentId: "default",
					entry: "execute_command(npm test)",
					place: "in the session “Fix prices”",
					session: { id: setup.summary.sessionId, name: "Fix prices" },
					ended: undefined,
				},
			],
		);
		assert.match(rows[0]?.sentence ?? "", /^Approved on .*\. Allows npm test in this session until/);
		for (const row of rows) await createApprovalList(setup.app.sessions).revoke(row);
		assert.deepEqual(await createApprovalList(setup.app.sessions).rows(), []);
		assert.equal(await say(setup), true);
	});
});

describe("an answer to an approval", () => {
	afterEach(closeTestSessions);

	it("counts as once where it names a scope that was not offered, whoever gives it", async () => {
		for (const answer of [
			{ allow: true, always: true },
			{ allow: true, scope: "session" as const },
			{ allow: true, scope: "for ever" as "once" },
		]) {
			const setup = await openTestSession([{ calls: [{ name: "delete_file", input: { path: "README.md" } }] }, { text: "Done." }], {
				files: FILES,
				role: "actor",
			});
			const turn = setup.session.send("Tidy up");
			const { request, session, always, hash } = await setup.event("asked");
			assert.deepEqual([session, always], [undefined, undefined]);
			setup.clock.ahead += 1_000;
			if (answer.always) await createTroupeApi(setup.app.sessions).answer(setup.summary.sessionId, request, answer);
			else await setup.session.answer(request, answer, "person", hash);
			await turn;
			assert.deepEqual((await setup.event("answered")).answer, { allow: true });
			assert.deepEqual([setup.session.decisions.approved.grants, await setup.app.services.grants.list("default")], [[], []]);
			await closeTestSessions();
		}
	});

	it("of scope always is that of before, for whoever reads the transcript with an older version, too", async () => {
		for (const answer of [
			{ allow: true, always: true },
			{ allow: true, scope: "always" as const },
		]) {
			const setup = await npmTests();
			await say(setup, answer);
			assert.deepEqual((await setup.event("answered")).answer, { allow: true, scope: "always", always: true });
			assert.equal((await setup.app.services.grants.list("default")).length, 1);
			assert.equal(await say(setup), false);
			await closeTestSessions();
		}
	});

	it("that denies has no scope", async () => {
		const setup = await npmTests();
		await say(setup, { allow: false, scope: "always", reason: "No" });
		assert.deepEqual((await setup.event("answered")).answer, { allow: false, reason: "No" });
		assert.deepEqual(await setup.app.services.grants.list("default"), []);
	});

	it("of a transcript of 0.1.0 is read as it was", async () => {
		const setup = await npmTests();
		await say(setup, { allow: true });
		const { sessionId } = setup.summary;
		await setup.session.close();
		const path = join(setup.app.storage, "sessions", sessionId, "current.jsonl");
		const lines = readFileSync(path, "utf8")
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as Record<string, unknown>)
			.map((event) => {
				if (event["type"] === "answered") return { ...event, answer: { allow: true, always: true } };
				const { session: _, ...rest } = event;
				return event["type"] === "asked" ? { ...rest, always: ["npm test (until the scripts in package.json change)"] } : event;
			});
		writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
		const { events, damaged } = await setup.app.store.read(sessionId);
		assert.deepEqual([events.length, damaged], [lines.length, 0]);
		assert.deepEqual(events.find(({ type }) => type === "answered")?.type, "answered");
	});
});
