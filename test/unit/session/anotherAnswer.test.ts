// Another answer to the same message or to other words, and going on after a failure.
import assert from "node:assert/strict";
import { ModelError } from "../../../src/core/ports/model.ts";
import { change, edit, openRewind, saidTo, session } from "./rewindFixture.ts";
import { closeTestSessions, PLAN } from "./testSession.ts";

describe("another answer", () => {
	afterEach(closeTestSessions);

	it("is asked for with the same message and without the one before", async () => {
		const at = await openRewind([{ text: "First." }, { text: "Second." }]);
		await at.say("Tell me");
		await at.acts.retry({ type: "retry", session });
		assert.deepEqual(at.model.requests.map(saidTo), [["Tell me"], ["Tell me"]]);
		assert.ok(!at.model.requests[1]?.events.some((event) => event.type === "assistant"));
		assert.deepEqual([at.said(), at.session.state.messages, at.host.asked], [["Tell me"], 2, []]);
	});

	it("asks first what becomes of the files that the old one changed", async () => {
		const at = await openRewind([
			{ calls: [edit("a.txt", "two", "TWO")] },
			{ text: "." },
			{ calls: [edit("a.txt", "two", "2")] },
			{ text: "." },
			{ text: "." },
		]);
		await at.say("Change it");
		await at.acts.retry({ type: "retry", session });
		assert.deepEqual([at.said(), at.model.requests.length], [["Change it"], 2]);
		at.host.answer = "Restore Files and Retry";
		await at.acts.retry({ type: "retry", session });
		assert.equal(at.text("a.txt"), "one\n2\n");
		at.host.answer = "Keep Files and Retry";
		await at.acts.retry({ type: "retry", session });
		assert.equal(at.text("a.txt"), "one\n2\n");
		assert.equal(at.session.state.changed.get("a.txt")?.original?.blob, change(at, "change").before?.blob);
	});

	it("comes to other words in place of the last message, which stays in the transcript", async () => {
		const at = await openRewind([{ text: "First." }, { text: "Second." }]);
		await at.say("Tell me");
		await at.acts.resend({ type: "resend", session, message: at.id("Tell me"), text: "Tell me more" });
		assert.deepEqual(at.model.requests.map(saidTo), [["Tell me"], ["Tell me more"]]);
		assert.deepEqual([at.said(), at.session.state.title], [["Tell me more"], "Tell me more"]);
		assert.ok(at.session.state.events.some((event) => event.type === "user" && event.text === "Tell me"));
		await assert.rejects(async () => at.acts.resend({ type: "resend", session, message: at.id("Tell me"), text: "x" }), {
			code: "unknown-message",
		});
	});

	it("does not carry out a plan again that nobody approved again", async () => {
		const at = await openRewind([{ calls: [{ name: "present_plan", input: PLAN }] }, { text: "Carried out." }], { role: "planner" });
		await at.say("Plan it");
		await at.session.executePlan({});
		await assert.rejects(async () => at.acts.retry({ type: "retry", session }), { code: "plan-approval" });
	});

	it("never gives two plans the same version", async () => {
		const plan = { calls: [{ name: "present_plan", input: PLAN }] };
		const at = await openRewind([plan, plan, plan], { role: "planner" });
		await at.say("Plan it");
		await at.say("Again");
		await at.acts.retry({ type: "retry", session });
		const versions = at.session.state.events.flatMap((event) => (event.type === "plan" ? [event.version] : []));
		assert.deepEqual(versions, [1, 2, 3]);
	});
});

describe("after a failure", () => {
	afterEach(closeTestSessions);

	const broken = (kind: "auth" | "cut") => new ModelError(kind, "It failed.");

	it("the same question is asked where nothing of an answer had come", async () => {
		const at = await openRewind([{ text: "Hi." }, { error: broken("auth") }, { text: "Here you are." }]);
		await at.say("Hello");
		await at.say("Tell me");
		assert.equal(at.session.state.outcome, "failed");
		await at.acts.continue({ type: "continue", session });
		assert.deepEqual(at.model.requests.map(saidTo).at(-1), ["Hello", "Tell me"]);
		assert.deepEqual([at.said(), at.session.state.messages], [["Hello", "Tell me"], 4]);
	});

	it("an answer that was cut goes on, and nobody pretends that the person said so", async () => {
		const at = await openRewind([{ text: "Once upon", error: broken("cut") }, { text: "a time." }]);
		await at.say("Tell me");
		await at.acts.continue({ type: "continue", session });
		const added = at.session.state.events.findLast((event) => event.type === "user");
		assert.deepEqual([added?.by, added?.text], ["host", "Go on."]);
		assert.match(added?.type === "user" ? (added.context ?? "") : "", /broke off .* repeat nothing/);
		const { messages, title, snippet } = at.session.state;
		assert.deepEqual([messages, title, snippet], [3, "Tell me", "a time."]);
	});

	it("going on that fails at once is tried again, without piling up", async () => {
		const at = await openRewind([{ text: "Once upon", error: broken("cut") }, { error: broken("auth") }, { text: "a time." }]);
		await at.say("Tell me");
		await at.acts.continue({ type: "continue", session });
		await at.acts.continue({ type: "continue", session });
		assert.deepEqual(at.said(), ["Tell me", "Go on."]);
	});

	it("work that was done is not done again", async () => {
		const at = await openRewind([{ calls: [edit("a.txt", "two", "TWO")] }, { error: broken("cut") }, { text: "Done." }]);
		await at.say("Change it");
		await at.acts.continue({ type: "continue", session });
		assert.deepEqual([at.text("a.txt"), at.said()], ["one\nTWO\n", ["Change it", "Go on."]]);
		assert.ok(at.model.requests.at(-1)?.events.some((event) => event.type === "result"));
	});
});
