// A view is no way round the capabilities that keep notes or lists from an agent.
import assert from "node:assert/strict";
import type { AgentDefinition } from "../../src/core/role.ts";
import { closeTestSessions, openTestSession, results } from "../unit/session/testSession.ts";

const SECRET = "CANARY-77c1e0";
const WRITTEN = [
	{ name: "notes_write", input: { title: `Note ${SECRET}`, text: `key ${SECRET}` } },
	{ name: "lists_create", input: { name: "Chores", items: [`Item ${SECRET}`] } },
	{ name: "views_create", input: { name: "All", query: "" } },
];
const ASKED = [
	{ name: "views_query", input: { query: "" } },
	{ name: "views_query", input: { query: SECRET } },
	{ name: "views_get", input: { view: "All" } },
	{ name: "views_create", input: { name: "Mine", query: "" } },
];

/** What an agent with these lists finds by views, where another one has written a note and a list. */
async function finds(lists: Partial<AgentDefinition>): Promise<string[]> {
	const curious = { agentId: "curious", displayName: "Curious", ...lists };
	const calls = [...WRITTEN, ...ASKED].map((call) => ({ calls: [call] }));
	const done = { text: "Done." };
	const answers = [...calls.slice(0, WRITTEN.length), done, ...calls.slice(WRITTEN.length), done];
	const { session } = await openTestSession(answers, { agents: [{ agentId: "writer", displayName: "Writer" }, curious] });
	await session.send("Write");
	await session.setAgent("curious");
	await session.send("Look");
	const found = results(session).slice(WRITTEN.length);
	for (const { status, output } of found) assert.equal(status, "ok", output);
	return found.map(({ output }) => [...output.matchAll(/Note|Item/g)].map(([word]) => word).join());
}

describe("A view", () => {
	afterEach(closeTestSessions);

	it("finds nothing of notes for an agent that has no reading of notes, nor of lists", async () => {
		assert.deepEqual(await finds({ capabilityDenylist: ["notes.*"] }), ["Item", "Item", "Item", "Item"]);
		assert.deepEqual(await finds({ capabilityAllowlist: ["views.*", "notes.read"] }), ["Note", "Note", "Note", "Note"]);
		assert.deepEqual(await finds({ capabilityAllowlist: ["views.*"] }), ["", "", "", ""]);
	});

	it("finds all of it for one that has both", async () => {
		assert.deepEqual(await finds({}), ["Note,Item", "Note,Item", "Note,Item", "Note,Item"]);
	});
});
