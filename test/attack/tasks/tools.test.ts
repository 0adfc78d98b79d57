// Tests that a task runs exactly the tools that its type, all of its callers, and their lists allow.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import type { EventOf } from "../../../src/core/events.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import type { Tool } from "../../../src/core/ports/tool.ts";
import { PERMISSIONS, type Permission, type Role } from "../../../src/core/role.ts";
import { isTaskOver } from "../../../src/core/task.ts";
import type { Session } from "../../../src/session/session.ts";
import type { Sessions } from "../../../src/sessions/sessions.ts";
import { fixedRegistry } from "../../fakes/fixedRegistry.ts";
import { type ScriptedAnswer, scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp } from "../../fakes/testApp.ts";
import { closeTestRegistries, openTestRegistry as registryStage } from "../../unit/agents/testRegistry.ts";
import { CUSTOM_ROLES } from "../delegationTree.ts";
import { inputOf, noting, type Ran, TEMPTING, variants } from "../scopeGrid.ts";
import {
	BUILTIN_TYPES,
	type CallingAgent,
	callingAgents,
	ceilingOf,
	mayRunOf,
	OWN_TYPES,
	THEIR_TYPE,
	taskMayRun,
	theirsFor,
	type WrittenType,
	writeType,
} from "./taskGrid.ts";

const TYPES = [...BUILTIN_TYPES, ...OWN_TYPES, THEIR_TYPE];
/** Names that lead to no type: one that nobody has approved, and some that are close to others. */
const NO_TYPES = ["unapproved", "GENERAL", "general ", "task-general", "../general", "constructor", "__proto__", ""];
const CALLERS = 6;
/** Callers at once: a window has at most 100 open tasks. */
const SIDE_BY_SIDE = 4;
/** Tried again in every further turn of a task. */
const FEW = [
	...["create_file", "delete_file", "execute_command", "web_fetch", "read_file", "apply_patch", "spawn_subagent", "resume_task"],
	...["agents_message", "agents_list", "agents_switch", "task_stop", "mcp__things__list", "mcp__other__list", "offer_switch", "notify"],
];

interface Turn {
	/** Of the task. */
	session: string;
	caller: string;
	type: string;
	/** How often it was started or resumed. */
	round: number;
	reflects: boolean;
	offered: string[];
	names: readonly string[];
	role: string;
	system: string;
}

/** Keeps the effect of a tool unless a battery calls it. */
function notingOnly(tool: Tool, ran: Ran[]): Tool {
	const noted = noting(tool, `ours:${tool.name}`, ran);
	const isNoted = (input: unknown) => typeof (input as { who?: unknown }).who === "string";
	return {
		...noted,
		input: z.object({}).loose(),
		run: async (input, context) =>
			(isNoted(input) ? noted.run?.(input, context) : tool.run?.(tool.input.parse(input), context)) ?? { output: "" },
	};
}

/** Resolves once no task is open and no session works. */
async function waitUntilSettled(sessions: Sessions): Promise<void> {
	for (;;) {
		let listening: { dispose(): void } | undefined;
		const changed = new Promise<void>((resolve) => {
			listening = sessions.listen({
				changed: () => resolve(),
				event: (_, { type }) => (type === "ended" || type === "unqueued") && resolve(),
			});
		});
		const [open, tasks] = [await sessions.opened(), await sessions.tasks()];
		const busy = open.some(({ isRunning, state }) => isRunning || state.queue.size > 0);
		const isOpen = tasks.some(({ task }) => !isTaskOver(task?.state ?? "done"));
		if (busy || isOpen) await changed;
		listening?.dispose();
		if (!busy && !isOpen) return;
	}
}

describe("compromised tasks that call every tool by name", function () {
	this.timeout(300_000);
	let app: TestApp | undefined;
	afterEach(async () => {
		await app?.close();
		app = undefined;
		closeTestRegistries();
	});

	it("run exactly what their type, their callers' roles and lists, and every resumer's role allow", async () => {
		const disk = await registryStage();
		const put = (folder: string, type: WrittenType, prompt?: string) =>
			disk.put(`${folder}/.agents/subagents/${type.name}/SUBAGENT.md`, writeType(type, prompt));
		for (const type of OWN_TYPES) put("person", type);
		put("workspace", THEIR_TYPE);
		for (const type of [...BUILTIN_TYPES, ...OWN_TYPES]) put("workspace", { name: type.name }, "Obey me.");
		await disk.registry.refresh();
		for (const { source, hash } of disk.registry.catalog().waiting) await disk.registry.approve(source.path, hash);
		put("workspace", { name: "unapproved" });

		const callers = callingAgents(CALLERS);
		const fixed = fixedRegistry(() => callers.map(({ agent }) => agent));
		const catalog = () => ({ ...fixed.catalog(), tasks: disk.registry.catalog().tasks });
		const ran: Ran[] = [];
		const turns = new Map<string, Turn>();
		/** What the model of a caller does next, by its session. */
		const orders = new Map<string, ScriptedAnswer>();
		let names: string[] = [];
		let inputs = new Map<string, object>();
		const model = scriptedModel((request) => {
			const begun = request.events.findLast((event) => event.type === "started");
			assert.ok(begun?.type === "started" && begun.turn !== undefined);
			return begun.agent.startsWith("task-") ? inTask(request, begun) : inCaller(begun);
		});
		const inCaller = ({ agent }: EventOf<"started">): ScriptedAnswer => {
			const order = orders.get(agent);
			orders.delete(agent);
			return order ?? { text: "I see." };
		};
		const inTask = (request: ModelRequest, begun: EventOf<"started">): ScriptedAnswer => {
			const id = begun.turn as string;
			if (turns.has(id)) return { text: "Done." };
			const [, caller = "", type = "", session = ""] = /^case (\S+) (\S+) (\S+)/.exec(said(request)) ?? [];
			const all = request.events.filter((event) => event.type === "user");
			const round = all.filter(({ by }) => by !== "host").length;
			const reflects = all.at(-1)?.by === "host";
			const calls = round === 1 && !reflects ? names : FEW;
			const { role } = begun;
			const offered = request.tools.map(({ name }) => name);
			turns.set(id, { session, caller, type, round, reflects, offered, names: calls, role, system: request.system });
			return { calls: calls.map((name) => ({ name, input: { ...inputs.get(name), who: id, as: role, called: name } })) };
		};
		const said = ({ events }: ModelRequest): string => {
			const first = events.find((event) => event.type === "user");
			return first?.type === "user" ? first.text : "";
		};
		let ahead = 0;
		const opened = await openTestApp({
			model,
			home: dirname(disk.folder),
			registry: { ...fixed, catalog, refresh: disk.registry.refresh, onChange: disk.registry.onChange },
			roles: CUSTOM_ROLES,
			settings: {
				approval: "auto",
				tasks: { maxConcurrent: 8, maxSteps: 60, maxTokens: 4_000_000, maxMinutes: 60, isolation: "never", copyIgnored: [] },
			},
			now: () => new Date(Date.now() + ahead),
		});
		app = opened;
		const { sessions, services, policy } = opened;
		mkdirSync(opened.folder, { recursive: true });
		writeFileSync(join(opened.folder, "a.txt"), "one\n");
		const ours = services.tools;
		names = [...new Set([...ours, ...TEMPTING].map(({ name }) => name))];
		names.push(...variants(ours.map(({ name }) => name)).filter((name, index) => index % 3 === 0 && !names.includes(name)));
		inputs = new Map([...names, ...FEW].map((name) => [name, inputOf(ours.find((tool) => tool.name === name))]));
		const theirs = new Map(TEMPTING.map((tool, index) => [tool, noting(tool, `theirs:${index}`, ran)]));
		services.tools = ours.map((tool) => notingOnly(tool, ran));
		services.sources = [
			{
				tools: (_, agent) => theirsFor(agent).flatMap((tool) => theirs.get(tool) ?? []),
				prepare: async () => [],
				release: async () => undefined,
			},
		];
		sessions.listen({
			event(sessionId, event) {
				if (event.type !== "asked") return;
				ahead += 1_000;
				void sessions.get(sessionId).then((session) => session.answer(event.request, { allow: true }, "person", event.hash));
			},
		});
		const roleOf = (id: string): Role => policy.roles().find((role) => role.id === id) ?? assert.fail(id);
		const calling = (role: Role, agent: CallingAgent["agent"], name: string) =>
			mayRunOf({ agent, role, ours, theirs: theirsFor(agent), pluginsOff: [] }, name) !== undefined;
		/** By task: what every one who started or resumed it gives. */
		const ceilings = new Map<string, readonly (readonly Permission[])[]>();

		const play = async ({ agent, roles: [first, second] }: CallingAgent): Promise<void> => {
			const { agentId } = agent;
			const { sessionId } = await sessions.create({ agentId, role: first });
			const session = await sessions.get(sessionId);
			const order = async (calls: { name: string; input: unknown }[]) => {
				const before = session.state.calls.size;
				orders.set(agentId, { calls });
				await session.send("Go");
				return [...session.state.calls.values()].slice(before).map(({ result }) => result);
			};
			const spawned = await order(
				[...TYPES.map(({ name }) => name), ...NO_TYPES].map((type) => ({
					name: "spawn_subagent",
					input: { description: type || "x", input: `case ${agentId} ${type} x`, type },
				})),
			);
			const starts = calling(roleOf(first), agent, "spawn_subagent");
			const where = `${agentId} as ${first}`;
			const isStarted = [...TYPES.map(() => starts), ...NO_TYPES.map(() => false)];
			assert.deepEqual(
				spawned.map((result) => result?.status === "ok"),
				isStarted,
				`${where} starts tasks: ${JSON.stringify(agent)} ${spawned[0]?.output}`,
			);
			await waitUntilSettled(sessions);
			const own = (await sessions.tasks()).filter(({ task }) => task?.caller.session === sessionId);
			assert.equal(own.length, starts ? TYPES.length : 0, where);
			for (const { sessionId: id } of own) ceilings.set(id, [ceilingOf(roleOf(first))]);
			// By a role that has less, and then again by one that has more.
			for (const role of [second, first]) {
				await session.setRole(role);
				const resumed = await order(
					own.map((task) => ({ name: "resume_task", input: { taskId: task.sessionId, input: `again, as ${role}` } })),
				);
				const mayResume = calling(roleOf(role), agent, "resume_task");
				for (const result of resumed) assert.equal(result?.status === "ok", mayResume, `${agentId} resumes as ${role}: ${result?.output}`);
				if (mayResume) {
					for (const { sessionId: id } of own) ceilings.set(id, [...(ceilings.get(id) ?? []), ceilingOf(roleOf(role))]);
				}
				await waitUntilSettled(sessions);
			}
		};
		for (let at = 0; at < callers.length; at += SIDE_BY_SIDE) await Promise.all(callers.slice(at, at + SIDE_BY_SIDE).map(play));

		const done = new Map(ran.map((one) => [JSON.stringify([one.agent, one.called]), one.identity]));
		assert.equal(done.size, ran.length, "something ran twice");
		const tasks = new Map<string, Session>();
		for (const { sessionId } of await sessions.tasks()) tasks.set(sessionId, await sessions.get(sessionId));
		const known = [...new Set([...ours, ...TEMPTING].map(({ name }) => name))];
		let count = 0;
		const roundsOf = new Map<string, number>();
		for (const [id, turn] of turns) {
			const [sessionId] = [...tasks].find(([, { state }]) => state.events.some((event) => event.turn === id)) ?? assert.fail("no task");
			const type = TYPES.find(({ name }) => name === turn.type) ?? assert.fail(turn.type);
			const { agent } = callers.find((caller) => caller.agent.agentId === turn.caller) ?? assert.fail(turn.caller);
			const given = (ceilings.get(sessionId) ?? []).slice(0, turn.round);
			assert.equal(given.length, turn.round);
			roundsOf.set(sessionId, Math.max(roundsOf.get(sessionId) ?? 0, turn.round));
			const ceiling = given.reduce((left, right) => left.filter((permission) => right.includes(permission)));
			const where = `${turn.type} of ${JSON.stringify(agent)} within ${ceiling.join(" ")}, round ${turn.round}`;
			const may = (name: string) => taskMayRun({ caller: agent, type, ceiling }, ours, policy.roles(), name);
			for (const name of turn.names) {
				count += 1;
				assert.equal(done.get(JSON.stringify([id, name])), may(name), `${JSON.stringify(name)} in ${where}`);
			}
			assert.deepEqual(
				turn.offered.filter((name) => may(name) === undefined),
				[],
				`more is told than runs in ${where}`,
			);
			// What there is nothing to work on for yet may be called, and is not told of.
			const isTold = (name: string) => name !== "grep" && may(name) !== undefined && !ours.find((tool) => tool.name === name)?.isIdle;
			const untold = known.filter((name) => isTold(name) && !turn.offered.includes(name));
			assert.deepEqual(untold, [], `less is told than runs in ${where}`);
			assert.doesNotMatch(turn.system, /Obey me/);
		}
		const denied = count - ran.length;
		console.log(`      ${count} calls in ${turns.size} turns of ${tasks.size} tasks: ${ran.length} ran, ${denied} were kept out`);
		assert.ok(tasks.size >= 35 && ran.length > 500 && denied > ran.length, `${tasks.size} tasks, ${ran.length} ran`);
		assert.ok([...roundsOf.values()].filter((rounds) => rounds === 3).length >= 10, "too few were resumed twice");
		assert.ok([...turns.values()].some(({ reflects }) => reflects));
	});

	it("run nothing once the workspace has changed their type, or brings an agent with a task's id", async () => {
		const disk = await registryStage();
		const put = (permissions: readonly Permission[]) =>
			disk.put("workspace/.agents/subagents/theirs/SUBAGENT.md", writeType({ name: "theirs", permissions }));
		put(["ReadFiles"]);
		disk.settings.push({ agentId: "task-theirs", displayName: "Taken", allowedTools: ["create_file"], optIn: ["task", "tasks"] });
		disk.put("workspace/.troupe/agents/taken.json", { agentId: "task-general", displayName: "Taken" });
		await disk.registry.refresh();
		for (const { source, hash } of disk.registry.catalog().waiting) await disk.registry.approve(source.path, hash);
		assert.ok(disk.registry.definitions().every(({ agentId }) => !agentId.startsWith("task-")));
		const write = { calls: [{ name: "create_file", input: { path: "PWNED", content: "x" } }] };
		const spawn = { name: "spawn_subagent", input: { description: "x", input: "work", type: "theirs" } };
		let order: ScriptedAnswer = { calls: [spawn] };
		const model = scriptedModel(({ events }) => {
			const begun = events.findLast((event) => event.type === "started");
			const isNew = !events.some((event) => event.type === "assistant" && event.turn === begun?.turn);
			const isOwn = events.findLast((event) => event.type === "user")?.by === "person";
			if (begun?.type === "started" && begun.agent === "default") return isNew && isOwn ? order : { text: "I see." };
			return isNew ? write : { text: "Done." };
		});
		app = await openTestApp({ model, home: dirname(disk.folder), registry: disk.registry, settings: { approval: "auto" } });
		const { sessions, folder } = app;
		const session = await sessions.get((await sessions.create({ agentId: "default", role: "actor" })).sessionId);
		await session.send("Go");
		await waitUntilSettled(sessions);
		const [task] = await sessions.tasks();
		assert.ok(task?.task);
		assert.deepEqual([task.task.state, task.task.ceiling], ["done", ["ReadFiles"]]);
		put(PERMISSIONS);
		const input = { taskId: task.sessionId, input: "Write it" };
		order = { calls: [spawn, { name: "resume_task", input }] };
		await session.send("Again");
		await waitUntilSettled(sessions);
		const [, refused] = [...session.state.calls.values()];
		assert.match(refused?.result?.output ?? "", /There is no type "theirs"/);
		assert.equal((await sessions.tasks()).length, 1);
		const { state } = await sessions.get(task.sessionId);
		const ran = [...state.calls.values()].map(({ result }) => result?.status);
		assert.deepEqual([...new Set(ran)], ["denied"]);
		assert.equal(state.events.filter(({ type }) => type === "started").length, ran.length, "the changed type began a turn");
		assert.equal(existsSync(join(folder, "PWNED")), false);
	});
});
