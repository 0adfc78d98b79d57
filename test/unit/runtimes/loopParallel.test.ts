// Tests how the loop runs the calls of one answer: neighbors of parallel tools at once, all others in order.
import assert from "node:assert/strict";
import * as z from "zod";
import type { EventOf, TranscriptEvent } from "../../../src/core/events.ts";
import { defineTool, type Tool, type ToolContext, type ToolOutput, type ToolSource } from "../../../src/core/ports/tool.ts";
import { toConversationMessages } from "../../../src/models/wire/conversationMessages.ts";
import type { Session } from "../../../src/session/session.ts";
import type { ScriptedAnswer } from "../../fakes/scriptedModel.ts";
import { closeTestSessions, openTestSession, type TestSession } from "../session/testSession.ts";

type Run = (name: string, context: ToolContext, setup: TestSession) => Promise<ToolOutput>;

/** A session with the tools `together`, which is parallel, and `alone`. Call `a` of the first answer has the id `a`. */
async function calling(run: Run, ...answers: (string | ScriptedAnswer)[]): Promise<TestSession> {
	const tool = (name: string, parallel: boolean): Tool =>
		defineTool<{ name: string }>({
			name,
			plugin: "test",
			description: name,
			permissions: [],
			capabilities: [],
			input: z.object({ name: z.string() }),
			...(parallel && { parallel }),
			summary: (input) => input.name,
			run: (input, context) => run(input.name, context, setup),
		});
	const tools = [tool("together", true), tool("alone", false)];
	const source: ToolSource = { tools: () => tools, prepare: async () => [], release: async () => undefined };
	const setup = await openTestSession(answers.map(toAnswer), { role: "actor", settings: { approval: "auto" }, sources: [source] });
	return setup;
}

/** "a b C" calls `together`, `together` and `alone`. */
function toAnswer(written: string | ScriptedAnswer): ScriptedAnswer {
	if (typeof written !== "string") return written;
	const called = (id: string) => ({ id, name: id === id.toLowerCase() ? "together" : "alone", input: { name: id } });
	return { calls: written.split(" ").map(called) };
}

/** `all` resolves once every one of the names has been marked. */
function createMarks() {
	const marked = new Set<string>();
	const waiting: (() => void)[] = [];
	const mark = (name: string): void => {
		marked.add(name);
		for (const look of waiting.splice(0)) look();
	};
	const all = async (...names: string[]): Promise<void> => {
		while (names.some((name) => !marked.has(name))) await new Promise<void>((resolve) => waiting.push(resolve));
	};
	return { mark, all };
}

const resultOf = (setup: TestSession, call: string) => setup.event("result", (event) => event.call === call);
const resultsIn = ({ state }: Session) => state.events.filter((event): event is EventOf<"result"> => event.type === "result");

describe("the calls of one answer", () => {
	afterEach(closeTestSessions);

	it("run at once where their tools are parallel, and each result is that of its call", async () => {
		const { mark, all } = createMarks();
		const setup = await calling(async (name, _, at) => {
			mark(name);
			await all("a", "b");
			if (name === "a") await resultOf(at, "b");
			return { output: `of ${name}` };
		}, "a b");
		await setup.session.send("Go");
		assert.deepEqual(
			resultsIn(setup.session).map(({ call, output }) => [call, output]),
			[
				["b", "of b"],
				["a", "of a"],
			],
		);
		const [, , told] = toConversationMessages(setup.model.requests[1]?.events ?? []);
		assert.ok(told?.by === "tools");
		assert.deepEqual(
			told.results.map(({ call, output }) => [call, output]),
			[
				["a", "of a"],
				["b", "of b"],
			],
		);
	});

	it("wait for each other where a call between them isn't parallel", async () => {
		const { mark, all } = createMarks();
		const log: string[] = [];
		const setup = await calling(async (name) => {
			log.push(`${name} starts`);
			mark(name);
			if (name === "a" || name === "b") await all("a", "b");
			log.push(`${name} ends`);
			return { output: name };
		}, "a b C d");
		await setup.session.send("Go");
		assert.deepEqual(log.slice(0, 2).sort(), ["a starts", "b starts"]);
		assert.deepEqual(log.slice(2, 4).sort(), ["a ends", "b ends"]);
		assert.deepEqual(log.slice(4), ["C starts", "C ends", "d starts", "d ends"]);
	});

	it("run alone where no offered tool has the name", async () => {
		const log: string[] = [];
		const input = (name: string) => ({ name: "together", input: { name } });
		const calls = [input("a"), { name: "no_tool", input: {} }, input("b")];
		const setup = await calling(
			async (name) => {
				log.push(name);
				return { output: name };
			},
			{ calls },
		);
		await setup.session.send("Go");
		assert.deepEqual(
			resultsIn(setup.session).map(({ status }) => status),
			["ok", "denied", "ok"],
		);
		assert.deepEqual(log, ["a", "b"]);
	});

	it("each have one result when the person stops the turn", async () => {
		const { mark, all } = createMarks();
		const setup = await calling(async (name, { signal }) => {
			const stopped = new Promise<never>((_, reject) => {
				signal.addEventListener("abort", () => reject(signal.reason), { once: true });
			});
			mark(name);
			return stopped;
		}, "a b C d");
		const turn = setup.session.send("Go");
		await all("a", "b");
		await setup.session.cancel();
		assert.equal((await turn).outcome, "cancelled");
		assert.deepEqual(
			resultsIn(setup.session)
				.map(({ call, status }) => `${call} ${status}`)
				.sort(),
			["C cancelled", "a cancelled", "b cancelled", "d cancelled"],
		);
	});

	it("leave each other's results where one throws", async () => {
		const setup = await calling(async (name, _, at) => {
			if (name === "a") throw new Error("It broke.");
			await resultOf(at, "a");
			return { output: "whole" };
		}, "a b");
		assert.equal((await setup.session.send("Go")).outcome, "done");
		assert.deepEqual(
			resultsIn(setup.session).map(({ call, status, output }) => [call, status, output]),
			[
				["a", "error", "Something failed in Troupe itself. Its log says more."],
				["b", "ok", "whole"],
			],
		);
	});

	it("all end before the turn fails, where the result of one can't be recorded", async () => {
		const { mark, all } = createMarks();
		const setup = await calling(async (name) => {
			if (name === "b") await all("refused");
			return { output: name };
		}, "a b C");
		const { store } = setup.app;
		const append = store.append.bind(store);
		store.append = async (session, event) => {
			if (event.type !== "result" || event.call !== "a" || event.status !== "ok") return append(session, event);
			mark("refused");
			throw new Error("The result was refused.");
		};
		assert.equal((await setup.session.send("Go")).outcome, "failed");
		assert.deepEqual(
			resultsIn(setup.session).map(({ call, status }) => [call, status]),
			[
				["b", "ok"],
				["a", "unknown"],
				["C", "unknown"],
			],
		);
	});

	it("keep the events of a call next to its result", async () => {
		const { mark, all } = createMarks();
		const setup = await calling(async (name) => {
			mark(name);
			await all("a", "b");
			return { output: name, events: [{ type: "question", question: { question: name, severity: "minor", allow_custom: true } }] };
		}, "a b");
		await setup.session.send("Go");
		const about = (event: TranscriptEvent) =>
			event.type === "result" ? [event.output] : event.type === "question" ? [event.question.question] : [];
		const order = setup.session.state.events.flatMap(about);
		assert.deepEqual(order, order[0] === "a" ? ["a", "a", "b", "b"] : ["b", "b", "a", "a"]);
	});

	it("count as malformed in the order in which the model wrote them", async () => {
		const raw = (...written: string[]) => ({ raw: written.map((text) => ({ name: "together", arguments: text })) });
		const good = '{"name":"a"}';
		const run: Run = async (name) => ({ output: name });
		const setup = await calling(run, raw("{", "{a", good, "{b"), raw("{c"), raw("{d", good));
		assert.equal((await setup.session.send("Go")).outcome, "done");
		const stopped = await calling(run, raw(good, "{", "{a", "{b"));
		assert.equal((await stopped.session.send("Go")).outcome, "failed");
	});
});
