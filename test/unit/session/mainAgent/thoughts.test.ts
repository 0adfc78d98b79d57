// Tests that no text of an agent that speaks in replies leaves its session, at each place where text does.
import assert from "node:assert/strict";
import type { LiveEvent, TranscriptEvent } from "../../../../src/core/events.ts";
import { askPlanner } from "../../../../src/integrations/askPlanner.ts";
import { createTroupeApi } from "../../../../src/integrations/exportedApi.ts";
import { relayToExternalChat } from "../../../../src/integrations/externalChat.ts";
import { toConversationMessages } from "../../../../src/models/wire/conversationMessages.ts";
import { createCarriedText } from "../../../../src/session/contextWindow/carryContext.ts";
import { joinText, streamExport } from "../../../../src/sessions/exportSession.ts";
import { fixedRegistry } from "../../../fakes/fixedRegistry.ts";
import type { ScriptedAnswer } from "../../../fakes/scriptedModel.ts";
import { agent, closeTestCalls, openTestCalls } from "../../delegation/calls/testCalls.ts";
import { closeTestSessions, openTestSession, PLAN, type TestSession } from "../testSession.ts";

const THOUGHT = "Owls think";
const HIDDEN = /owls/i;
const registry = fixedRegistry(() => [agent("default", { output: "reply" })]);

const answer: ScriptedAnswer = { text: `${THOUGHT} in words. `, thinking: `${THOUGHT} deeply.` };

async function thinking(script: readonly ScriptedAnswer[] = [answer]): Promise<TestSession> {
	return openTestSession(script, { registry });
}

/** A reply, as the tool that speaks would record it. */
async function reply({ session }: Pick<TestSession, "session">, text: string, type: string, channelId = "main"): Promise<void> {
	await session.eventLog.emit({ type: "reply", call: "c", text, channel: { type, channelId } }, "model", session.state.turn?.id);
}

describe("what an agent thinks that speaks in replies", () => {
	afterEach(async () => {
		await closeTestSessions();
		await closeTestCalls();
	});

	it("is recorded as thought, and a plan in it is none", async () => {
		const { session, event, types } = await thinking([{ text: JSON.stringify(PLAN) }]);
		await session.send("Hello");
		assert.equal((await event("assistant")).unspoken, true);
		assert.ok(!types().includes("plan"));
	});

	it("isn't streamed: the chat learns only that it goes on", async () => {
		const { session, app } = await thinking();
		const live: LiveEvent[] = [];
		app.sessions.listen({ live: (_, event) => live.push(event) });
		await session.send("Hello");
		assert.deepEqual(live, [{ type: "delta", text: "" }]);
		assert.equal(session.spoken(), "");
	});

	it("names no session, and is found by no search", async () => {
		const set = await thinking();
		await set.session.send("Hello");
		await reply(set, "It is noon.", "vscode");
		const { app, summary } = set;
		const found = async (text: string) => {
			const hits = [];
			for await (const hit of app.store.search([summary.sessionId], text, new AbortController().signal)) hits.push(hit.sessionId);
			return hits;
		};
		assert.deepEqual([await found("owls"), await found("noon")], [[], [summary.sessionId]]);
		assert.equal((await app.sessions.find(summary.sessionId))?.lastSnippet, "It is noon.");
	});

	it("doesn't go along to another agent's session, whole or summed up", async () => {
		const set = await thinking([answer, { text: "## Goal\nNone." }]);
		await set.session.send("Hello");
		await reply(set, "It is noon.", "vscode");
		const carry = (what: "all" | "summary") =>
			createCarriedText(set.session, what, { tokens: 4_000, signal: new AbortController().signal });
		const { text } = await carry("all");
		assert.match(text, /Hello/);
		assert.doesNotMatch(text, HIDDEN);
		await carry("summary");
		const [request] = set.model.requests.slice(-1);
		assert.match(JSON.stringify(request?.events), /Hello/);
		assert.doesNotMatch(JSON.stringify(request?.events), HIDDEN);
	});

	it("isn't in the summary that replaces the conversation, and that leaves the session as all words do", async () => {
		const set = await thinking([answer, { text: "## Goal\nNone." }]);
		await set.session.send("Hello");
		await reply(set, "It is noon.", "vscode");
		await set.session.compact();
		const [request] = set.model.requests.slice(-1);
		assert.match(JSON.stringify(request?.events), /Hello/);
		assert.doesNotMatch(JSON.stringify(request?.events), HIDDEN);
	});

	it("isn't read by an agent that takes over the session; the one that thought it has it again", async () => {
		const both = fixedRegistry(() => [agent("default", { output: "reply" }), agent("other")]);
		const calls = [{ name: "reply", input: { text: "It is noon.", channelId: "main" } }];
		const { session, model } = await openTestSession([{ ...answer, calls }, answer, { text: "Hi." }, answer], { registry: both });
		await session.send("Hello");
		await session.setAgent("other");
		await session.send("And you?");
		await session.setAgent("default");
		await session.send("Back again");
		const [, before = "", other = "", after = ""] = model.requests.map(({ events }) => JSON.stringify(toConversationMessages(events)));
		assert.match(before, HIDDEN);
		assert.match(other, /Hello.*It is noon\..*And you\?/);
		assert.doesNotMatch(other, HIDDEN);
		assert.ok(after.startsWith(before.slice(0, -1)), "its own requests only append");
	});

	it("is in no archive that an agent reads, for what a tool returns leaves the session as well", async () => {
		const set: TestSession = await openTestSession(
			(_, number) => {
				if (number !== 2) return number === 1 ? { text: "## Goal\nNone." } : answer;
				const compacted = set.session.state.events.find((event) => event.type === "compacted");
				const file = compacted?.type === "compacted" && compacted.archive;
				return { calls: [{ name: "session_archive_read", input: { file } }] };
			},
			{ registry },
		);
		await set.session.send("Hello");
		await reply(set, "It is noon.", "vscode");
		await set.session.compact();
		await set.session.send("What was it?");
		const { output } = await set.event("result");
		assert.match(output, /It is noon\./);
		assert.doesNotMatch(output, HIDDEN);
	});

	it("is in no export", async () => {
		const set = await thinking();
		await set.session.send("Hello");
		await reply(set, "It is noon.", "vscode");
		for (const format of ["json", "markdown"] as const) {
			const text = await joinText(await streamExport(set.app.sessions, set.summary, format));
			assert.doesNotMatch(text, HIDDEN);
			assert.match(text, /It is noon\./);
		}
	});

	it("doesn't reach other extensions, whose answer is what was replied to them", async () => {
		let set: TestSession | undefined;
		set = await openTestSession(
			async () => {
				if (set) {
					await reply(set, "To the panel.", "vscode");
					await reply(set, "To you.", "api");
				}
				return answer;
			},
			{ registry },
		);
		const api = createTroupeApi(set.app.sessions);
		const heard: TranscriptEvent[] = [];
		api.onEvent(({ event }) => heard.push(event));
		const { sessionId } = set.summary;
		assert.equal((await api.send(sessionId, "Hello")).text, "To you.");
		assert.doesNotMatch(JSON.stringify([heard, await api.transcript(sessionId)]), HIDDEN);
		assert.deepEqual(
			heard.flatMap((event) => (event.type === "assistant" ? [event.text] : [])),
			[""],
		);
	});

	it("doesn't reach another chat, nor a question of another agent", async () => {
		const set = await thinking();
		let told = "";
		const sink = {
			markdown: (text: string) => {
				told += text;
			},
			progress: () => undefined,
			card: () => undefined,
		};
		relayToExternalChat(set.app.sessions, set.session, sink, "from-there");
		await set.session.send({ text: "Hello", id: "from-there" }, "channel:VS Code chat");
		const { text } = await askPlanner(set.app.sessions, { question: "And now?", signal: new AbortController().signal });
		assert.doesNotMatch(told + text, HIDDEN);
	});

	it("isn't the answer to a call, which is what was replied to its caller", async () => {
		const set = await openTestCalls(
			{
				a: [{ calls: [{ name: "agents_message", input: { agentId: "b", content: "What time is it?" } }] }, { text: "Done." }],
				b: async () => {
					const called = { session: await set.sessionOf("b") };
					await reply(called, "To the panel.", "vscode");
					await reply(called, "It is noon.", "agent", "a");
					await reply(called, "And sunny.", "agent", "a");
					return answer;
				},
			},
			{ agents: [agent("a"), agent("b", { output: "reply" })] },
		);
		await set.caller.send("Ask b");
		const { output } = await set.event(set.caller, "result");
		assert.equal(JSON.parse(output).response, "It is noon.\n\nAnd sunny.");
		assert.doesNotMatch(output, HIDDEN);
	});
});
