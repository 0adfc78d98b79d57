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
import { createDeferred } from "../../fakes/deferred.ts";
import { closeTestChannels, openTestChannels } from "../channels/testChannels.ts";
import { closeTestSessions, EDIT, FILES, openTestSession, PLAN, type TestSession } from "../session/testSession.ts";

function heard({ app, session }: Pick<TestSession, "app" | "session">, id = ID) {
	const told = { text: "", progress: [] as string[], cards: [] as ExternalChatCard[] };
	const sink: ExternalChatOutput = {
		markdown: (text) => {
			told.text += text;
		},
		progress: (text) => told.progress.push(text),
		card: (card) => told.cards.push(card),
	};
	relayToExternalChat(app.sessions, session, sink, id);
	return told;
}

const ID = "from-another-chat";

const signal = () => new AbortController().signal;

describe("a turn told to another chat", () => {
	afterEach(async () => {
		await closeTestSessions();
		await closeTestChannels();
	});

	it("has every word once, and each call in its tool's words", async () => {
		const set = await openTestSession(
			[{ text: "I look. ", calls: [{ name: "read_file", input: { path: "README.md" } }] }, { text: "It says hello." }],
			{
				files: FILES,
			},
		);
		const told = heard(set);
		await set.session.send({ text: "What is here?", id: ID }, "channel:other");
		assert.equal(told.text, "I look. \n\nIt says hello.\n\n");
		assert.deepEqual(told.progress, ["Read README.md"]);
	});

	it("shows a plan as a list and points at its card", async () => {
		const set = await openTestSession([{ calls: [{ name: "present_plan", input: PLAN }] }], { files: FILES });
		const told = heard(set);
		await set.session.send({ text: "Louder", id: ID }, "channel:other");
		assert.match(told.text, /### Say hello louder\n\n1\. Change the greeting/);
		assert.deepEqual(told.cards, [{ kind: "plan" }]);
	});

	it("does not show the JSON of a plan that came as text, fenced or not", async () => {
		for (const text of [JSON.stringify(PLAN), `\`\`\`json\n${JSON.stringify(PLAN)}\n\`\`\``]) {
			const set = await openTestSession([{ text }], { files: FILES });
			const told = heard(set);
			await set.session.send({ text: "Louder", id: ID }, "channel:other");
			assert.doesNotMatch(told.text, /"goal"/);
			assert.deepEqual(told.cards, [{ kind: "plan" }]);
		}
	});

	it("shows the prose before such JSON", async () => {
		const set = await openTestSession([{ text: `I read it.\n\n\`\`\`json\n${JSON.stringify(PLAN)}\n\`\`\`` }], { files: FILES });
		const told = heard(set);
		await set.session.send({ text: "Louder", id: ID }, "channel:other");
		assert.match(told.text, /^I read it\./);
		assert.doesNotMatch(told.text, /"goal"|```/);
	});

	it("shows JSON and code that are an answer", async () => {
		for (const text of ['{ "a": 1 }', "```ts\nconst a = 1;\n```", "`a` is one.", "So:\n\n```json\n{}\n```\n\n{ not that }\n"]) {
			const set = await openTestSession([{ text }], { files: FILES });
			const told = heard(set);
			await set.session.send({ text: "Show a", id: ID }, "channel:other");
			assert.equal(told.text, `${text}\n\n`);
		}
	});

	it("hears of no turn but the one that takes its message, and of that one from then on", async () => {
		const [first, second] = [createDeferred(), createDeferred()];
		const set = await openTestSession(
			[
				{ text: "To the person. ", until: first.until, calls: [{ name: "read_file", input: { path: "README.md" } }] },
				{ text: "To both.", until: second.until },
				{ text: "To the person again." },
			],
			{ files: FILES },
		);
		const { session, app } = set;
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
		await app.sessions.get(session.sessionId).then((again) => again.send("More"));
		assert.equal(told.text, "To both.\n\n");
	});

	it("has only the replies to itself, of an agent that also replies elsewhere", async () => {
		const working = createDeferred();
		const reply = (text: string, channelId: string) => ({ name: "reply", input: { text, channelId, channelType: "vscode" } });
		const set = await openTestChannels((_, call) => {
			if (call === 0) return { text: "Hm.", until: working.until };
			return call === 1 ? { calls: [reply("To the panel.", "main"), reply("To the chat.", "chat")] } : { text: "" };
		});
		const { session, app } = set;
		const [own, other] = [heard({ app, session }), heard({ app, session }, "another")];
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
		const set = await openTestSession([{ calls: [EDIT] }, { text: "Done." }], {
			files: FILES,
			role: "actor",
			settings: { approval: "ask" },
		});
		const told = heard(set);
		const turn = set.session.send({ text: "Louder", id: ID }, "channel:VS Code chat");
		const asked = await set.event("asked");
		assert.deepEqual(told.cards, [{ kind: "approval", summary: asked.summary, reason: asked.reason }]);
		await set.answer({ allow: false });
		await turn;
	});
});

describe("a question from another agent", () => {
	afterEach(closeTestSessions);

	it("is answered by a planner in a session of its own, and recorded as another program's", async () => {
		const { app } = await openTestSession([{ text: "Forty-two." }], { files: FILES, role: "actor" });
		const { text, sessionId } = await askPlanner(app.sessions, { question: "How many?\nSay it.", signal: signal() });
		assert.equal(text, "Forty-two.");
		const { state } = await app.sessions.get(sessionId);
		assert.equal(state.role, "planner");
		assert.equal(state.events.find((event) => event.type === "user")?.by, "api");
		const summary = (await app.sessions.list()).find((session) => session.sessionId === sessionId);
		assert.equal(summary?.name, "How many?");
	});

	it("goes on in that session, unless the person has given it another role", async () => {
		const { app } = await openTestSession([], { files: FILES });
		const ask = (sessionId?: string) => askPlanner(app.sessions, { question: "And now?", sessionId, signal: signal() });
		const first = await ask();
		assert.equal((await ask(first.sessionId)).sessionId, first.sessionId);
		await (await app.sessions.get(first.sessionId)).setRole("actor");
		assert.notEqual((await ask(first.sessionId)).sessionId, first.sessionId);
		assert.notEqual((await ask("gone")).sessionId, first.sessionId);
	});

	it("may not change anything, whatever the model tries", async () => {
		const { app } = await openTestSession([{ calls: [EDIT] }, { text: "I could not." }], { files: FILES, settings: { approval: "auto" } });
		const { text, sessionId } = await askPlanner(app.sessions, { question: "Louder", signal: signal() });
		assert.equal(text, "I could not.");
		const results = (await app.sessions.get(sessionId)).state.events.filter((event) => event.type === "result");
		assert.deepEqual(
			results.map(({ status }) => status),
			["denied"],
		);
	});

	it("says where an approval waits and does not wait for it", async () => {
		const { app } = await openTestSession([{ calls: [{ name: "read_file", input: { path: ".env" } }] }, { text: "Read." }], {
			files: { ".env": "A=1\n" },
		});
		const { text, sessionId } = await askPlanner(app.sessions, { question: "What is in .env?", signal: signal() });
		assert.match(text, /waits for the person's approval in its own view.*\.env/);
		await (await app.sessions.get(sessionId)).cancel();
	});

	it("gets a plan as a list with the word that only the person starts it", async () => {
		const { app } = await openTestSession([{ text: JSON.stringify(PLAN) }], { files: FILES });
		const { text } = await askPlanner(app.sessions, { question: "Louder", signal: signal() });
		assert.match(text, /1\. Change the greeting/);
		assert.match(text, /only the person can start it/);
		assert.doesNotMatch(text, /"goal"/);
	});

	it("fails with the turn's own words", async () => {
		const { app } = await openTestSession([{ error: new UserError("The model is gone.") }], { files: FILES });
		await assert.rejects(askPlanner(app.sessions, { question: "Hm?", signal: signal() }), /The model is gone\./);
	});

	it("stops its turn with the signal", async () => {
		const set = await openTestSession([{ text: "Never", until: new Promise(() => undefined) }], { files: FILES });
		const stop = new AbortController();
		const asking = askPlanner(set.app.sessions, { question: "Hm?", signal: stop.signal });
		await set.event("started");
		stop.abort();
		assert.match((await asking).text, /stopped/);
	});
});
