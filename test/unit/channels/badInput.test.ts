// Tests messages and replies that can't be taken or delivered: each ends with a sentence, and none blocks the session.

import assert from "node:assert/strict";
import { Channels } from "../../../src/channels/channels.ts";
import { UserError } from "../../../src/core/userError.ts";
import { MAX_QUEUED } from "../../../src/session/queue/messageQueue.ts";
import type { Session } from "../../../src/session/session.ts";
import { createDeferred } from "../../fakes/deferred.ts";
import type { TestApp } from "../../fakes/testApp.ts";
import { spawning } from "../delegation/tasks/testTasks.ts";
import { closeTestChannels, collectingAdapter, heardLast, openTestChannels, replying } from "./testChannels.ts";

const HERE = { channelId: "main" };

describe("a channel", () => {
	afterEach(closeTestChannels);

	it("may send 200 messages while the agent thinks: those that do not fit are refused with a sentence, and nothing waits for them", async () => {
		const [asked, thinking] = [createDeferred(), createDeferred()];
		const { app, all, idle } = await openTestChannels((_, call) => {
			if (call > 0) return { text: "" };
			asked.open();
			return { text: "Hm.", until: thinking.until };
		});
		const cli = collectingAdapter("cli");
		app.channels.registerAdapter(cli);
		cli.send({ text: "message 0", channel: HERE });
		// What comes earlier joins the turn.
		await asked.until;
		for (let count = 1; count < 200; count += 1) cli.send({ text: `message ${count}`, channel: HERE });
		const refusals = 199 - MAX_QUEUED;
		await cli.told(() => cli.delivered.length >= refusals);
		assert.equal(cli.delivered.length, refusals);
		for (const { text, notice } of cli.delivered) assert.deepEqual([/^100 messages are already waiting/.test(text), notice], [true, true]);
		thinking.open();
		await idle();
		assert.deepEqual(
			all("user").map(({ text }) => text),
			Array.from({ length: MAX_QUEUED + 1 }, (_, count) => `message ${count}`),
		);
	});

	it("takes in only what allowed senders write, and gives their turns no more than its own permissions", async () => {
		const { app, next, all, model } = await openTestChannels([{ text: "" }], { settings: { defaultRole: "actor" } });
		const slack = collectingAdapter("slack");
		const adapter = {
			...slack,
			sender: { ceiling: ["ReadFiles"] as const, allowed: ({ userId }: { userId?: string }) => userId === "ann" },
		};
		app.channels.registerAdapter(adapter);
		slack.send({ text: "Delete everything", channel: { ...HERE, userId: "eve" } });
		slack.send({ text: "Delete everything", channel: HERE });
		const ended = next("ended");
		slack.send({ text: "Hello", channel: { ...HERE, userId: "ann" } });
		await ended;
		assert.deepEqual(
			all("user").map(({ text, by }) => [text, by]),
			[["Hello", "channel:slack"]],
		);
		assert.deepEqual(all("started")[0]?.ceiling, ["ReadFiles"]);
		const offered = model.requests[0]?.tools.map(({ name }) => name) ?? [];
		assert.ok(offered.includes("read_file") && !offered.includes("update_file"), offered.join(" "));
		assert.equal(app.logged.filter((line) => line.includes("its sender is not allowed")).length, 2);
	});

	it("whose messages are empty, too long, or from no valid place is not heard, and the next message is", async () => {
		const { app, next, all } = await openTestChannels([{ text: "" }]);
		const slack = collectingAdapter("slack");
		app.channels.registerAdapter(slack);
		slack.send({ text: " \u200b\n", channel: HERE });
		slack.send({ text: "x".repeat(100_001), channel: HERE });
		const wrong = ["", "a b]", "a\nb", "a | id: c", "a\u202eb", "x".repeat(200), " main"];
		for (const channelId of wrong) slack.send({ text: "Hi", channel: { channelId } });
		slack.send({ text: "Hi", channel: { ...HERE, replyTo: "a]" } });
		const ended = next("ended");
		slack.send({ text: "Hi\u0000\x1b[31m there\u202e", channel: HERE });
		await ended;
		assert.deepEqual(
			all("user").map(({ text }) => text),
			["Hi there"],
		);
		assert.deepEqual(
			slack.delivered.map(({ text }) => text),
			["This message has 100001 characters; 100000 is the most. It was not sent. Put it in a file."],
		);
		assert.equal(app.logged.filter((line) => line.includes("its channel is not valid")).length, wrong.length + 1);
	});

	it("is told why a turn failed, and what waits for the person in the chat", async () => {
		const ask = {
			name: "ask_question",
			input: { question: "Which color?", options: [{ label: "Red", value: "red" }], allow_custom: true },
		};
		const { app, next, all, idle } = await openTestChannels([
			{ text: "", error: new UserError("The model is gone.") },
			{ calls: [ask] },
			{ text: "" },
		]);
		const cli = collectingAdapter("cli");
		app.channels.registerAdapter(cli);
		cli.send({ text: "Hi", channel: HERE });
		await cli.told(({ text }) => text.includes("The model is gone."));
		cli.send({ text: "Hi again", channel: HERE });
		await cli.told(({ text }) => text.includes("Which color?"));
		// What comes from a channel decides nothing: it is the next message.
		await idle();
		const ended = next("ended");
		cli.send({ text: "red", channel: HERE });
		await ended;
		assert.deepEqual(all("answered"), []);
		assert.ok(all("user").every(({ answers }) => answers === undefined));
		assert.ok(cli.delivered.every(({ notice }) => notice === true));
	});

	for (const [where, stop] of [
		["in its own place", (cli: ReturnType<typeof collectingAdapter>) => cli.halt(HERE)],
		["in the chat panel", (_: unknown, session: Session) => session.cancel()],
		["by clearing the session", (_: unknown, session: Session, app: TestApp) => app.sessions.clear(session.sessionId)],
	] as const)
		it(`is told which of its messages were withdrawn when the agent is stopped ${where}`, async () => {
			const { app, session, next } = await openTestChannels([{ text: "", until: new Promise(() => undefined) }]);
			const cli = collectingAdapter("cli");
			app.channels.registerAdapter(cli);
			const begun = next("started");
			const queued = next("queued");
			cli.send({ text: "Hi", channel: HERE });
			await begun;
			cli.send({ text: "And", channel: HERE });
			await queued;
			void stop(cli, session, app);
			const { notice } = await cli.told(({ text }) => text.includes("And"));
			assert.equal(notice, true);
			assert.ok(cli.delivered.every(({ text }) => !text.includes("Hi")));
		});

	it("that does not work is logged, others cannot take its place, and the chat goes on", async () => {
		const { app, session, all } = await openTestChannels([replying("Hello", {}), { text: "" }]);
		const broken = collectingAdapter("cli", async () => {
			throw new Error("It broke.");
		});
		broken.start = async () => {
			throw new Error("It does not start.");
		};
		const { channels } = app;
		channels.registerAdapter(broken);
		assert.throws(() => channels.registerAdapter(collectingAdapter("cli")));
		for (const type of ["vscode", "api", "agent"]) assert.throws(() => channels.registerAdapter(collectingAdapter(type)));
		await session.send("Hi");
		assert.equal(all("reply").length, 1);
		assert.ok(app.logged.some((line) => line.includes("It does not start.")));
		assert.equal(await channels.deliver({ text: "x", channel: { type: "cli", channelId: "main" } }), "It broke.");
	});
});

describe("an adapter", () => {
	it("that never ends a delivery is given up, with a sentence for the agent and a line in the log, and the next one is tried", async () => {
		const logged: string[] = [];
		const absent = () => Promise.reject(new Error("There is no session."));
		const host = {
			speaking: absent,
			get: absent,
			listen: () => ({ dispose: () => undefined }),
			services: { log: (line: string) => logged.push(line) },
		};
		const channels = new Channels(host, 1);
		const stuck = collectingAdapter("slack", ({ text }) => (text === "Stuck" ? new Promise(() => undefined) : Promise.resolve()));
		channels.registerAdapter(stuck);
		const channel = { type: "slack", ...HERE };
		assert.equal(await channels.deliver({ text: "Stuck", channel }), "It took too long.");
		assert.match(logged.join("\n"), /^a channel of the type slack failed: Error: It took too long\.\n +at /);
		assert.equal(await channels.deliver({ text: "Next", channel }), undefined);
		assert.deepEqual(stuck.delivered, [{ text: "Next", channel }]);
		await channels.close();
	});
});

describe("the news of a task", () => {
	afterEach(closeTestChannels);

	it("comes from the channel of the message that started the task, whatever was said meanwhile", async () => {
		const working = createDeferred();
		const { app, session, next, all } = await openTestChannels((request) => {
			if (!request.system.includes("<voice>")) return { text: "25 degrees.", until: working.until };
			const last = heardLast(request);
			if (last?.text === "weather") return spawning("look up the weather", { type: "explore" });
			if (last?.text.startsWith("Background task")) return replying("Sunny.", {});
			return { text: "" };
		});
		const cli = collectingAdapter("cli");
		app.channels.registerAdapter(cli);
		const ended = next("ended");
		cli.send({ text: "weather", channel: HERE });
		await ended;
		await session.send("something else");
		working.open();
		const reply = await next("reply");
		assert.deepEqual(reply.channel, { type: "cli", channelId: "main" });
		assert.deepEqual(
			all("delegated").map(({ channel }) => channel),
			[{ type: "cli", channelId: "main" }],
		);
		assert.deepEqual(
			all("user").map(({ channel }) => channel?.type),
			["cli", "vscode", "cli"],
		);
	});

	it("reaches nobody after its session was cleared, and the session goes on", async () => {
		const working = createDeferred();
		const { app, session } = await openTestChannels((request) => {
			if (!request.system.includes("<voice>")) return { text: "25 degrees.", until: working.until };
			const last = heardLast(request);
			return last?.text === "weather" ? spawning("look up the weather", { type: "explore" }) : { text: "" };
		});
		await session.send("weather");
		const { sessionId } = session;
		await app.sessions.clear(sessionId);
		working.open();
		await app.delegation.tasks.whenSettled();
		const cleared = await app.sessions.get(sessionId);
		await cleared.send("Hi");
		const said = cleared.state.events.flatMap((event) => (event.type === "user" ? [event.text] : []));
		assert.deepEqual(said, ["Hi"]);
		assert.equal(cleared.state.events.at(-1)?.type, "ended");
	});
});
