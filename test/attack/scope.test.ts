// Tests that no agent runs a tool outside its scope and runs every tool inside, over an agent grid.

// The model calls every tool by name, including names that are close to real ones.
import assert from "node:assert/strict";
import type { Tool } from "../../src/core/ports/tool.ts";
import { scriptedModel } from "../fakes/scriptedModel.ts";
import { openTestApp, type TestApp } from "../fakes/testApp.ts";
import { type Case, grid, inputOf, mayRun, noting, type Ran, TEMPTING, variants } from "./scopeGrid.ts";

interface Setting {
	app: TestApp;
	ours: readonly Tool[];
	ran: Ran[];
	/** What the model was offered, by turn. */
	offered: { agent: string; role: string; names: string[] }[];
	/** Called by every agent. */
	names: string[];
}

/** Sessions side by side; each writes to its own transcript. */
const SESSIONS = 8;

/** Plays the cases; each agent gets a turn in which the model calls everything, half of it after the session has another agent. */
async function play(cases: readonly Case[], pluginsOff: readonly string[] = []): Promise<Setting> {
	const ran: Ran[] = [];
	const offered: Setting["offered"] = [];
	let ahead = 0;
	const queue = [...cases];
	const model = scriptedModel(async (request) => {
		const begun = request.events.findLast((event) => event.type === "started");
		assert.ok(begun?.type === "started");
		const { agent, role, turn } = begun;
		const calls = request.events.filter((event) => event.type === "assistant" && event.turn === turn).length;
		const call = (name: string) => ({ name, input: { ...inputs.get(name), who: agent, as: role, called: name } });
		const half = (rest: number) => names.filter((_, index) => index % 2 === rest).map(call);
		if (calls === 0) {
			offered.push({ agent, role, names: request.tools.map(({ name }) => name) });
			return { calls: half(0) };
		}
		if (calls > 1) return { text: "Done." };
		await turnTo.get(turn as string)?.();
		return { calls: half(1) };
	});
	const app = await openTestApp({
		model,
		agents: cases.map(({ agent }) => agent),
		files: { "a.txt": "one\n" },
		settings: { approval: "auto", pluginsOff },
		now: () => new Date(Date.now() + ahead),
	});
	const ours = app.services.tools;
	const theirs = TEMPTING.map((tool, index) => noting(tool, `theirs:${index}`, ran));
	app.services.tools = ours.map((tool) => noting(tool, `ours:${tool.name}`, ran));
	const exact = [...new Set([...ours, ...TEMPTING].map(({ name }) => name))];
	const names = [...new Set([...exact, ...variants(ours.map(({ name }) => name))])];
	const inputs = new Map(names.map((name) => [name, inputOf(ours.find((tool) => tool.name === name))]));
	app.services.sources = [{ tools: () => theirs, prepare: async () => [], release: async () => undefined }];
	/** By turn: switches the session to another agent while the turn runs. */
	const turnTo = new Map<string, () => Promise<void>>();
	app.sessions.listen({
		event(sessionId, event) {
			if (event.type !== "asked") return;
			ahead += 1_000;
			void app.sessions.get(sessionId).then((session) => session.answer(event.request, { allow: true }, "person", event.hash));
		},
	});
	await Promise.all(
		Array.from({ length: SESSIONS }, async () => {
			const { sessionId: id } = await app.sessions.create({ role: "actor" });
			const session = await app.sessions.get(id);
			app.sessions.listen({
				event(sessionId, event) {
					if (event.type !== "started" || sessionId !== id) return;
					const other = cases[(cases.findIndex(({ agent }) => agent.agentId === event.agent) + 97) % cases.length] as Case;
					turnTo.set(event.turn as string, () => session.setAgent(other.agent.agentId));
				},
			});
			for (let next = queue.shift(); next; next = queue.shift()) {
				await session.setAgent(next.agent.agentId);
				await session.setRole(next.role);
				const { outcome } = await session.send("Call everything");
				assert.equal(outcome, "done");
			}
		}),
	);
	return { app, ours, ran, offered, names };
}

/** What ran and what should have, by agent and name; both ways. */
function check(cases: readonly Case[], { app, ours, ran, offered, names }: Setting, pluginsOff: readonly string[] = []): number {
	const roles = app.policy.roles();
	const done = new Map(ran.map((one) => [JSON.stringify([one.agent, one.called]), one.identity]));
	assert.equal(done.size, ran.length, "something ran twice");
	for (const { agent, role: id } of cases) {
		const role = roles.find((candidate) => candidate.id === id);
		assert.ok(role);
		const asking = { agent, role, ours, theirs: TEMPTING, pluginsOff };
		for (const name of names) {
			const found = done.get(JSON.stringify([agent.agentId, name]));
			assert.equal(found, mayRun(asking, name), `${JSON.stringify(name)} as ${id} under ${JSON.stringify(agent)}`);
		}
		// What has nothing to work on yet may be called, and is not told of.
		const untold = new Set(ours.flatMap((tool) => (tool.isIdle?.(agent, { tasks: new Map() }) ? [tool.name] : [])));
		const exact = [...new Set([...ours, ...TEMPTING].map(({ name }) => name))].filter((name) => !untold.has(name));
		assert.deepEqual(
			offered.find((turn) => turn.agent === agent.agentId)?.names.sort(),
			exact.filter((name) => name !== "grep" && mayRun(asking, name) !== undefined).sort(),
			JSON.stringify(agent),
		);
	}
	return cases.length * names.length;
}

describe("a model that calls every tool by name", function () {
	this.timeout(600_000);
	let open: TestApp | undefined;
	afterEach(async () => {
		await open?.close();
		open = undefined;
	});

	it("from every agent of a grid runs exactly what its scope, its role and its exposure allow", async () => {
		const cases = grid(208);
		const setting = await play(cases);
		open = setting.app;
		const count = check(cases, setting);
		const denied = count - setting.ran.length;
		console.log(
			`      ${count} cases (${cases.length} agents × ${setting.names.length} names): ${setting.ran.length} ran, ${denied} were kept out`,
		);
		assert.ok(count >= 5_000);
		assert.ok(setting.ran.length > 500, "too little ran to mean anything");
		assert.ok(new Set(cases.map(({ role }) => role)).size === 6);
		for (const { identity } of setting.ran)
			assert.doesNotMatch(identity, /^theirs:(?:[6-9]|1\d)$/, "an outside tool with a name that is not its own");
	});

	it("runs nothing of a plugin that is switched off, whatever the lists say", async () => {
		const cases = grid(24);
		const off = ["terminal", "web", "plan", "mcp"];
		const setting = await play(cases, off);
		open = setting.app;
		check(cases, setting, off);
		const { ours } = setting;
		for (const { identity } of setting.ran) {
			const tool = ours.find(({ name }) => identity === `ours:${name}`);
			assert.ok(tool && !off.includes(tool.plugin), identity);
		}
	});
});
