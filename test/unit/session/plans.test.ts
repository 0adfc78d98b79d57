// From a plan to its execution: waiting, approval by hash, drift, deviations, revisions.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { planRestore, restoreFiles } from "../../../src/session/history/restoreFiles.ts";
import { joinText, streamJson } from "../../../src/sessions/exportSession.ts";
import { closeTestSessions, EDIT, FILES, openTestSession, PLAN, results } from "./testSession.ts";

const present = {
	calls: [
		{ name: "read_file", input: { path: "src/hello.ts" } },
		{ name: "present_plan", input: PLAN },
	],
};
const carryOut = [
	{ calls: [{ name: "update_step", input: { step_number: 1, status: "running" } }] },
	{ calls: [EDIT] },
	{ calls: [{ name: "update_step", input: { step_number: 1, status: "done" } }] },
	{ text: "The greeting is louder." },
];

describe("a plan", () => {
	afterEach(closeTestSessions);

	it("ends the planner's turn and waits for the person", async () => {
		const { session } = await openTestSession([present], { files: FILES });
		const end = await session.send("Say hello louder");
		const [plan] = session.state.plans;
		assert.equal(end.outcome, "waiting");
		assert.deepEqual(plan?.event.plan.goal, PLAN.goal);
		assert.deepEqual(
			plan?.event.basis.files.map((file) => file.path),
			["src/hello.ts"],
		);
	});

	it("is approved by version and hash, turns the role and is carried out to its end", async () => {
		const { session, app } = await openTestSession([present, ...carryOut], { files: FILES });
		await session.send("Say hello louder");
		const end = await session.executePlan({});
		assert.equal(end.outcome, "done");
		assert.equal(session.state.role, "actor");
		assert.equal(readFileSync(join(app.folder, "src/hello.ts"), "utf8"), 'export const greeting = "HELLO";\n');
		assert.equal(session.state.plans[0]?.state, "closed");
		assert.deepEqual(session.state.plans[0]?.deviations, []);
		const call = [...session.state.calls.values()].find((entry) => entry.call.name === "update_file");
		assert.equal(call?.step?.step, 1);
	});

	it("refuses an approval of another version", async () => {
		const { session } = await openTestSession([present], { files: FILES });
		await session.send("Say hello louder");
		await assert.rejects(session.executePlan({ version: 2 }), { code: "outdated-plan" });
		await assert.rejects(session.executePlan({ hash: "0".repeat(64) }), { code: "outdated-plan" });
		assert.equal(session.state.role, "planner");
	});

	it("asks first when a file it was made from has changed since, and names the file", async () => {
		const readAgain = { calls: [{ name: "read_file", input: { path: "src/hello.ts" } }] };
		const { session, app, clock } = await openTestSession([present, readAgain, ...carryOut], { files: FILES });
		await session.send("Say hello louder");
		writeFileSync(join(app.folder, "src/hello.ts"), 'export const greeting = "hello"; // mine\n');
		assert.equal((await session.executePlan({})).outcome, "waiting");
		const [request] = [...session.state.requests.values()];
		assert.ok(request?.event.type === "question");
		assert.equal(request.event.question.context, "Changed: src/hello.ts.");
		assert.deepEqual(request.event.about, { kind: "drift", planId: session.state.plans[0]?.event.planId, version: 1 });
		clock.ahead += 1_000;
		const end = await session.answer(request?.event.request ?? "", { value: "execute" }, "person");
		assert.equal(end?.outcome, "done");
		assert.match(readFileSync(join(app.folder, "src/hello.ts"), "utf8"), /HELLO.*mine/);
	});

	it("takes the answer to a question that 0.1.0 has asked, where the request's id names the plan", async () => {
		const { session, clock } = await openTestSession([present, { text: "Which plan?" }, ...carryOut], { files: FILES });
		await session.send("Say hello louder");
		const planId = session.state.plans[0]?.event.planId;
		const question = { question: "Execute anyway?", options: [{ label: "Execute", value: "execute" }] };
		const ask = async (request: string) => {
			await session.eventLog.emit({ type: "question", request, question }, "host");
			clock.ahead += 1_000;
			await session.answer(request, { value: "execute" }, "person");
		};
		await ask("drift_another-plan_1_1b2c3d4e");
		assert.equal(session.state.role, "planner");
		await ask(`drift_${planId}_1_1b2c3d4e`);
		assert.equal(session.state.role, "actor");
		assert.equal(session.state.plans[0]?.state, "closed");
	});

	it("does not ask about files that the person has put back before it was made", async () => {
		const search = { calls: [{ name: "search_code", input: { pattern: "greeting" } }] };
		const { session, app } = await openTestSession(
			[present, ...carryOut, search, { calls: [{ name: "present_plan", input: PLAN }] }, ...carryOut],
			{
				files: FILES,
			},
		);
		await session.send("Say hello louder");
		await session.executePlan({});
		const { changes } = await restoreFiles(session, await planRestore(session, session.state.changed.values()));
		await session.note("Reverted changes in src/hello.ts.", { changes });
		await session.setRole("planner");
		await session.send("Plan it again");
		assert.equal((await session.executePlan({})).outcome, "done");
		assert.match(readFileSync(join(app.folder, "src/hello.ts"), "utf8"), /HELLO/);
	});

	it("does not ask again about a file that was shown for the version after the change", async () => {
		const again = {
			calls: [
				{ name: "search_code", input: { pattern: "greeting" } },
				{ name: "present_plan", input: { ...PLAN, goal: "Louder" } },
			],
		};
		const { session, app } = await openTestSession([present, again, ...carryOut], { files: FILES });
		await session.send("Say hello louder");
		writeFileSync(join(app.folder, "src/hello.ts"), 'export const greeting = "hello"; // mine\n');
		await session.send("Look again");
		await session.executePlan({});
		assert.equal([...session.state.requests.values()].filter(({ event }) => event.type === "question").length, 0);
	});

	it("keeps its old version when it is revised", async () => {
		const { session } = await openTestSession([present, { calls: [{ name: "present_plan", input: { ...PLAN, goal: "Whisper" } }] }], {
			files: FILES,
		});
		await session.send("Say hello louder");
		await session.send("No, whisper");
		const { plans } = session.state;
		assert.deepEqual(
			plans.map(({ event, state }) => [event.version, event.plan.goal, state]),
			[
				[1, "Say hello louder", "superseded"],
				[2, "Whisper", "proposed"],
			],
		);
		assert.equal(plans[0]?.event.planId, plans[1]?.event.planId);
	});

	it("lists changes that its running step did not foresee", async () => {
		const stray = { calls: [{ name: "create_file", input: { path: "notes.txt", content: "stray\n" } }] };
		const { session, event } = await openTestSession([present, carryOut[0] ?? {}, stray, ...carryOut.slice(1)], { files: FILES });
		await session.send("Say hello louder");
		await session.executePlan({});
		assert.deepEqual(session.state.plans[0]?.deviations, [{ path: "notes.txt", reason: "step 1 doesn't list this file" }]);
		assert.match((await event("status")).text, /notes\.txt/);
	});

	it("counts when it comes as text that is nothing but the plan", async () => {
		const { session } = await openTestSession([{ text: `\`\`\`json\n${JSON.stringify(PLAN)}\n\`\`\`` }], { files: FILES });
		assert.equal((await session.send("Plan it")).outcome, "waiting");
		assert.equal(session.state.plans.length, 1);
	});

	it("counts after prose, and is stored and exported with its type and version", async () => {
		const setup = await openTestSession(
			[{ text: `I read it.\n\n${JSON.stringify(PLAN)}` }, { calls: [{ name: "present_plan", input: PLAN }] }],
			{
				files: FILES,
			},
		);
		await setup.session.send("Plan it");
		await setup.session.send("Again");
		const stored = { type: "plan", format_version: "1.0", ...PLAN };
		assert.deepEqual(
			setup.session.state.plans.map(({ event }) => event.plan),
			[stored, stored],
		);
		const { events } = setup.session.state;
		const older = events.map((event) => (event.type === "plan" ? { ...event, plan: PLAN } : event));
		const exported = JSON.parse(await joinText(streamJson(setup.summary, older))) as { events: typeof events };
		assert.deepEqual(
			exported.events.flatMap((event) => (event.type === "plan" ? [event.plan] : [])),
			[stored, stored],
		);
	});

	it("of another version is refused with that version named, as text and as a call", async () => {
		const other = { ...PLAN, format_version: "2.0" };
		const script = [{ text: JSON.stringify(other) }, { calls: [{ name: "present_plan", input: other }] }, { text: "Well." }];
		const { session } = await openTestSession(script, { files: FILES });
		await session.send("Plan it");
		const ended = session.state.events.at(-1);
		assert.ok(ended?.type === "ended" && ended.outcome === "failed");
		assert.match(ended.error ?? "", /format version 2\.0\. Only version 1\.0 is supported/);
		await session.send("As a call");
		assert.match(results(session)[0]?.output ?? "", /format_version: only version "1\.0" is known.*Nothing ran/);
		assert.equal(session.state.plans.length, 0);
	});

	it("stays text when it does not parse", async () => {
		const { session } = await openTestSession([{ text: '{"goal": "half a plan", "steps": [' }], { files: FILES });
		assert.equal((await session.send("Plan it")).outcome, "done");
		assert.equal(session.state.plans.length, 0);
	});

	it("has no steps to update when none runs", async () => {
		const { session } = await openTestSession([carryOut[0] ?? {}, { text: "Well." }], { files: FILES, role: "actor" });
		await session.send("Go");
		assert.match(results(session)[0]?.output ?? "", /No plan is running/);
	});
});
