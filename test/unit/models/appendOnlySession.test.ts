// Tests that each request of a session starts with the previous one while its context changes.

// Several turns in the three wire formats, compared byte for byte.
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelProvider } from "../../../src/core/ports/model.ts";
import type { PromptSources } from "../../../src/core/ports/promptSources.ts";
import type { OpenEditor } from "../../../src/core/prompt.ts";
import { createAnthropicProvider } from "../../../src/models/anthropic/anthropic.ts";
import { createOpenAiProvider } from "../../../src/models/openai/openai.ts";
import { startModelServer } from "../../fakes/modelServer/server.ts";
import { noContext } from "../../fakes/noContext.ts";
import { openTestApp, type TestApp } from "../../fakes/testApp.ts";

const key = async () => "test";

const formats: Record<string, { list: string; provider(baseUrl: string): ModelProvider }> = {
	chat: { list: "messages", provider: (baseUrl) => createOpenAiProvider({ id: "openai", baseUrl, apiKey: key, api: "chat" }) },
	responses: { list: "input", provider: (baseUrl) => createOpenAiProvider({ id: "openai", baseUrl, apiKey: key, api: "responses" }) },
	messages: { list: "messages", provider: (baseUrl) => createAnthropicProvider({ id: "anthropic", baseUrl, apiKey: key }) },
};

/** Where a cache may be read from moves on with each request; it is no part of what was said. */
const withoutMarks = (_: string, value: unknown): unknown => {
	if (typeof value !== "object" || value === null || !("cache_control" in value)) return value;
	const { cache_control: __, ...rest } = value;
	return rest;
};

describe("requests of a session", () => {
	for (const [name, { list, provider }] of Object.entries(formats)) {
		it(`only ever grow at their end while notes, panels and AGENTS.md change and the window reloads, as ${name}`, async () => {
			const server = await startModelServer({
				script: ({ number }) => ({ text: `Answer ${number}.`, calls: number % 2 ? [] : [{ name: "read_file", input: { path: "a.ts" } }] }),
			});
			const home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-append-")));
			const panel = (id: string): OpenEditor => ({
				id,
				type: "editor",
				title: id,
				active: true,
				visible: true,
				item: { type: "file", id, name: id },
			});
			const now = { notes: [{ id: "n1", name: "Shopping" }], text: "Use tabs.", panels: [panel("a.ts")] };
			const parts: Partial<PromptSources> = {
				artifacts: async () => [{ type: "note", items: now.notes }],
				instructions: async () => [{ path: "AGENTS.md", text: now.text }],
				panels: () => now.panels,
				context: noContext,
			};
			const open = () => openTestApp({ home, model: provider(server.url), parts, files: { "a.ts": "1\n", "b.ts": "2\n" } });
			const say = async (app: TestApp, session: string, text: string) => {
				const { outcome } = await (await app.sessions.get(session)).send({ text, context: `<context panel-id="${text}" />` });
				assert.equal(outcome, "done");
			};
			let app = await open();
			try {
				const { sessionId } = await app.sessions.create({ role: "actor" });
				await say(app, sessionId, "One");
				now.notes.push({ id: "n2", name: "Garden" });
				await say(app, sessionId, "Two");
				now.panels = [panel("b.ts")];
				await say(app, sessionId, "Three");
				now.text = "Use blanks.";
				await app.close();
				app = await open();
				await say(app, sessionId, "Four");
				await say(app, sessionId, "Five");
				const bodies = server.requests.map(({ body }) => {
					const { [list]: items, ...rest } = body;
					return { items: JSON.stringify(items, withoutMarks).slice(0, -1), rest: JSON.stringify(rest, withoutMarks) };
				});
				assert.equal(bodies.length, 10);
				for (const [index, { items, rest }] of bodies.slice(1).entries()) {
					assert.equal(rest, bodies[index]?.rest, `request ${index + 1}`);
					assert.ok(items.startsWith(bodies[index]?.items ?? "?"), `request ${index + 1}`);
				}
				const last = bodies.at(-1)?.items ?? "";
				for (const told of ["Garden", 'file \\"b.ts', "Use blanks."]) assert.equal(last.split(told).length, 2, `${told} is told once`);
			} finally {
				await app.close();
				await server.close();
				rmSync(home, { recursive: true, force: true });
			}
		});
	}
});
