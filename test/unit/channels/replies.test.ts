// Tests how an agent speaks whose text is thought: where its messages come from, and where its replies may go.
import assert from "node:assert/strict";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import { createTroupeApi } from "../../../src/integrations/exportedApi.ts";
import { toConversationMessages } from "../../../src/models/wire/conversationMessages.ts";
import { closeTestChannels, collectingAdapter, openTestChannels, replying } from "./testChannels.ts";

describe("an agent that speaks in replies", () => {
	afterEach(closeTestChannels);

	it("hears where a message of the person comes from, and replies in the chat", async () => {
		const { session, model, all } = await openTestChannels([replying("Hello!", {}), { text: "That was all." }]);
		await session.send({ text: "Hi", context: "" });
		assert.deepEqual(
			all("user").map(({ channel }) => channel),
			[{ type: "vscode", channelId: "main" }],
		);
		assert.deepEqual(
			all("reply").map(({ text, channel, by }) => ({ text, channel, by })),
			[{ text: "Hello!", channel: { type: "vscode", channelId: "main" }, by: "model" }],
		);
		const [first] = model.requests[0]?.events.filter(({ type }) => type === "user") ?? [];
		assert.ok(first?.type === "user");
		const [said] = toConversationMessages([first]);
		assert.deepEqual(said, { by: "person", text: "[channel: vscode | id: main]\n\nHi", images: [] });
	});

	it("is the only kind of agent that can reply, whatever its lists say", async () => {
		const lists = { toolAllowlist: ["read_file"], toolDenylist: ["*"], capabilityDenylist: ["*"] };
		const speaking = { agentId: "voice", displayName: "Voice", output: "reply" as const, ...lists };
		const { app, session, all } = await openTestChannels(
			[replying("Hello!", {}), { text: "" }, replying("Hello!", {}), { text: "Done." }],
			{
				agents: [speaking],
			},
		);
		await session.send("Hi");
		assert.deepEqual(
			all("result").map(({ status }) => status),
			["ok"],
		);
		const other = await app.sessions.get((await app.sessions.create({ agentId: "default" })).sessionId);
		await other.send("Hi");
		assert.equal(
			other.state.events.find(({ type }) => type === "reply"),
			undefined,
		);
		assert.ok(other.state.events.every((event) => event.type !== "user" || event.channel === undefined));
		assert.deepEqual(
			[...other.state.calls.values()].map(({ result }) => result?.status),
			["denied"],
		);
	});

	it("replies to the channel, the type and the thread of its message, and is told what else there is", async () => {
		const { app, next, all } = await openTestChannels([
			{
				calls: [
					{ name: "reply", input: { text: "in the thread", channelId: "#general", replyTo: "thread:1" } },
					{ name: "reply", input: { text: "in the channel", channelId: "#general", channelType: "slack" } },
					{ name: "reply", input: { text: "another thread", channelId: "#general", replyTo: "thread:2" } },
					{ name: "reply", input: { text: "another type", channelId: "#general", channelType: "vscode" } },
					{ name: "reply", input: { text: "another channel", channelId: "main" } },
				],
			},
			{ text: "" },
		]);
		const slack = collectingAdapter("slack");
		app.channels.registerAdapter(slack);
		const end = next("ended");
		slack.send({ text: "Weather?", channel: { channelId: "#general", userId: "zhang", replyTo: "thread:1" } });
		const { turn } = await end;
		assert.deepEqual(slack.delivered, [
			{ text: "in the thread", channel: { type: "slack", channelId: "#general", replyTo: "thread:1" } },
			{ text: "in the channel", channel: { type: "slack", channelId: "#general" } },
		]);
		assert.deepEqual(
			all("reply").map(({ text }) => text),
			["in the thread", "in the channel"],
		);
		const refused = all("result").filter(({ status }) => status === "error");
		assert.equal(refused.length, 3);
		for (const { output } of refused) assert.match(output, /^Not delivered: .*\[channel: slack \| id: #general \| thread: thread:1\]$/);
		assert.ok(all("user").every((event) => event.turn === turn && event.by === "channel:slack"));
	});

	it("is told that nothing was delivered when the channel is gone, and goes on", async () => {
		const { app, next, all } = await openTestChannels([replying("Hello!", { channelId: "#gone" }), { text: "Too bad." }]);
		const slack = collectingAdapter("slack", async () => {
			throw new Error("The channel #gone is archived.");
		});
		const added = app.channels.registerAdapter(slack);
		const end = next("ended");
		slack.send({ text: "Hi", channel: { channelId: "#gone" } });
		await end;
		assert.deepEqual(all("reply"), []);
		assert.deepEqual(
			all("result").map(({ status, output }) => [status, output]),
			[["error", "Not delivered: The channel #gone is archived."]],
		);
		assert.ok(app.logged.some((line) => line.includes("The channel #gone is archived.")));
		added.dispose();
		assert.equal(slack.isStopped, true);
		const failure = await app.channels.deliver({ text: "x", channel: { type: "slack", channelId: "#gone" } });
		assert.equal(failure, "nothing here delivers to that channel now.");
		assert.equal(all("ended").at(-1)?.outcome, "done");
	});

	it("answers another extension through the exported API, in the result of its message and as an event", async () => {
		const { app, session } = await openTestChannels([replying("Hello, program.", {}), { text: "That was all." }]);
		const api = createTroupeApi(app.sessions);
		const heard: TranscriptEvent[] = [];
		const listening = api.onEvent(({ event }) => void heard.push(event));
		const { text, outcome } = await api.send(session.sessionId, "Hi");
		listening.dispose();
		assert.deepEqual([text, outcome], ["Hello, program.", "done"]);
		const replies = heard.flatMap((event) => (event.type === "reply" ? [[event.text, event.channel]] : []));
		assert.deepEqual(replies, [["Hello, program.", { type: "api", channelId: "main" }]]);
		assert.doesNotMatch(JSON.stringify(heard.filter(({ type }) => type === "assistant")), /I think|That was all/);
	});

	it("may stay silent", async () => {
		const { session, all } = await openTestChannels([{ text: "Nothing to say." }]);
		await session.send("ok");
		assert.deepEqual(all("reply"), []);
		assert.equal(all("ended").at(-1)?.outcome, "done");
	});
});
