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
import { agent, delegationStage, strikeDelegation } from "../../delegation/calls/delegationStage.ts";
import { PLAN, type Stage, stage, strike } from "../stage.ts";

const THOUGHT = "Owls think";
const HIDDEN = /owls/i;
const registry = fixedRegistry(() => [agent("default", { output: "reply" })]);

const answer: ScriptedAnswer = { text: `${THOUGHT} in words. `, thinking: `${THOUGHT} deeply.` };

async function thinking(script: readonly ScriptedAnswer[] = [answer]): Promise<Stage> {
	return stage(script, { registry });
}

/** A reply, as the tool that speaks would record it. */
async function reply({ conversation }: Pick<Stage, "conversation">, text: string, type: string, channelId = "main"): Promise<void> {
	await conversation.eventLog.emit({ type: "reply", call: "c", text, channel: { type, channelId } }, "model", conversation.state.turn?.id);
}

describe("what an agent thinks that speaks in replies", () => {
	afterEach(async () => {
		await strike();
		await strikeDelegation();
	});

	it("is recorded as thought, and a plan in it is none", async () => {
		const { conversation, event, types } = await thinking([{ text: JSON.stringify(PLAN) }]);
		await conversation.send("Hello");
		assert.equal((await event("assistant")).unspoken, true);
		assert.ok(!types().includes("plan"));
	});

	it("isn't streamed: the chat learns only that it goes on", async () => {
		const { conversation, house } = await thinking();
		const live: LiveEvent[] = [];
		house.sessions.listen({ live: (_, event) => live.push(event) });
		await conversation.send("Hello");
		assert.deepEqual(live, [{ type: "delta", text: "" }]);
		assert.equal(conversation.spoken(), "");
	});

	it("names no session, and is found by no search", async () => {
		const set = await thinking();
		await set.conversation.send("Hello");
		await reply(set, "It is noon.", "vscode");
		const { house, session } = set;
		const found = async (text: string) => {
			const hits = [];
			for await (const hit of house.store.search([session.sessionId], text, new AbortController().signal)) hits.push(hit.sessionId);
			return hits;
		};
		assert.deepEqual([await found("owls"), await found("noon")], [[], [session.sessionId]]);
		assert.equal((await house.sessions.find(session.sessionId))?.lastSnippet, "It is noon.");
	});

	it("doesn't go along to another agent's session, whole or summed up", async () => {
		const set = await thinking([answer, { text: "## Goal\nNone." }]);
		await set.conversation.send("Hello");
		await reply(set, "It is noon.", "vscode");
		const carry = (what: "all" | "summary") =>
			createCarriedText(set.conversation, what, { tokens: 4_000, signal: new AbortController().signal });
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
		await set.conversation.send("Hello");
		await reply(set, "It is noon.", "vscode");
		await set.conversation.compact();
		const [request] = set.model.requests.slice(-1);
		assert.match(JSON.stringify(request?.events), /Hello/);
		assert.doesNotMatch(JSON.stringify(request?.events), HIDDEN);
	});

	it("isn't read by an agent that takes over the session; the one that thought it has it again", async () => {
		const both = fixedRegistry(() => [agent("default", { output: "reply" }), agent("other")]);
		const calls = [{ name: "reply", input: { text: "It is noon.", channelId: "main" } }];
		const { conversation, model } = await stage([{ ...answer, calls }, answer, { text: "Hi." }, answer], { registry: both });
		await conversation.send("Hello");
		await conversation.setAgent("other");
		await conversation.send("And you?");
		await conversation.setAgent("default");
		await conversation.send("Back again");
		const [, before = "", other = "", after = ""] = model.requests.map(({ events }) => JSON.stringify(toConversationMessages(events)));
		assert.match(before, HIDDEN);
		assert.match(other, /Hello.*It is noon\..*And you\?/);
		assert.doesNotMatch(other, HIDDEN);
		assert.ok(after.startsWith(before.slice(0, -1)), "its own requests only append");
	});

	it("is in no archive that an agent reads, for what a tool returns leaves the session as well", async () => {
		const set: Stage = await stage(
			(_, number) => {
				if (number !== 2) return number === 1 ? { text: "## Goal\nNone." } : answer;
				const compacted = set.conversation.state.events.find((event) => event.type === "compacted");
				const file = compacted?.type === "compacted" && compacted.archive;
				return { calls: [{ name: "session_archive_read", input: { file } }] };
			},
			{ registry },
		);
		await set.conversation.send("Hello");
		await reply(set, "It is noon.", "vscode");
		await set.conversation.compact();
		await set.conversation.send("What was it?");
		const { output } = await set.event("result");
		assert.match(output, /It is noon\./);
		assert.doesNotMatch(output, HIDDEN);
	});

	it("is in no export", async () => {
		const set = await thinking();
		await set.conversation.send("Hello");
		await reply(set, "It is noon.", "vscode");
		for (const format of ["json", "markdown"] as const) {
			const text = await joinText(await streamExport(set.house.sessions, set.session, format));
			assert.doesNotMatch(text, HIDDEN);
			assert.match(text, /It is noon\./);
		}
	});

	it("doesn't reach other extensions, whose answer is what was replied to them", async () => {
		let set: Stage | undefined;
		set = await stage(
			async () => {
				if (set) {
					await reply(set, "To the panel.", "vscode");
					await reply(set, "To you.", "api");
				}
				return answer;
			},
			{ registry },
		);
		const api = createTroupeApi(set.house.sessions);
		const heard: TranscriptEvent[] = [];
		api.onEvent(({ event }) => heard.push(event));
		const { sessionId } = set.session;
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
		relayToExternalChat(set.house.sessions, set.conversation, sink, "from-there");
		await set.conversation.send({ text: "Hello", id: "from-there" }, "channel:VS Code chat");
		const { text } = await askPlanner(set.house.sessions, { question: "And now?", signal: new AbortController().signal });
		assert.doesNotMatch(told + text, HIDDEN);
	});

	it("isn't the answer to a call, which is what was replied to its caller", async () => {
		const set = await delegationStage(
			{
				a: [{ calls: [{ name: "agents_message", input: { agentId: "b", content: "What time is it?" } }] }, { text: "Done." }],
				b: async () => {
					const called = { conversation: await set.sessionOf("b") };
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
