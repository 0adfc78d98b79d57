// “Allow in This Session” through the whole house: what it lets pass, where it is seen, and what ends it.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTroupeApi } from "../../../src/integrations/exportedApi.ts";
import { createApprovalList } from "../../../src/sessions/approvalList.ts";
import { EDIT, FILES, results, type Stage, stage, strike } from "./stage.ts";

const run = (command: string) => ({ calls: [{ name: "execute_command", input: { command } }] });
const PACKAGE = { "package.json": '{ "scripts": { "test": "echo tested" } }\n' };
const OTHER = { agentId: "other", displayName: "Other" };

const asked = ({ conversation }: Stage) => conversation.state.events.filter(({ type }) => type === "asked").length;

/** Runs the same command with every message, as an actor. */
const npmTests = (options: Parameters<typeof stage>[1] = {}) =>
	stage((request) => (request.events.at(-1)?.type === "result" ? { text: "Done." } : run("npm test")), {
		files: PACKAGE,
		role: "actor",
		agents: [OTHER],
		...options,
	});

/** Says something, and answers what is asked then; resolves with whether anything was. */
async function say(scene: Stage, answer: Parameters<Stage["answer"]>[0] = { allow: false }): Promise<boolean> {
	const before = asked(scene);
	const request = scene.next("asked");
	const turn = scene.conversation.send("Test");
	await Promise.race([turn, request]);
	if (asked(scene) > before) {
		const { request: id, hash } = await request;
		scene.clock.ahead += 1_000;
		await scene.conversation.answer(id, answer, "person", hash);
	}
	await turn;
	return asked(scene) > before;
}

describe("an approval for the session", () => {
	afterEach(strike);

	it("says what it covers, lets the same pass in that session alone, and stands nowhere on disk", async () => {
		const scene = await npmTests();
		assert.equal(await say(scene, { allow: true, scope: "session" }), true);
		const { session, always } = await scene.event("asked");
		assert.match(String(session), /^Allows npm test in this session until its definition (in package\.json )?changes\.$/);
		assert.notEqual(always, session);
		assert.deepEqual((await scene.event("answered")).answer, { allow: true, scope: "session" });
		assert.equal(await say(scene), false);
		assert.equal(existsSync(join(scene.house.folder, "..", "global", "grants.json")), false);
		const { sessionId } = await scene.house.sessions.create({ role: "actor" });
		const another = await scene.house.sessions.get(sessionId);
		const turn = another.send("Test");
		while (another.state.requests.size === 0) await new Promise((resolve) => setImmediate(resolve));
		await another.cancel();
		await turn;
	});

	it("is bound to what it was given for", async () => {
		const scene = await npmTests();
		await say(scene, { allow: true, scope: "session" });
		const ended = async () => (await createApprovalList(scene.house.sessions).rows()).map((row) => row.ended);
		assert.deepEqual(await ended(), [undefined]);
		writeFileSync(join(scene.house.folder, "package.json"), '{ "scripts": { "test": "echo other" } }\n');
		assert.match(String(await ended()), /^The command's definition (in package\.json )?has changed\.$/);
		assert.equal(await say(scene), true);
	});

	it("ends when another agent takes over, and does not come back with the first", async () => {
		const scene = await npmTests();
		await say(scene, { allow: true, scope: "session" });
		await scene.conversation.setAgent("other");
		assert.equal(await say(scene, { allow: true, scope: "session" }), true);
		await scene.conversation.setAgent("default");
		assert.equal(await say(scene), true);
		await scene.conversation.setAgent("other");
		assert.equal(await say(scene), true);
	});

	it("keeps nothing for an agent that was switched away from while the card waited", async () => {
		const scene = await npmTests();
		const turn = scene.conversation.send("Test");
		await scene.event("asked");
		await scene.conversation.setAgent("other");
		await scene.answer({ allow: true, scope: "session" });
		await turn;
		assert.deepEqual([results(scene.conversation)[0]?.status, await scene.house.sessions.approvedInSessions()], ["ok", []]);
		assert.equal(scene.conversation.decisions.approved.allowed("execute_command npm test"), 0);
		await scene.conversation.setAgent("default");
		assert.equal(await say(scene), true);
	});

	it("ends with the agent's definition, and not with what is always allowed beside it", async () => {
		const agents = [{ ...OTHER, systemPrompt: "Test.", allowedTools: [] as string[] }];
		const scene = await npmTests({ agents });
		await scene.conversation.setAgent("other");
		await say(scene, { allow: true, scope: "session" });
		agents[0] = { ...(agents[0] as (typeof agents)[number]), allowedTools: ["update_file"] };
		assert.equal(await say(scene), false);
		agents[0] = { ...(agents[0] as (typeof agents)[number]), systemPrompt: "Test, and send it to me." };
		assert.equal(await say(scene), true);
	});

	it("ends with the window, and with a history that is cleared", async () => {
		for (const end of ["close", "clear"] as const) {
			const scene = await npmTests();
			await say(scene, { allow: true, scope: "session" });
			const { sessions } = scene.house;
			const { sessionId } = scene.session;
			await (end === "close" ? sessions.close() : sessions.clear(sessionId));
			assert.deepEqual(await sessions.approvedInSessions(), []);
			const conversation = await sessions.get(sessionId);
			assert.equal(await say({ ...scene, conversation }), true, end);
			await strike();
		}
	});

	it("lets no role do more than it may", async () => {
		const scene = await stage((request) => (request.events.at(-1)?.type === "result" ? { text: "Done." } : { calls: [EDIT] }), {
			files: FILES,
			role: "actor",
			settings: { approval: "ask" },
		});
		await say(scene, { allow: true, scope: "session" });
		await scene.conversation.setRole("planner");
		await scene.conversation.send("Again");
		assert.deepEqual(
			results(scene.conversation).map(({ status }) => status),
			["ok", "denied"],
		);
	});

	it("is listed under its session, and taken back there", async () => {
		const scene = await npmTests();
		await say(scene, { allow: true, scope: "session" });
		await scene.house.sessions.rename(scene.session.sessionId, "Fix prices");
		const rows = await createApprovalList(scene.house.sessions).rows();
		assert.deepEqual(
			rows.map(({ agentId, entry, place, session, ended }) => ({ agentId, entry, place, session, ended })),
			[
				{
					agentId: "default",
					entry: "execute_command(npm test)",
					place: "in the session “Fix prices”",
					session: { id: scene.session.sessionId, name: "Fix prices" },
					ended: undefined,
				},
			],
		);
		assert.match(rows[0]?.sentence ?? "", /^Approved on .*\. Allows npm test in this session until/);
		for (const row of rows) await createApprovalList(scene.house.sessions).revoke(row);
		assert.deepEqual(await createApprovalList(scene.house.sessions).rows(), []);
		assert.equal(await say(scene), true);
	});
});

describe("an answer to an approval", () => {
	afterEach(strike);

	it("counts as once where it names a scope that was not offered, whoever gives it", async () => {
		for (const answer of [
			{ allow: true, always: true },
			{ allow: true, scope: "session" as const },
			{ allow: true, scope: "for ever" as "once" },
		]) {
			const scene = await stage([{ calls: [{ name: "delete_file", input: { path: "README.md" } }] }, { text: "Done." }], {
				files: FILES,
				role: "actor",
			});
			const turn = scene.conversation.send("Tidy up");
			const { request, session, always, hash } = await scene.event("asked");
			assert.deepEqual([session, always], [undefined, undefined]);
			scene.clock.ahead += 1_000;
			if (answer.always) await createTroupeApi(scene.house.sessions).answer(scene.session.sessionId, request, answer);
			else await scene.conversation.answer(request, answer, "person", hash);
			await turn;
			assert.deepEqual((await scene.event("answered")).answer, { allow: true });
			assert.deepEqual([scene.conversation.decisions.approved.grants, await scene.house.services.grants.list("default")], [[], []]);
			await strike();
		}
	});

	it("of scope always is that of before, for whoever reads the transcript with an older version, too", async () => {
		for (const answer of [
			{ allow: true, always: true },
			{ allow: true, scope: "always" as const },
		]) {
			const scene = await npmTests();
			await say(scene, answer);
			assert.deepEqual((await scene.event("answered")).answer, { allow: true, scope: "always", always: true });
			assert.equal((await scene.house.services.grants.list("default")).length, 1);
			assert.equal(await say(scene), false);
			await strike();
		}
	});

	it("that denies has no scope", async () => {
		const scene = await npmTests();
		await say(scene, { allow: false, scope: "always", reason: "No" });
		assert.deepEqual((await scene.event("answered")).answer, { allow: false, reason: "No" });
		assert.deepEqual(await scene.house.services.grants.list("default"), []);
	});

	it("of a transcript of 0.1.0 is read as it was", async () => {
		const scene = await npmTests();
		await say(scene, { allow: true });
		const { sessionId } = scene.session;
		await scene.conversation.close();
		const path = join(scene.house.storage, "sessions", sessionId, "current.jsonl");
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
		const { events, damaged } = await scene.house.store.read(sessionId);
		assert.deepEqual([events.length, damaged], [lines.length, 0]);
		assert.deepEqual(events.find(({ type }) => type === "answered")?.type, "answered");
	});
});
