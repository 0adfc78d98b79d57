// A session whose prompt is made of things that a test changes, and what was sent of them.

import { rmSync } from "node:fs";
import * as z from "zod";
import type { EventOf } from "../../../src/core/events.ts";
import type { PromptSources } from "../../../src/core/ports/promptSources.ts";
import { defineTool, type Tool, type ToolSource } from "../../../src/core/ports/tool.ts";
import { noContext } from "../../fakes/noContext.ts";
import { closeTestSessions, FILES, openTestSession, type TestSession } from "./testSession.ts";

/** What the prompt is made of, as a test changes it. */
interface Things {
	notes: { id: string; name: string }[];
	agentsMd: string | undefined;
	open: string[];
	context: boolean;
	outside: string[];
}

export const things = (over: Partial<Things> = {}): Things => ({
	notes: [{ id: "n1", name: "Shopping" }],
	agentsMd: "Use tabs.",
	open: ["src/hello.ts"],
	context: true,
	outside: [],
	...over,
});

export function partsOf(now: Things): Partial<PromptSources> {
	return {
		artifacts: async () => [{ type: "note", items: now.notes }],
		instructions: async () => (now.agentsMd === undefined ? [] : [{ path: "AGENTS.md", text: now.agentsMd }]),
		panels: () =>
			now.open.map((path) => ({
				id: `tab-${path}`,
				type: "editor",
				title: path,
				active: false,
				visible: false,
				item: { type: "file", id: path, name: path },
			})),
		context: { ...noContext, on: () => now.context },
	};
}

export const toolNamed = (name: string, capabilities: string[] = []): Tool =>
	defineTool({
		name,
		plugin: "test",
		description: "Does it.",
		permissions: [],
		capabilities,
		input: z.object({}),
		summary: () => name,
		run: async () => ({ output: "" }),
	});

/** Tools that are there only once a turn has asked for them. */
export function sourceOf(now: Things): ToolSource {
	const tools = new Map<string, Tool>();
	let asked = false;
	return {
		tools: () => {
			if (!asked) return [];
			return now.outside.map((name) => {
				const tool = tools.get(name) ?? toolNamed(name);
				tools.set(name, tool);
				return tool;
			});
		},
		prepare: async () => {
			asked = true;
			return [];
		},
		release: async () => undefined,
	};
}

export async function open(now: Things, home?: string): Promise<TestSession> {
	const setup = await openTestSession(() => ({ text: "Yes." }), {
		parts: partsOf(now),
		sources: [sourceOf(now), { ...sourceOf(now), tools: () => [notesList] }],
		files: FILES,
		...(home !== undefined && { home }),
	});
	return setup;
}

/** Storage folders that outlive their app. */
export const homes: string[] = [];

export async function leave(): Promise<void> {
	await closeTestSessions();
	for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
}

export const notesList = toolNamed("notes_list", ["notes.read"]);

export const said = ({ session }: TestSession): EventOf<"user">[] => session.state.events.filter((event) => event.type === "user");
export const systems = ({ model }: TestSession): string[] => model.requests.map(({ system }) => system);
