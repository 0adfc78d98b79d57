// Tests switching to another agent: its offer, and the session that the person gets to.
import assert from "node:assert/strict";
import { ModelError } from "../../../src/core/ports/model.ts";
import type { Session } from "../../../src/session/session.ts";
import type { ScriptedAnswer } from "../../fakes/scriptedModel.ts";
import { PLAN, results } from "../session/testSession.ts";
import {
	agents,
	INVISIBLE,
	OFFER,
	offerIn,
	offers,
	onlySession,
	said,
	sessionsOf,
	type TestSwitch,
	take,
	WRITER,
} from "./switchingFixture.ts";
import { leave, open } from "./testChat.ts";

describe("an agent's offer to switch", () => {
	afterEach(leave);

	it("is a card and nothing else until the person clicks", async () => {
		const setup = await open([OFFER], { agents });
		await setup.send("Notes, please");
		assert.equal(setup.session.state.outcome, "waiting");
		assert.deepEqual(offerIn(setup.session).about, {
			kind: "switchAgent",
			agent: "writer",
			message: "Write the notes",
			carry: "none",
		});
		assert.deepEqual(await sessionsOf(setup, "writer"), []);
		assert.equal(setup.model.requests.length, 1);
	});

	it("sends exactly the message as the person left it, as theirs, and moves the view", async () => {
		const setup = await open([OFFER, { text: "Written." }], { agents });
		await setup.send("Notes, please");
		await take(setup, "Write *short* notes\nin German");
		const target = await onlySession(setup);
		assert.deepEqual(
			said(target).map(({ by, text, attachments }) => ({ by, text, attachments })),
			[{ by: "person", text: "Write *short* notes\nin German", attachments: undefined }],
		);
		assert.equal(setup.chat.sessionId, target.sessionId);
		assert.equal(target.state.outcome, "done");
		assert.equal(setup.session.state.requests.get(offerIn(setup.session).request)?.state, "answered");
		assert.equal(said(setup.session).length, 1, "no turn begins where they came from");
	});

	it("is taken by no click that is forged or too early, by no second one, and by no program", async () => {
		const setup = await open([OFFER, { text: "Written." }], { agents });
		await setup.send("Notes, please");
		const { request } = offerIn(setup.session);
		const { sessionId } = setup.summary;
		const snapshot = await setup.update("snapshot");
		await setup.act({ type: "switchAgent", session: sessionId, request, message: "Early", token: snapshot.token });
		await take(setup, "Forged", { token: "guess" });
		await assert.rejects(setup.session.answer(request, { value: "Switch" }, "api"), /one of the question's options/);
		assert.deepEqual(await sessionsOf(setup, "writer"), []);
		await take(setup, "Taken");
		await take(setup, "Again");
		assert.deepEqual(
			said(await onlySession(setup)).map(({ text }) => text),
			["Taken"],
		);
	});

	it("can be dismissed, and is gone with the next message", async () => {
		const setup = await open([OFFER, OFFER, { text: "Then here." }], { agents });
		await setup.send("Notes, please");
		const first = offerIn(setup.session).request;
		setup.clock.ahead += 1_000;
		await setup.act({ type: "dismiss", session: setup.summary.sessionId, request: first });
		assert.equal(setup.session.state.requests.get(first)?.state, "dismissed");
		await setup.send("Offer again");
		await setup.send("No, stay here");
		await take(setup, "Too late");
		assert.equal(setup.session.state.requests.get(offerIn(setup.session).request)?.state, "superseded");
		assert.equal(setup.session.state.requests.get(offerIn(setup.session).request)?.answer, undefined);
		assert.deepEqual(await sessionsOf(setup, "writer"), []);
	});

	it("has no hidden characters, and neither mentions nor commands until the person retypes them", async () => {
		const setup = await open([offers({ message: `/clear ${INVISIBLE}See @src/hello.ts` }), { text: "Read." }, OFFER], { agents });
		await setup.send("Notes, please");
		const { about } = offerIn(setup.session);
		assert.ok(about?.kind === "switchAgent");
		assert.equal(about.message, "\\/clear See \\@src/hello.ts");
		await take(setup, about.message);
		const target = await onlySession(setup);
		assert.equal(said(target)[0]?.attachments, undefined);
		await setup.act({ type: "openSession", session: setup.summary.sessionId });
		await setup.send("Offer again");
		await take(setup, "See @src/hello.ts");
		assert.equal(said(target)[1]?.attachments?.[0]?.path, "src/hello.ts");
	});

	it("is denied where the agent's lists forbid the other, and names the agents there are where there is none", async () => {
		const setup = await open([OFFER, { text: "So not." }, offers({ agentId: "ghost", message: "Boo" }), { text: "So not." }], { agents });
		await setup.session.setAgent("closed");
		await setup.send("Notes, please");
		await setup.session.setAgent("default");
		await setup.send("Notes, please");
		const [denied, unknown] = results(setup.session);
		assert.equal(denied?.status, "denied");
		assert.match(denied?.output ?? "", /isn't configured to delegate to writer/);
		assert.equal(unknown?.status, "error");
		assert.match(unknown?.output ?? "", /There is no agent ghost\. Nothing was offered\. There are: writer, closed\./);
		assert.equal(setup.session.state.requests.size, 0);
	});

	it("is refused in a turn that answers another agent's call: the person is elsewhere", async () => {
		const setup = await open(
			({ system, events }) => {
				if (events.some(({ type }) => type === "result")) return { text: "Done." };
				return /Writer/.test(system.split("\n")[0] ?? "")
					? offers({ agentId: "closed", message: "Go" })
					: { calls: [{ name: "agents_message", input: { agentId: "writer", content: "Ask" } }] };
			},
			{ agents },
		);
		await setup.send("Ask the writer");
		const called = await onlySession(setup);
		assert.match(results(called)[0]?.output ?? "", /^You answer the agent default, and the person is elsewhere\. Nothing was offered\./);
		assert.equal(called.state.requests.size, 0);
	});

	it("is kept, and says why, when the agent is gone, no message is left, or turns may not start", async () => {
		const setup = await open([OFFER], { agents: [WRITER] });
		await setup.send("Notes, please");
		await take(setup, "  ");
		assert.ok(setup.did.includes("error: Enter a message for Writer."));
		setup.app.policy.agents = () => [{ agentId: "default", displayName: "General Assistant" }];
		await take(setup, "Write");
		assert.ok(setup.did.some((line) => /The agent writer doesn't exist. Available agents: General Assistant/.test(line)));
		setup.app.services.restricted = () => "Restricted Mode.";
		await take(setup, "Write");
		assert.ok(setup.did.includes("error: Restricted Mode."));
		assert.equal(setup.session.state.requests.get(offerIn(setup.session).request)?.state, "pending");
	});
});

describe("the session that is switched to", () => {
	afterEach(leave);

	const switchTo = (setup: TestSwitch, message = "Go on") => setup.chat.switchAgent({ agent: "writer", message, carry: "none" });

	it("is the free one that changed last", async () => {
		const setup = await open(Array(9).fill({ text: "Yes." }), { agents });
		const { sessions } = setup.app;
		const older = await sessions.create({ agentId: "writer" });
		await sessions.create({ agentId: "writer" });
		await (await sessions.get(older.sessionId)).send("Later");
		await switchTo(setup);
		assert.equal(setup.chat.sessionId, older.sessionId);
	});

	it("is a new one where the others run, wait for the person, or have a plan", async () => {
		const busy: ScriptedAnswer[] = [
			{ calls: [{ name: "present_plan", input: PLAN }] },
			{ calls: [{ name: "ask_question", input: { question: "How loud?", allow_custom: true } }] },
		];
		let release: () => void = () => undefined;
		const until = new Promise<void>((resolve) => {
			release = resolve;
		});
		const setup = await open((_, call) => busy[call] ?? (call === 2 ? { text: "At last.", until } : { text: "Yes." }), { agents });
		const { sessions } = setup.app;
		const taken = [];
		for (let number = 0; number < 3; number += 1) taken.push(await sessions.get((await sessions.create({ agentId: "writer" })).sessionId));
		const [planned, asking, running] = taken as [Session, Session, Session];
		await planned.send("Plan it");
		await asking.send("Ask me");
		const turn = running.send("Work");
		await setup.event("started", ({ turn: id }) => id !== undefined && running.state.turn?.id === id);
		await switchTo(setup);
		assert.ok(!taken.some(({ sessionId }) => sessionId === setup.chat.sessionId));
		release();
		await turn;
	});

	it("is never the one they are in", async () => {
		const setup = await open([{ text: "Yes." }], { agents });
		await setup.chat.switchAgent({ agent: "default", message: "Afresh", carry: "none" });
		assert.notEqual(setup.chat.sessionId, setup.summary.sessionId);
	});

	it("is not entered without a model, and says so", async () => {
		const setup = await open([], { agents });
		setup.app.services.model = async () => {
			throw new ModelError("auth", "No key is set.");
		};
		await switchTo(setup);
		assert.ok(setup.did.includes("error: Writer has no model to answer with. No key is set. Nothing was sent."));
		assert.deepEqual(await sessionsOf(setup, "writer"), []);
	});
});
