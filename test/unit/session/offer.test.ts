// Tests what a turn offers its model: how often it is listed, when it changes, and its size.
import assert from "node:assert/strict";
import type { Tool } from "../../../src/core/ports/tool.ts";
import type { Permission } from "../../../src/core/role.ts";
import { measureRequestOverhead } from "../../../src/session/contextWindow/usage.ts";
import type { Script, ScriptedAnswer } from "../../fakes/scriptedModel.ts";
import { HELPER, watchListings } from "./listings.ts";
import { outside, sourceOf } from "./outsideTool.ts";
import { closeTestSessions, FILES, openTestSession, results, type TestSession } from "./testSession.ts";

/** Reads three files one after the other, then answers. */
const threeReads: Script = ({ events }) => {
	const last = events.findLastIndex(({ type }) => type === "user");
	const read = events.slice(last).filter(({ type }) => type === "result").length;
	if (read === 3) return { text: "Read." };
	return { calls: [{ name: "read_file", input: { path: "src/hello.ts", start: read + 1 } }] };
};

/** A server that has another tool from the first request on. The model answers that request with `calls`. */
function changingServer(calls: NonNullable<ScriptedAnswer["calls"]>) {
	const ran: string[] = [];
	let tools: Tool[] = [outside("1", ran)];
	const script: Script = (_, call) => {
		if (call > 0) return { text: "Done." };
		tools = [{ ...outside("2", ran), name: "mcp__things__new" }];
		return { calls };
	};
	return { script, sources: [sourceOf(() => tools)], ran };
}

const offered = ({ model }: TestSession) => model.requests.map(({ tools }) => tools.map(({ name }) => name));

describe("what a turn offers", () => {
	afterEach(closeTestSessions);

	it("is listed at most twice, by the message and the turn, whatever the turn calls", async () => {
		const listings = watchListings();
		const setup = await openTestSession(threeReads, { files: FILES, sources: [listings.source], agents: [HELPER], role: "actor" });
		await setup.session.send("One");
		assert.match(setup.model.requests[0]?.system ?? "", /helper/);
		const counts = listings.count(setup);
		await setup.session.send("Two");

		assert.equal(results(setup.session).length, 6);
		assert.ok(counts.tools > 0 && counts.agents > 0, "counts nothing");
		for (const [what, count] of Object.entries(counts)) assert.ok(count <= 2, `lists ${what} ${count} times`);
	});

	it("stays the same in its turn when a server changes, and is new in the next", async () => {
		const { script, sources } = changingServer([{ name: "read_file", input: { path: "README.md" } }]);
		const setup = await openTestSession(script, { files: FILES, sources, role: "actor" });
		await setup.session.send("One");
		await setup.session.send("Two");

		const [first, second, third] = offered(setup);
		assert.ok(first?.includes("mcp__things__list"));
		assert.deepEqual(second, first, "requests of one turn begin alike");
		assert.ok(third?.includes("mcp__things__new") && !third.includes("mcp__things__list"));
	});

	it("does not limit calls: the gate judges the tools that the server has now", async () => {
		const { script, sources, ran } = changingServer([
			{ name: "mcp__things__list", input: {} },
			{ name: "mcp__things__new", input: {} },
		]);
		const setup = await openTestSession(script, { sources, role: "actor" });
		const turn = setup.session.send("One");
		await setup.answer({ allow: true });
		await turn;

		assert.deepEqual(
			results(setup.session).map(({ tool, status }) => [tool, status]),
			[
				["mcp__things__list", "denied"],
				["mcp__things__new", "ok"],
			],
		);
		assert.deepEqual(ran, ["2"]);
		assert.equal(setup.types().filter((type) => type === "asked").length, 1, "only the new tool could be approved");
	});

	it("is computed anew after a summary, which brings the tool that reads archives", async () => {
		const usage = { input: 31_000, output: 10 };
		const script: Script = ({ tools }, call) => {
			if (tools.length === 0) return { text: "## Goal\nTalk." };
			return call === 0
				? { text: "word ".repeat(8_000), calls: [{ name: "read_file", input: { path: "README.md" } }], usage }
				: { text: "Done." };
		};
		const setup = await openTestSession(script, { files: FILES, info: { window: 32_000, maxOutput: 2_000 } });
		await setup.session.send("One");
		assert.ok(setup.types().includes("compacted"));
		const [first] = offered(setup);
		const last = offered(setup).at(-1);
		const archiveTools = (last ?? []).filter((name) => !first?.includes(name));
		assert.ok(archiveTools.length > 0, "the model gets a tool that it did not have before");
	});

	it("follows the role from the next turn on, and the lists of the agent", async () => {
		const setup = await openTestSession(() => ({ text: "Yes." }), { files: FILES });
		const { session } = setup;
		let changed: Promise<void> | undefined;
		const listening = setup.app.sessions.listen({
			event: (_, { type }) => {
				if (type === "started") changed ??= session.setRole("actor");
			},
		});
		await session.send("One");
		await changed;
		listening.dispose();
		await session.send("Two");
		setup.app.policy.settings().pluginsOff = ["files"];
		await session.send("Three");

		const [planner, actor, withoutFiles] = offered(setup);
		assert.ok(!planner?.includes("update_file"), "a role is fixed for a turn");
		assert.ok(actor?.includes("update_file"));
		assert.ok(!withoutFiles?.includes("read_file"));
	});

	it("is forgotten when a turn could not begin", async () => {
		const setup = await openTestSession(() => ({ text: "Yes." }));
		const { store } = setup.app.services;
		const { append } = store;
		store.append = async () => {
			throw new Error("The disk is gone.");
		};
		await assert.rejects(setup.session.send("One"), /gone/);
		store.append = append;
		assert.equal(setup.session.prompts.offer, undefined);
	});

	it("is measured in the caller's role from the message of its call on", async () => {
		const caller = { session: "s", turn: "t", call: "c", agent: "main", role: "actor", depth: 1, chain: ["main"] };
		const ceiling: Permission[] = ["ReadFiles", "WriteFiles", "ExecuteCommands"];
		const measured: number[] = [];
		const measure = () => measured.push(measureRequestOverhead(setup.session).tools);
		const setup: TestSession = await openTestSession(() => {
			measure();
			return { text: "Yes." };
		});
		const listening = setup.app.sessions.listen({
			event(_, { type }) {
				if (type === "user") measure();
			},
		});
		await setup.session.send("One", { by: "agent:main", caller: { ...caller, ceiling }, ceiling });
		listening.dispose();

		const [atMessage, atRequest] = measured;
		assert.ok(offered(setup)[0]?.includes("update_file"), "the caller's role writes files");
		assert.equal(atMessage, atRequest);
	});

	it("is not listed for an agent that is gone", async () => {
		let listings = 0;
		const source = sourceOf(() => {
			listings += 1;
			return [];
		});
		const { app, session } = await openTestSession([], { sources: [source] });
		app.policy.agents = () => [HELPER];
		assert.equal(measureRequestOverhead(session).tools, 0);
		assert.equal(listings, 0);
	});
});
