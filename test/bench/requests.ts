// Records the request bodies of a scripted turn and of a first "hello", in each wire format.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelProvider } from "../../src/core/ports/model.ts";
import { createAnthropicProvider } from "../../src/models/anthropic/anthropic.ts";
import { createOpenAiProvider } from "../../src/models/openai/openai.ts";
import { buildHouse } from "../fakes/house.ts";
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

interface Wanted {
	format: string;
	sample: string;
	role: string;
	text: string;
	expected: number;
}

async function bodiesOf({ format, sample, role, text, expected }: Wanted): Promise<Body[]> {
	const home = mkdtempSync(join(tmpdir(), "troupe-bench-"));
	const folder = join(home, "workspace");
	cpSync(sample, folder, { recursive: true });
	writeFileSync(join(folder, changing.path), changing.content);
	const server = await startBenchServer();
	const provider = providers[format];
	if (!provider) throw new Error(`There is no format ${format}.`);
	const house = await buildHouse({ home, model: provider(server.url), settings: { approval: "auto" }, info: { tools: true } });
	try {
		const { sessionId } = await house.sessions.create({ role });
		const { outcome } = await (await house.sessions.get(sessionId)).send(text);
		const complaint = server.complaints[0] ?? (outcome === "done" ? undefined : `the turn ended: ${outcome}`);
		if (complaint !== undefined) throw new Error(`${format}: ${complaint}`);
		const bodies = server.bodies();
		if (bodies.length !== expected) throw new Error(`${format}: ${bodies.length} requests instead of ${expected}`);
		return bodies;
	} finally {
		await house.close();
		await server.close();
		rmSync(home, { recursive: true, force: true });
	}
}
