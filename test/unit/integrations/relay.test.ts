// A turn as another chat tells it, and a question from another agent.
import assert from "node:assert/strict";
import { UserError } from "../../../src/core/userError.ts";
import { askPlanner } from "../../../src/integrations/askPlanner.ts";
import {
	type ExternalChatCard,
	type ExternalChatOutput,
	relayToExternalChat,
	sendExternalMessage,
} from "../../../src/integrations/externalChat.ts";
import { channelStage, closeStages } from "../channels/channelStage.ts";
import { latch } from "../delegation/tasks/taskStage.ts";
import { EDIT, FILES, PLAN, type Stage, stage, strike } from "../session/stage.ts";

function heard({ house, conversation }: Pick<Stage, "house" | "conversation">, id = ID) {
	const told = { text: "", progress: [] as string[], cards: [] as ExternalChatCard[] };
	const sink: ExternalChatOutput = {
		markdown: (text) => {
			told.text += text;
		},
		progress: (text) => told.progress.push(text),
		card: (card) => told.cards.push(card),
	};
	relayToExternalChat(house.sessions, conversation, sink, id);
	return told;
}

const ID = "from-another-chat";

const signal = () => new AbortController().signal;

describe("a turn told to another chat", () => {
	afterEach(async () => {
		await strike();
		await closeStages();
	});

	it("has every word once, and each call in its tool's words", async () => {
		const set = await stage(
			[{ text: "I look. ", calls: [{ name: "read_file", input: { path: "README.md" } }] }, { text: "It says hello." }],
			{
				files: FILES,
			},
		);
		const told = heard(set);
		await set.conversation.send({ text: "What is here?", id: ID }, "channel:other");
		assert.equal(told.text, "I look. \n\nIt says hello.\n\n");
		assert.deepEqual(told.progress, ["Read README.md"]);
	});

	it("shows a plan as a list and points at its card", async () => {
		const set = await stage([{ calls: [{ name: "present_plan", input: PLAN }] }], { files: FILES });
		const told = heard(set);
		await set.conversation.send({ text: "Louder", id: ID }, "channel:other");
		assert.match(told.text, /### Say hello louder\n\n1\. Change the greeting/);
		assert.deepEqual(told.cards, [{ kind: "plan" }]);
	});

	it("does not show the JSON of a plan that came as text, fenced or not", async () => {
		for (const text of [JSON.stringify(PLAN), `\`\`\`json\n${JSON.stringify(PLAN)}\n\`\`\``]) {
			const set = await stage([{ text }], { files: FILES });
			const told = heard(set);
			await set.conversation.send({ text: "Louder", id: ID }, "channel:other");
			assert.doesNotMatch(told.text, /"goal"/);
			assert.deepEqual(told.cards, [{ kind: "plan" }]);
		}
	});

	it("shows the prose before such JSON", async () => {
		const set = await stage([{ text: `I read it.\n\n\`\`\`json\n${JSON.stringify(PLAN)}\n\`\`\`` }], { files: FILES });
		const told = heard(set);
		await set.conversation.send({ text: "Louder", id: ID }, "channel:other");
		assert.match(told.text, /^I read it\./);
		assert.doesNotMatch(told.text, /"goal"|```/);
	});

	it("shows JSON and code that are an answer", async () => {
		for (const text of ['{ "a": 1 }', "```ts\nconst a = 1;\n```", "`a` is one.", "So:\n\n```json\n{}\n```\n\n{ not that }\n"]) {
			const set = await stage([{ text }], { files: FILES });
			const told = heard(set);
			await set.conversation.send({ text: "Show a", id: ID }, "channel:other");
			assert.equal(told.text, `${text}\n\n`);
		}
	});

	it("hears of no turn but the one that takes its message, and of that one from then on", async () => {
		const [first, second] = [latch(), latch()];
		const set = await stage(
			[
				{ text: "To the person. ", until: first.until, calls: [{ name: "read_file", input: { path: "README.md" } }] },
				{ text: "To both.", until: second.until },
				{ text: "To the person again." },
			],
			{ files: FILES },
		);
		const { conversation: session, house } = set;
		const told = heard(set);
		const mine = session.send("Mine");
		await set.model.asked;
		const theirs = sendExternalMessage(session, { text: "Theirs", id: ID }, "channel:VS Code chat", signal());
		await set.event("queued");
		const joined = set.event("user", (event) => event.message === ID);
		first.open();
		await joined;
		assert.deepEqual([told.text, told.progress], ["", []]);
		second.open();
		await Promise.all([mine, theirs]);
		await house.sessions.get(session.sessionId).then((again) => again.send("More"));
		assert.equal(told.text, "To both.\n\n");
	});

	it("has only the replies to itself, of an agent that also replies elsewhere", async () => {
		const working = latch();
		const reply = (text: string, channelId: string) => ({ name: "reply", input: { text, channelId, channelType: "vscode" } });
		const set = await channelStage((_, call) => {
			if (call === 0) return { text: "Hm.", until: working.until };
			return call === 1 ? { calls: [reply("To the panel.", "main"), reply("To the chat.", "chat")] } : { text: "" };
		});
		const { session, house } = set;
		const [own, other] = [heard({ house, conversation: session }), heard({ house, conversation: session }, "another")];
		const mine = session.send("Mine");
		await set.model.asked;
		const queued = set.next("queued");
		const theirs = sendExternalMessage(session, { text: "Theirs", id: ID }, "channel:VS Code chat", signal());
		await queued;
		working.open();
		await Promise.all([mine, theirs]);
		assert.deepEqual([own.text, other.text], ["To the chat.\n\n", ""]);
		assert.deepEqual(
			set.all("reply").map(({ text }) => text),
			["To the panel.", "To the chat."],
		);
	});

	it("points at an approval and cannot give it", async () => {
		const set = await stage([{ calls: [EDIT] }, { text: "Done." }], { files: FILES, role: "actor", settings: { approval: "ask" } });
		const told = heard(set);
		const turn = set.conversation.send({ text: "Louder", id: ID }, "channel:VS Code chat");
		const asked = await set.event("asked");
		assert.deepEqual(told.cards, [{ kind: "approval", summary: asked.summary, reason: asked.reason }]);
		await set.answer({ allow: false });
		await turn;
	});
});

describe("a question from another agent", () => {
	afterEach(strike);

	it("is answered by a planner in a session of its own, and recorded as another program's", async () => {
		const { house } = await stage([{ text: "Forty-two." }], { files: FILES, role: "actor" });
		const { text, sessionId } = await askPlanner(house.sessions, { question: "How many?\nSay it.", signal: signal() });
		assert.equal(text, "Forty-two.");
		const { state } = await house.sessions.get(sessionId);
		assert.equal(state.role, "planner");
		assert.equal(state.events.find((event) => event.type === "user")?.by, "api");
		const summary = (await house.sessions.list()).find((session) => session.sessionId === sessionId);
		assert.equal(summary?.name, "How many?");
	});

	it("goes on in that session, unless the person has given it another role", async () => {
		const { house } = await stage([], { files: FILES });
		const ask = (sessionId?: string) => askPlanner(house.sessions, { question: "And now?", sessionId, signal: signal() });
		const first = await ask();
		assert.equal((await ask(first.sessionId)).sessionId, first.sessionId);
		await (await house.sessions.get(first.sessionId)).setRole("actor");
		assert.notEqual((await ask(first.sessionId)).sessionId, first.sessionId);
		assert.notEqual((await ask("gone")).sessionId, first.sessionId);
	});

	it("may not change anything, whatever the model tries", async () => {
		const { house } = await stage([{ calls: [EDIT] }, { text: "I could not." }], { files: FILES, settings: { approval: "auto" } });
		const { text, sessionId } = await askPlanner(house.sessions, { question: "Louder", signal: signal() });
		assert.equal(text, "I could not.");
		const results = (await house.sessions.get(sessionId)).state.events.filter((event) => event.type === "result");
		assert.deepEqual(
			results.map(({ status }) => status),
			["denied"],
		);
	});

	it("says where an approval waits and does not wait for it", async () => {
		const { house } = await stage([{ calls: [{ name: "read_file", input: { path: ".env" } }] }, { text: "Read." }], {
			files: { ".env": "A=1\n" },
		});
		const { text, sessionId } = await askPlanner(house.sessions, { question: "What is in .env?", signal: signal() });
		assert.match(text, /waits for the person's approval in its own view.*\.env/);
		await (await house.sessions.get(sessionId)).cancel();
	});

	it("gets a plan as a list with the word that only the person starts it", async () => {
		const { house } = await stage([{ text: JSON.stringify(PLAN) }], { files: FILES });
		const { text } = await askPlanner(house.sessions, { question: "Louder", signal: signal() });
		assert.match(text, /1\. Change the greeting/);
		assert.match(text, /only the person can start it/);
		assert.doesNotMatch(text, /"goal"/);
	});

	it("fails with the turn's own words", async () => {
		const { house } = await stage([{ error: new UserError("The model is gone.") }], { files: FILES });
		await assert.rejects(askPlanner(house.sessions, { question: "Hm?", signal: signal() }), /The model is gone\./);
	});

	it("stops its turn with the signal", async () => {
		const set = await stage([{ text: "Never", until: new Promise(() => undefined) }], { files: FILES });
		const stop = new AbortController();
		const asking = askPlanner(set.house.sessions, { question: "Hm?", signal: stop.signal });
		await set.event("started");
		stop.abort();
		assert.match((await asking).text, /stopped/);
	});
});
