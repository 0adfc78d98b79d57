// Tests that a channel is told while the agent works on its messages, and while that waits for an approval.

import assert from "node:assert/strict";
import { createDeferred } from "../../fakes/deferred.ts";
import { closeTestChannels, collectingAdapter, openTestChannels, replying } from "./testChannels.ts";

const HERE = { channelId: "main" };

describe("a channel knows that the agent", () => {
	afterEach(closeTestChannels);

	it("works on its messages, also on those that wait, and that it has ended", async () => {
		const thinking = createDeferred();
		const { app, session, next, idle } = await openTestChannels([
			{ text: "Hm.", until: thinking.until },
			replying("Yes?", {}),
			{ text: "" },
		]);
		const cli = collectingAdapter("cli");
		app.channels.registerAdapter(cli);
		const begun = next("started");
		void session.send("From the panel");
		await begun;
		assert.deepEqual(cli.activities, []);
		cli.send({ text: "Hello?", channel: HERE });
		await cli.active("main working");
		const replied = next("reply");
		thinking.open();
		await replied;
		await idle();
		await cli.active("main idle");
		assert.deepEqual(
			cli.delivered.map(({ text }) => text),
			["Yes?"],
		);
	});

	it("waits for the person's approval", async () => {
		const command = { name: "execute_command", input: { command: "npm test" } };
		const { app } = await openTestChannels([{ calls: [command] }, { text: "" }], { settings: { defaultRole: "actor" } });
		const cli = collectingAdapter("cli");
		app.channels.registerAdapter(cli);
		cli.send({ text: "Do it", channel: HERE });
		await cli.active("main waiting");
		cli.halt(HERE);
		await cli.active("main idle");
		assert.deepEqual(cli.activities.slice(0, 2), ["main working", "main waiting"]);
	});
});
