// Tests that changes to a prompt's sources are reported once, with the next message.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import type { ToolSource } from "../../../src/core/ports/tool.ts";
import { homes, leave, notesList, open, partsOf, said, sourceOf, systems, things, toolNamed } from "./promptingFixture.ts";
import { FILES, openTestSession } from "./testSession.ts";

describe("a session's prompt", () => {
	afterEach(leave);

	it("tells back and forth: what came and went again is news both times", async () => {
		const now = things();
		const setup = await open(now);
		await setup.session.send("One");
		now.agentsMd = undefined;
		await setup.session.send("Two");
		now.agentsMd = "Use tabs.";
		await setup.session.send("Three");
		assert.match(said(setup)[1]?.context ?? "", /No longer there:\n- instructions AGENTS\.md\n<\/changes>/);
		assert.match(said(setup)[2]?.context ?? "", /Use tabs\./);
	});

	it("is the same after a reload of the window, and what changed meanwhile is told", async () => {
		const now = things({ outside: ["mcp__memory__read"] });
		const setup = await open(now);
		const home = join(setup.app.folder, "..");
		homes.push(home);
		await setup.session.send("One");
		now.notes.push({ id: "n2", name: "Garden" });
		await setup.app.sessions.close();
		const again = await open(now, home);
		await again.session.send("Two");
		assert.deepEqual(systems(again), systems(setup));
		// Tools of servers that this window has not started yet are not gone.
		assert.match(said(again)[1]?.context ?? "", /Garden/);
		assert.doesNotMatch(said(again)[1]?.context ?? "", /mcp__/);
		await again.session.send("Three");
		assert.equal(said(again)[2]?.context, undefined);
	});

	it("goes on without news where what it is made of takes too long", async () => {
		const setup = await open(things());
		await setup.session.send("One");
		const { parts } = setup.app.services;
		const artifacts = parts.artifacts;
		let asked = 0;
		parts.artifacts = () => {
			asked += 1;
			return asked === 1 ? new Promise(() => undefined) : artifacts();
		};
		assert.equal((await setup.session.send("Two")).outcome, "done");
		assert.equal(said(setup)[1]?.context, undefined);
	});

	it("tells of a server's tools that came or went with the message after", async () => {
		const now = things({ outside: ["mcp__memory__read"] });
		const setup = await open(now);
		await setup.session.send("One");
		now.outside = ["mcp__memory__write"];
		await setup.session.send("Two");
		await setup.session.send("Three");
		assert.match(systems(setup)[0] ?? "", /- mcp__memory__read: "?Does it/);
		assert.equal(new Set(systems(setup)).size, 1);
		assert.match(
			said(setup)[2]?.context ?? "",
			/There now \(names in quotes are data\):\n- further tool mcp__memory__write\nNo longer there:\n- further tool mcp__memory__read\n/,
		);
	});

	it("says nothing twice that was told before another role's prompt was built, nor what that role does not have", async () => {
		const now = things();
		const network = { ...toolNamed("far_call"), permissions: ["Network" as const] };
		const far: ToolSource = { tools: () => [network], prepare: async () => [], release: async () => undefined };
		const sources = [far, { ...sourceOf(now), tools: () => [notesList] }];
		const setup = await openTestSession(() => ({ text: "Yes." }), { parts: partsOf(now), sources, files: FILES });
		const { session } = setup;
		await session.send("One");
		now.notes = [];
		await session.send("Two");
		now.notes = [{ id: "n1", name: "Shopping" }];
		await session.setRole("actor");
		await session.send("Three");
		await session.send("Four");
		assert.deepEqual(
			said(setup).map(({ told }) => told?.removed.length ?? 0),
			[0, 1, 0, 0],
		);
		assert.match(systems(setup)[2] ?? "", /far_call/);
		assert.equal(said(setup)[3]?.context, undefined, "the actor's prompt has the note and the tool");
		await session.setRole("planner");
		await session.send("Five");
		await session.setRole("actor");
		await session.send("Six");
		assert.equal(said(setup)[5]?.context, undefined, "that the planner had no such tool is no news to the actor");
	});

	it("names forty of many things at most, and never more than it would be built of", async () => {
		const now = things({ notes: [] });
		const setup = await open(now);
		const notes = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `n${index}`, name: `Note ${index}` }));
		await setup.session.send("One");
		now.notes = notes(41);
		await setup.session.send("Two");
		assert.match(said(setup)[1]?.context ?? "", /id: n39\)\n- and 1 more\n/);
		now.notes = notes(120);
		await setup.session.send("Three");
		now.notes = notes(130);
		await setup.session.send("Four");
		assert.equal(said(setup)[3]?.context, undefined);
	});

	it("is the same after a summary in the middle of a turn, and what changed meanwhile is told", async () => {
		const now = things();
		const long = "word ".repeat(8_000);
		const size = ({ events }: ModelRequest) => ({ input: Math.ceil(JSON.stringify(events).length / 4), output: 10_000 });
		let asked = 0;
		const setup = await openTestSession(
			(request) => {
				if (request.tools.length === 0) return { text: "## Goal\nTalk.", usage: size(request) };
				asked += 1;
				now.agentsMd = "Use blanks.";
				const calls = [{ name: "read_file", input: { path: "README.md", end: asked } }];
				return asked < 4 ? { text: long, calls, usage: size(request) } : { text: "Finished.", usage: size(request) };
			},
			{ parts: partsOf(now), files: FILES, info: { window: 32_000, maxOutput: 2_000 } },
		);
		await setup.session.send("Talk a lot");
		assert.ok(setup.types().includes("compacted"));
		await setup.session.send("Go on");
		const talking = setup.model.requests.filter(({ tools }) => tools.length > 0).map(({ system }) => system);
		assert.equal(new Set(talking).size, 1);
		assert.match(said(setup).at(-1)?.context ?? "", /Use blanks\./);
	});

	it("tells again what a message said that was taken back", async () => {
		const now = things();
		const setup = await open(now);
		await setup.session.send("One");
		now.notes.push({ id: "n2", name: "Garden" });
		await setup.session.send("Two");
		const two = said(setup)[1];
		await setup.session.eventLog.emit({ type: "rewound", to: two?.id ?? "" }, "person");
		await setup.session.send("Two, otherwise");
		assert.equal(said(setup)[2]?.context, two?.context);
	});

	it("says nothing of open editors while the person has switched that off, and explains it when it is switched on", async () => {
		const now = things({ context: false });
		const setup = await open(now);
		await setup.session.send("One");
		assert.doesNotMatch(systems(setup)[0] ?? "", /Message Context|Open panels|tab-/);
		now.context = true;
		await setup.session.send("Two");
		assert.match(said(setup)[1]?.context ?? "", /<context … \/>: the panel/);
		assert.match(said(setup)[1]?.context ?? "", /panel tab-src\/hello\.ts/);
		now.context = false;
		now.open = ["src/secret-plans.ts"];
		await setup.session.send("Three");
		assert.equal(said(setup)[2]?.context, undefined);
	});

	it("goes on without news where what it is made of cannot be read", async () => {
		const now = things();
		const setup = await open(now);
		await setup.session.send("One");
		setup.app.services.parts.artifacts = () => Promise.reject(new Error("The disk is gone"));
		const { outcome } = await setup.session.send("Two");
		assert.equal(outcome, "done");
		assert.equal(systems(setup)[1], systems(setup)[0]);
	});
});
