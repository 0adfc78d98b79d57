// Benchmark fixture: the app without an editor on a copy of the sample, and turns of twenty tool calls.
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAiProvider } from "../../src/models/openai/openai.ts";
import type { Script, ScriptedCall } from "../fakes/modelServer/script.ts";
import { startModelServer } from "../fakes/modelServer/server.ts";
import { openTestApp, type TestApp, type TestAppOptions } from "../fakes/testApp.ts";

/** Tool calls of one piece of work. */
export const CALLS = 20;

/** `work` names the files that it creates. */
export function callsOf(work: number | string): ScriptedCall[] {
	const files = ["src/cart.ts", "src/money.ts", "src/invoice.ts", "src/inventory.ts", "src/cart.ts"];
	return files.flatMap((path, at) => [
		{ name: "list_directory", input: { path: at % 2 === 0 ? "src" : "test" } },
		{ name: "read_file", input: { path } },
		{ name: "search_code", input: { pattern: "export function" } },
		{ name: "create_file", input: { path: `notes/work-${work}-${at}.md`, content: `# Work ${work}\n` } },
	]);
}

/** Everything is approved; the folders go with the end of `measure`. */
export async function withTestApp<T>(
	sample: string,
	script: Script,
	options: Partial<TestAppOptions>,
	measure: (app: TestApp) => Promise<T>,
): Promise<T> {
	const home = mkdtempSync(join(tmpdir(), "troupe-bench-"));
	cpSync(sample, join(home, "workspace"), { recursive: true });
	const server = await startModelServer({ script, models: ["scripted"] });
	const model = createOpenAiProvider({ id: "bench", baseUrl: server.url, apiKey: async () => "bench", api: "chat" });
	const settings = { approval: "auto" as const, ...options.settings };
	const app = await openTestApp({ ...options, home, model, info: { tools: true }, settings });
	try {
		return await measure(app);
	} finally {
		await app.close();
		await server.close();
		rmSync(home, { recursive: true, force: true });
	}
}

/** Milliseconds of a turn of a new session as an actor. Throws if it does not end well. */
export async function timeTurn({ sessions }: TestApp, text: string, agentId?: string): Promise<number> {
	const { sessionId } = await sessions.create({ role: "actor", ...(agentId !== undefined && { agentId }) });
	const session = await sessions.get(sessionId);
	const began = performance.now();
	checkEnd(await session.send(text));
	return performance.now() - began;
}

export function checkEnd({ outcome }: { outcome: string }): void {
	if (outcome !== "done") throw new Error(`a turn ended: ${outcome}`);
}
