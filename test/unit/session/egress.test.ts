// Tests session egress: a new origin, an external tool and a redirect each ask once.
import assert from "node:assert/strict";
import * as z from "zod";
import { defineTool, type Tool } from "../../../src/core/ports/tool.ts";
import { outside, sourceOf } from "./outsideTool.ts";
import { closeTestSessions, openTestSession, type TestSession } from "./testSession.ts";

/** Fetches an address and follows it to others, as far as each is permitted. */
function fetching(reached: string[]): Tool {
	return defineTool<{ url: string; hops?: string[] | undefined }>({
		name: "fetch_page",
		plugin: "pages",
		description: "Fetches a page",
		permissions: ["Network"],
		capabilities: ["pages.fetch"],
		input: z.object({ url: z.string(), hops: z.array(z.string()).optional() }),
		summary: ({ url }) => `Fetch ${url}`,
		url: ({ url }) => url,
		async run({ url, hops = [] }, context) {
			for (const hop of [url, ...hops]) {
				if (hop !== url && !(await context.permitUrl(hop))) return { output: `stopped before ${hop}` };
				reached.push(hop);
			}
			return { output: "fetched" };
		},
	});
}

const page = (url: string, ...hops: string[]) => ({ name: "fetch_page", input: { url, ...(hops.length > 0 && { hops }) } });
const things = { name: "mcp__things__list", input: {} };

/** One call with every message; `answers` are given in order to what is asked, and then everything is denied. */
async function calling(
	calls: { name: string; input: unknown }[],
	tools: () => Tool[],
	answers: Parameters<TestSession["answer"]>[0][],
	options: Parameters<typeof openTestSession>[1] = {},
): Promise<TestSession> {
	const setup = await openTestSession(
		(request) => {
			const call = request.events.at(-1)?.type === "result" ? undefined : calls.shift();
			return call ? { calls: [call] } : { text: "Done." };
		},
		{
			role: "actor",
			sources: [sourceOf(tools)],
			settings: { approval: "auto" },
			agents: [{ agentId: "other", displayName: "Other" }],
			...options,
		},
	);
	setup.app.sessions.listen({
		event(_, event) {
			if (event.type !== "asked") return;
			setup.clock.ahead += 1_000;
			void setup.session.answer(event.request, answers.shift() ?? { allow: false }, "person", event.hash);
		},
	});
	return setup;
}

/** Says something so many times; resolves with the summaries of what was asked. */
async function asked(setup: TestSession, turns: number): Promise<string[]> {
	const before = setup.session.state.events.length;
	for (let turn = 0; turn < turns; turn++) await setup.session.send("Go on");
	return setup.session.state.events.slice(before).flatMap((event) => (event.type === "asked" ? [event.summary] : []));
}

const once = { allow: true };

describe("a session that goes out", () => {
	afterEach(closeTestSessions);

	it("asks once for each new origin in the automatic mode", async () => {
		const reached: string[] = [];
		const tools = [fetching(reached)];
		const setup = await calling(
			[page("https://a.example/1"), page("https://a.example/2"), page("https://b.example/"), page("http://a.example/")],
			() => tools,
			[once, once, once],
		);
		assert.deepEqual(await asked(setup, 4), ["Fetch https://a.example/1", "Fetch https://b.example/", "Fetch http://a.example/"]);
		assert.equal(reached.length, 4);
	});

	it("asks for a redirect to a new origin with the whole address, and goes no further where it is denied", async () => {
		const reached: string[] = [];
		const tools = [fetching(reached)];
		const calls = [
			page("https://a.example/", "https://a.example/2", "https://b.example/x?y", "https://a.example/3"),
			page("https://b.example/", "https://c.example/"),
		];
		const setup = await calling(calls, () => tools, [once, once]);
		assert.deepEqual(await asked(setup, 2), [
			"Fetch https://a.example/",
			"Follow the redirect to https://b.example/x?y",
			"Follow the redirect to https://c.example/",
		]);
		const hop = setup.session.state.events.find((event) => event.type === "asked" && event.summary.startsWith("Follow"));
		assert.ok(hop?.type === "asked");
		assert.deepEqual(hop.made, { name: "fetch_page", input: { url: "https://b.example/x?y" } });
		assert.deepEqual(reached, [
			"https://a.example/",
			"https://a.example/2",
			"https://b.example/x?y",
			"https://a.example/3",
			"https://b.example/",
		]);
	});

	it("asks for a redirect in every other mode, too, and takes an approval for the session or for good", async () => {
		for (const scope of ["session", "always"] as const) {
			const reached: string[] = [];
			const tools = [fetching(reached)];
			const calls = [page("https://a.example/", "https://b.example/"), page("https://b.example/", "https://a.example/")];
			const setup = await calling(
				calls,
				() => tools,
				[
					{ allow: true, scope },
					{ allow: true, scope },
				],
				{ settings: { approval: "ask" } },
			);
			assert.deepEqual(await asked(setup, 2), ["Fetch https://a.example/", "Follow the redirect to https://b.example/"], scope);
			assert.equal(reached.length, 4);
			await closeTestSessions();
		}
	});

	it("goes where a rule says it may, and not where one denies", async () => {
		const reached: string[] = [];
		const tools = [fetching(reached)];
		const rules = { deny: ["fetch_page(c.example)"], ask: [], allow: ["fetch_page(https://a.example)"] };
		const calls = [page("https://a.example/1", "https://a.example/2"), page("https://a.example/1", "https://c.example/")];
		const setup = await calling(calls, () => tools, [], { settings: { approval: "auto", rules } });
		assert.deepEqual(await asked(setup, 2), []);
		assert.deepEqual(reached, ["https://a.example/1", "https://a.example/2", "https://a.example/1"]);
	});

	it("asks once for each definition of a tool from outside, and again for another agent", async () => {
		const ran: string[] = [];
		let tools = [outside("a".repeat(64), ran)];
		const setup = await calling([things, things, things, things], () => tools, [once, once, once]);
		assert.equal((await asked(setup, 2)).length, 1);
		tools = [outside("b".repeat(64), ran)];
		assert.equal((await asked(setup, 1)).length, 1);
		await setup.session.setAgent("other");
		assert.equal((await asked(setup, 1)).length, 1);
		assert.equal(ran.length, 4);
	});

	it("does not know what was denied", async () => {
		const reached: string[] = [];
		const tools = [fetching(reached), outside("a".repeat(64), reached)];
		const setup = await calling([page("https://a.example/"), page("https://a.example/"), things, things], () => tools, []);
		assert.equal((await asked(setup, 4)).length, 4);
		assert.deepEqual(reached, []);
	});
});
