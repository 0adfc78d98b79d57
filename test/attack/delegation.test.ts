// Tests that compromised agents that call each other change and send nothing beyond what all of their callers may.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { ModelProvider } from "../../src/core/ports/model.ts";
import type { Tool } from "../../src/core/ports/tool.ts";
import type { Permission } from "../../src/core/role.ts";
import { openDelegations } from "../../src/core/transcript/delegations.ts";
import { createTranscript } from "../../src/core/transcript/fold.ts";
import { getNextRole } from "../../src/session/agent/sessionAgent.ts";
import { toSender } from "../../src/session/state/message.ts";
import { gatherCallFacts } from "../../src/session/turn/call/callFacts.ts";
import { createCaller } from "../../src/session/turn/call/toolContext.ts";
import type { TurnContext } from "../../src/session/turnContext.ts";
import type { Sessions } from "../../src/sessions/sessions.ts";
import { numbers } from "../fakes/hostileText.ts";
import { scriptedModel } from "../fakes/scriptedModel.ts";
import { openTestApp, type TestApp } from "../fakes/testApp.ts";
import { type Arena, arena, CANARY } from "./arena.ts";
import {
	attacks,
	CUSTOM_ROLES,
	calledNode,
	forbidden,
	messageTo,
	type Node,
	randomAgents,
	rootNode,
	Tree,
	type Tried,
} from "./delegationTree.ts";

/** Trees of calls that are really made. */
const TREES = 14;
/** Calls of tools that only the gate judges, and the chains of callers behind them. */
const CHAINS = 400;

const CHANGES: readonly Permission[] = ["WriteFiles", "CreateFiles", "DeleteFiles", "ExecuteCommands", "ExternalTools"];
const SENDS: readonly Permission[] = ["Network", "ExecuteCommands", "ExternalTools"];

type LimitedTurn = Pick<TurnContext, "agent" | "role" | "ceiling" | "caller">;

/** A server's tools; they really write and send. */
function outsideTools(place: Arena): Tool[] {
	const tool = (name: string, readOnly: boolean, run: NonNullable<Tool["run"]>): Tool => ({
		name,
		plugin: "mcp",
		description: name,
		permissions: [],
		capabilities: ["mcp.things"],
		input: z.object({ text: z.string() }),
		external: { definitionHash: `hash of ${name}`, readOnly },
		summary: () => name,
		run,
	});
	return [
		tool("mcp__things__send", false, async () => {
			writeFileSync(join(place.folder, "PWNED_MCP"), "x");
			await fetch(`${place.url}?${CANARY}`);
			return { output: "sent" };
		}),
		tool("mcp__things__look", true, async () => ({ output: "looked" })),
	];
}

/** Resolves when no session works, and no message or answer is under way. */
async function waitUntilSettled(sessions: Sessions): Promise<void> {
	for (;;) {
		let listening: { dispose(): void } | undefined;
		const changed = new Promise<void>((resolve) => {
			listening = sessions.listen({ event: () => resolve(), changed: () => resolve() });
		});
		const open = await sessions.opened();
		const busy = open.some(({ isRunning, state }) => isRunning || state.queue.size > 0 || openDelegations(state).length > 0);
		if (busy) await changed;
		listening?.dispose();
		if (!busy) return;
	}
}

describe("compromised agents that call each other", function () {
	this.timeout(300_000);
	let place: Arena;
	let app: TestApp;
	beforeEach(async () => {
		place = await arena();
	});
	afterEach(async () => {
		await app.close();
		await place.close();
	});

	it("are allowed nothing that one of their callers may not, by the gate, in some 100,000 calls", async () => {
		const agents = randomAgents(11, place.url);
		const theirs = outsideTools(place);
		app = await openTestApp({ model: scriptedModel([]), home: place.home, agents, roles: CUSTOM_ROLES });
		const { services, policy } = app;
		const { gate } = services.window;
		const { roles } = policy;
		const world = { agents, roles, ours: services.tools, theirs };
		const tools = new Map([...services.tools, ...theirs].map((tool) => [tool.name, tool]));
		const calls = [...agents.map(({ agentId }) => messageTo(agentId)), ...attacks(place.url)];
		const facts = await Promise.all(
			calls.map(async (attack) => {
				const tool = tools.get(services.aliases[attack.name] ?? attack.name);
				assert.ok(tool, attack.name);
				return { attack, tool, facts: await gatherCallFacts(gate, tool, attack.input) };
			}),
		);
		const next = numbers(Number(process.env["TROUPE_SEED"] ?? 1208));
		const pick = <T>(items: readonly T[]): T => items[next(items.length)] as T;
		const state = createTranscript({ agentId: "default", role: "planner" });
		const counts = { chains: 0, calls: 0, allowed: 0 };
		for (let round = 0; round < CHAINS; round += 1) {
			const [agent, role] = [pick(agents), pick(roles())];
			let node = rootNode(agent, role);
			let turn: LimitedTurn = { agent, role };
			for (let depth = 0; depth <= 4; depth += 1) {
				counts.chains += 1;
				for (const { attack, tool, facts: known } of facts) {
					const request = {
						...turn,
						tool,
						access: { pluginsOff: [] },
						...known,
						// One that allows everything by itself, and approvals of everything.
						rules: { deny: [], ask: [], allow: ["*", "execute_command(*)", "web_fetch(*)", attack.name] },
						grants: gate
							.grantable({ tool, ...known })
							.map((grantable) => ({ ...grantable, agent: node.agent.agentId, workspace: "w", at: "" })),
						workspace: "w",
						mode: "auto" as const,
						planRuns: true,
						canAsk: true,
						met: [place.url],
					};
					counts.calls += 1;
					// Rings, depths and hidden agents are refused by the call itself.
					const why = forbidden(world, { node: { ...node, depth: 0, chain: [] }, attack });
					const { decision } = gate.authorize(request);
					const where = `${node.chain.join(" → ")} as ${node.role.id}: ${attack.name} ${JSON.stringify(attack.input)}`;
					if (decision !== "deny") counts.allowed += 1;
					if (why !== undefined && why !== "not to be called") assert.equal(decision, "deny", `${where} was allowed, although ${why}`);
					const offered = gate.offers({ ...turn, tool, access: { pluginsOff: [] } });
					if (offered)
						assert.ok(
							tool.permissions.every((permission) => node.may.has(permission)),
							`${where} was offered`,
						);
				}
				const caller = createCaller({ ...turn, sessionId: "s", policy, state }, "t", "c");
				const sender = toSender({ by: `agent:${turn.agent.agentId}`, caller });
				const called = pick(agents);
				const session = { sessionId: "s", services, policy, state: { ...state, agent: called.agentId }, sender };
				turn = { agent: called, role: getNextRole(session), ...(sender.ceiling && { ceiling: sender.ceiling }), caller };
				node = calledNode(world, node, called);
				assert.equal(turn.role.id, node.role.id);
				assert.deepEqual(caller.chain, node.chain.slice(0, -1));
			}
		}
		console.log(`      ${counts.calls} calls in ${counts.chains} turns of chains: ${counts.allowed} might run`);
		assert.ok(counts.calls >= 5_000 && counts.allowed > 5_000);
	});

	it(`run nothing that one of their callers may not, with every approval, in ${TREES} trees`, async () => {
		let tree: Tree | undefined;
		const model: ModelProvider = {
			id: "scripted",
			models: async () => [{ id: "scripted/one", name: "Scripted" }],
			async *stream(request) {
				const { text, calls = [] } = tree?.answer(request) ?? {};
				if (text) yield { type: "text", text };
				for (const { id, name, input } of calls) yield { type: "call", id, name, arguments: JSON.stringify(input) };
				yield { type: "stop", reason: calls.length > 0 ? "calls" : "end" };
			},
		};
		let ahead = 0;
		const seed = Number(process.env["TROUPE_SEED"] ?? 1207);
		// Each has its own numbers: who begins a tree doesn't depend on how many approvals were asked for before.
		const [next, begins] = [numbers(seed), numbers(seed + 1)];
		const agents = randomAgents(7, place.url);
		const theirs = outsideTools(place);
		app = await openTestApp({
			model,
			home: place.home,
			agents,
			roles: CUSTOM_ROLES,
			sources: [{ tools: () => theirs, prepare: async () => [], release: async () => undefined }],
			settings: { approval: "auto", delegation: { maxDepth: 4, timeout: 300, maxConcurrent: 4, maxTokens: 100_000_000 } },
			now: () => new Date(Date.now() + ahead),
		});
		const { sessions, services, policy } = app;
		sessions.listen({
			event(id, event) {
				if (event.type !== "asked") return;
				ahead += 1_000;
				const scope = event.session && next(2) === 0 ? "session" : "once";
				void sessions.get(id).then((session) => session.answer(event.request, { allow: true, scope }, "person", event.hash));
			},
		});
		const world = { url: place.url, agents, roles: () => policy.roles(), ours: services.tools, theirs };
		const all: Tried[] = [];
		const nodes: Node[] = [];
		const ran = new Map<string, number>();
		let unharmed = 0;
		for (let round = 0; round < TREES; round += 1) {
			const agent = agents[begins(agents.length - 1)];
			assert.ok(agent);
			const may = policy.roles().filter(({ id }) => agent.roles?.includes(id) ?? true);
			const role = may.find(({ id }) => id === "planner" && begins(4) > 0) ?? may[begins(may.length)];
			assert.ok(role);
			tree = new Tree(`tree${round}`, round, world);
			const { sessionId } = await sessions.create({ agentId: agent.agentId, role: role.id });
			const [picture, reached] = [place.picture(), place.reached()];
			const { outcome } = await (await sessions.get(sessionId)).send("Begin");
			assert.equal(outcome, "done");
			await waitUntilSettled(sessions);
			const given = [...role.permissions, ...(role.ceiling ?? [])];
			if (!CHANGES.some((permission) => given.includes(permission))) {
				unharmed += 1;
				assert.equal(place.picture(), picture, `files changed in a tree that a ${role.id} began`);
			}
			if (!SENDS.some((permission) => given.includes(permission))) assert.equal(place.reached(), reached, `sent in a tree of a ${role.id}`);
			const results = new Map((await sessions.opened()).flatMap(({ state }) => [...state.calls].map(([id, { result }]) => [id, result])));
			for (const one of tree.tried) {
				const result = results.get(one.call);
				assert.ok(result, `${one.attack.name} has no result`);
				const why = tree.forbidden(one);
				const sent = one.attack.name === "agents_message" && result.output.startsWith("{");
				const kept = result.status === "denied" || (one.attack.name === "agents_message" && !sent);
				const where = `${one.node.chain.join(" → ")} as ${one.node.role.id}: ${one.attack.name} ${JSON.stringify(one.attack.input)}`;
				if (why !== undefined) assert.ok(kept, `${where} ran (${result.status}: ${result.output}), although ${why}`);
				if (result.status === "ok") ran.set(one.attack.name, (ran.get(one.attack.name) ?? 0) + 1);
			}
			all.push(...tree.tried);
			nodes.push(...tree.nodes.values());
		}
		const kept = all.length - [...ran.values()].reduce((sum, count) => sum + count, 0);
		const deepest = Math.max(...nodes.map(({ depth }) => depth));
		const late = nodes.filter((node) => node.late).length;
		console.log(
			`      ${all.length} calls in ${nodes.length} turns of ${TREES} trees, ${deepest} deep, ${late} late: ${kept} were kept out or failed`,
		);
		assert.equal(deepest, 4);
		assert.ok(nodes.length > TREES * 2 && late > 2 && unharmed >= 5, `${late} late turns, ${unharmed} trees that may change nothing`);
		for (const name of ["read_file", "create_file", "update_file", "delete_file", "execute_command", "mcp__things__send", "agents_message"])
			assert.ok(ran.has(name), `${name} never ran, so nothing was tried`);
	});
});
