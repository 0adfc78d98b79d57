// Tests the conversations that the main agent is for: greeting, lookup, delegation, silence, failure.
import assert from "node:assert/strict";
import { UserError } from "../../../../src/core/userError.ts";
import { results } from "../testSession.ts";
import { closeMain, openTestMain, saying, spawning } from "./testMain.ts";

describe("the main agent", () => {
	afterEach(closeMain);

	it("greets back where it was greeted, and keeps what it thought to itself", async () => {
		const { session, replies, event } = await openTestMain({ main: [saying("Hello! What can I do?", "A greeting."), { text: "Done." }] });
		assert.equal((await session.send("Hello")).outcome, "done");
		assert.deepEqual(replies(), ["Hello! What can I do?"]);
		assert.deepEqual((await event("reply")).channel, { type: "vscode", channelId: "main" });
		assert.equal((await event("assistant")).unspoken, true);
	});

	it("looks up the time itself, and tells it", async () => {
		const { session, replies } = await openTestMain({
			main: [{ calls: [{ name: "current_time", input: { timezone: "Asia/Tokyo" } }] }, saying("It is late there.")],
		});
		await session.send("How late is it in Tokyo?");
		const [time] = results(session);
		assert.match(time?.output ?? "", /\d\d:\d\d:\d\d \(Asia\/Tokyo, GMT\+09:00\)$/);
		assert.deepEqual(replies(), ["It is late there."]);
	});

	it("hands work to a background task, and tells its result once it has come", async () => {
		const set = await openTestMain({
			main: [
				saying("I look into it."),
				spawning("Read the greeting", "Read README.md and say what it greets with."),
				{ text: "Now I wait." },
				saying("It says hello."),
			],
			task: [{ text: "README.md says hello." }],
		});
		await set.session.send("What does the README say?");
		await set.event("reply", ({ text }) => text === "It says hello.");
		assert.deepEqual(set.replies(), ["I look into it.", "It says hello."]);
		const news = await set.event("user", ({ text }) => text.includes("README.md says hello."));
		assert.deepEqual(news.channel, { type: "vscode", channelId: "main" }, "the channel that asked");
	});

	it("has the same tools and prompt before and after its first task, so that providers serve both from their caches", async () => {
		const { session, event, model } = await openTestMain({
			main: [spawning("Read the greeting", "Read README.md."), { text: "Now I wait." }, saying("It says hello.")],
			task: [{ text: "README.md says hello." }],
		});
		await session.send("What does the README say?");
		await event("reply");
		const own = model.requests.filter(({ tools }) => tools.some(({ name }) => name === "reply"));
		assert.equal(new Set(own.map(({ system, tools }) => JSON.stringify([system, tools]))).size, 1);
	});

	it("stays silent where nothing needs to be said", async () => {
		const { session, replies } = await openTestMain({ main: [{ text: "An acknowledgment. No answer needed." }] });
		assert.equal((await session.send("Thanks!")).outcome, "done");
		assert.deepEqual(replies(), []);
	});

	it("tells that a task has failed", async () => {
		const set = await openTestMain({
			main: [spawning("Read a file", "Read /etc/shadow"), { text: "I wait." }, saying("That file can't be read. Shall I try another way?")],
			task: [{ error: new UserError("permission denied") }],
		});
		await set.session.send("Read /etc/shadow");
		await set.event("reply");
		assert.match((await set.event("queued")).text, /permission denied/);
		assert.deepEqual(set.replies(), ["That file can't be read. Shall I try another way?"]);
	});
});
