// Tests parallel calls that need the person: each is answered by itself, and a repetition is asked about once.
import assert from "node:assert/strict";
import * as z from "zod";
import type { EventOf } from "../../../src/core/events.ts";
import { defineTool, type ToolSource } from "../../../src/core/ports/tool.ts";
import { pendingRequests } from "../../../src/core/transcript/state.ts";
import { DiskCache } from "../../../src/session/state/diskCache.ts";
import { closeTestSessions, openTestSession, type TestSession } from "./testSession.ts";

/** A session whose model fetches these addresses in one answer; `reached` are those that were fetched. */
async function fetching(...urls: string[]): Promise<TestSession & { reached: string[] }> {
	const reached: string[] = [];
	const tool = defineTool<{ url: string }>({
		name: "fetch_page",
		plugin: "pages",
		description: "Fetches a page",
		permissions: ["Network"],
		capabilities: ["pages.fetch"],
		input: z.object({ url: z.string() }),
		parallel: true,
		summary: ({ url }) => `Fetch ${url}`,
		url: ({ url }) => url,
		async run({ url }) {
			reached.push(url);
			return { output: `page ${url}` };
		},
	});
	const source: ToolSource = { tools: () => [tool], prepare: async () => [], release: async () => undefined };
	const calls = urls.map((url) => ({ id: url, name: "fetch_page", input: { url } }));
	const setup = await openTestSession([{ calls }], { role: "actor", settings: { approval: "auto" }, sources: [source] });
	return { ...setup, reached };
}

const A = "https://a.example/";
const B = "https://b.example/";
const askedFor = (setup: TestSession, call: string) => setup.event("asked", (event) => event.call === call);

async function answer({ clock, session }: TestSession, { request, hash }: EventOf<"asked">, allow: boolean): Promise<void> {
	clock.ahead += 1_000;
	await session.answer(request, { allow }, "person", hash);
}

describe("parallel calls", () => {
	afterEach(closeTestSessions);

	it("that need approval are asked about at the same time, and each is answered by itself", async () => {
		const setup = await fetching(A, B);
		const turn = setup.session.send("Go");
		const [first, second] = await Promise.all([askedFor(setup, A), askedFor(setup, B)]);
		assert.equal(pendingRequests(setup.session.state).length, 2);

		await answer(setup, second, false);
		await setup.event("result", ({ call }) => call === B);
		assert.deepEqual(
			pendingRequests(setup.session.state).map(({ event }) => event.request),
			[first.request],
		);
		assert.deepEqual(setup.reached, []);

		await answer(setup, first, true);
		assert.equal((await turn).outcome, "done");
		assert.deepEqual(setup.reached, [A]);
		const { calls } = setup.session.state;
		assert.deepEqual([calls.get(A)?.result?.output, calls.get(B)?.result?.status], [`page ${A}`, "denied"]);
	});

	it("that wait for an answer all expire when the person stops the turn", async () => {
		const setup = await fetching(A, B);
		const turn = setup.session.send("Go");
		await Promise.all([askedFor(setup, A), askedFor(setup, B)]);
		await setup.session.cancel();
		await turn;
		const { requests, events } = setup.session.state;
		assert.deepEqual(
			[...requests.values()].map(({ state }) => state),
			["expired", "expired"],
		);
		assert.deepEqual(
			events.flatMap((event) => (event.type === "result" ? [event.status] : [])),
			["cancelled", "cancelled"],
		);
		assert.deepEqual(setup.reached, []);
	});

	it("that repeat each other are asked about once where the person lets the model continue", async () => {
		const setup = await repeating(true);
		assert.deepEqual([setup.asked, setup.statuses], [1, ["ok", "ok", "ok", "ok", "ok"]]);
	});

	it("that repeat each other are asked about one after the other where the person denies them", async () => {
		const setup = await repeating(false);
		assert.deepEqual([setup.asked, setup.statuses], [3, ["ok", "ok", "denied", "denied", "denied"]]);
	});

	it("keep nothing that the gate has read meanwhile", async () => {
		const cache = new DiskCache();
		cache.memo.set("before", 1);
		const ends: (() => void)[] = [];
		const call = () => cache.during(() => new Promise<void>((resolve) => ends.push(resolve)));
		const running = [call(), call()];
		cache.memo.set("while both run", 1);
		ends[0]?.();
		await running[0];
		cache.memo.set("while one runs", 1);
		assert.equal(cache.memo.size, 0);
		ends[1]?.();
		await running[1];
		assert.equal(cache.memo.size, 0);
		cache.memo.set("after", 1);
		assert.equal(cache.memo.size, 1);
	});
});

/** Five equal calls, each repetition answered with `allow`. */
async function repeating(allow: boolean) {
	const tool = defineTool<object>({
		name: "look",
		plugin: "test",
		description: "Looks",
		permissions: [],
		capabilities: [],
		input: z.object({}),
		parallel: true,
		summary: () => "Look",
		run: async () => ({ output: "seen" }),
	});
	const source: ToolSource = { tools: () => [tool], prepare: async () => [], release: async () => undefined };
	const calls = Array.from({ length: 5 }, () => ({ name: "look", input: {} }));
	const setup = await openTestSession([{ calls }], { role: "actor", settings: { approval: "auto" }, sources: [source] });
	let asked = 0;
	let most = 0;
	setup.app.sessions.listen({
		event(_, event) {
			if (event.type !== "asked") return;
			asked += 1;
			most = Math.max(most, pendingRequests(setup.session.state).length);
			void answer(setup, event, allow);
		},
	});
	await setup.session.send("Go");
	assert.equal(most, 1);
	return { asked, statuses: [...setup.session.state.calls.values()].map(({ result }) => result?.status) };
}
