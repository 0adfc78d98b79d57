// Records the request bodies of a scripted turn and of a first "hello", in each wire format.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ModelProvider } from "../../src/core/ports/model.ts";
import { MAIN_AGENT, PERMISSIONS } from "../../src/core/role.ts";
import { createAnthropicProvider } from "../../src/models/anthropic/anthropic.ts";
import { createOpenAiProvider } from "../../src/models/openai/openai.ts";
import { tokensOf } from "../fakes/modelServer/pieces.ts";
import { openTestApp } from "../fakes/testApp.ts";
import { callsInTurn, changing, startBenchServer } from "./script.ts";

export type Body = Record<string, unknown>;

const key = async () => "bench";

/** By the name of the format. */
export const providers: Readonly<Record<string, (baseUrl: string) => ModelProvider>> = {
	chat: (baseUrl) => createOpenAiProvider({ id: "bench", baseUrl, apiKey: key, api: "chat" }),
	responses: (baseUrl) => createOpenAiProvider({ id: "bench", baseUrl, apiKey: key, api: "responses" }),
	messages: (baseUrl) => createAnthropicProvider({ id: "bench", baseUrl, apiKey: key }),
};

/** The bodies of a turn of twenty tool calls in a copy of the sample workspace. */
export function turnBodies(format: string, sample: string): Promise<Body[]> {
	return bodiesOf({ format, sample, role: "actor", text: "Turn 0", expected: callsInTurn + 1 });
}

export async function helloBody(role: string, sample: string): Promise<Body> {
	const [body] = await bodiesOf({ format: "chat", sample, role, text: "hello", expected: 1 });
	return body as Body;
}

/** The tokens of the first "hello" to the main agent, in an empty workspace, as the fake server counts them. */
export async function mainHelloTokens(empty: string): Promise<number> {
	const [body] = await bodiesOf({ format: "chat", sample: empty, agentId: MAIN_AGENT, role: "planner", text: "hello", expected: 1 });
	return tokensOf({ body: body as Body });
}

/** The body of the first "hello" of a background task. */
export async function taskHelloBody(type: string, sample: string): Promise<Body> {
	const { home, server, app } = await openBenchApp("chat", sample);
	try {
		const { sessionId } = await app.sessions.create({ role: "actor" });
		const found = app.services.taskTypes?.find(type);
		if (!found) throw new Error(`There is no type ${type}.`);
		const ended = new Promise<void>((resolve) => {
			app.sessions.listen({
				event: (_, event) => {
					if (event.type === "ended") resolve();
				},
			});
		});
		const base = { session: sessionId, turn: "turn", call: "call", agent: "default", role: "actor" };
		const caller = { ...base, ceiling: PERMISSIONS, depth: 1, chain: ["default"] };
		const request = { description: "hello", input: "hello", type: found, isolation: "never" as const };
		await app.delegation.tasks.spawn(request, { caller, delegated: async () => undefined });
		await ended;
		const [body] = server.bodies();
		if (!body) throw new Error("The task asked no model.");
		return body;
	} finally {
		await app.close();
		await server.close();
		rmSync(home, { recursive: true, force: true });
	}
}

async function openBenchApp(format: string, sample: string) {
	const home = mkdtempSync(join(tmpdir(), "troupe-bench-"));
	const folder = join(home, "workspace");
	cpSync(sample, folder, { recursive: true });
	mkdirSync(dirname(join(folder, changing.path)), { recursive: true });
	writeFileSync(join(folder, changing.path), changing.content);
	const server = await startBenchServer();
	const provider = providers[format];
	if (!provider) throw new Error(`There is no format ${format}.`);
	const app = await openTestApp({ home, model: provider(server.url), settings: { approval: "auto" }, info: { tools: true } });
	return { home, server, app };
}

interface Wanted {
	format: string;
	sample: string;
	/** The default agent if absent. */
	agentId?: string;
	role: string;
	text: string;
	expected: number;
}

async function bodiesOf({ format, sample, agentId, role, text, expected }: Wanted): Promise<Body[]> {
	const { home, server, app } = await openBenchApp(format, sample);
	try {
		const { sessionId } = await app.sessions.create({ role, ...(agentId !== undefined && { agentId }) });
		const { outcome } = await (await app.sessions.get(sessionId)).send(text);
		const complaint = server.complaints[0] ?? (outcome === "done" ? undefined : `the turn ended: ${outcome}`);
		if (complaint !== undefined) throw new Error(`${format}: ${complaint}`);
		const bodies = server.bodies();
		if (bodies.length !== expected) throw new Error(`${format}: ${bodies.length} requests instead of ${expected}`);
		return bodies;
	} finally {
		await app.close();
		await server.close();
		rmSync(home, { recursive: true, force: true });
	}
}
