// Tests switching to another agent: its offer, and the session that the person gets to.
import assert from "node:assert/strict";
import { ModelError } from "../../../src/core/ports/model.ts";
import type { Session } from "../../../src/session/session.ts";
import type { ScriptedAnswer } from "../../fakes/scriptedModel.ts";
import { PLAN, results } from "../session/stage.ts";
import { leave, open } from "./composingStage.ts";
import { agents, INVISIBLE, OFFER, offerIn, offers, onlySession, type Scene, said, sessionsOf, take, WRITER } from "./switchingStage.ts";

describe("an agent's offer to switch", () => {
	afterEach(leave);

	it("is a card and nothing else until the person clicks", async () => {
		const scene = await open([OFFER], { agents });
		await scene.send("Notes, please");
		assert.equal(scene.conversation.state.outcome, "waiting");
		assert.deepEqual(offerIn(scene.conversation).about, {
			kind: "switchAgent",
			agent: "writer",
			message: "Write the notes",
			carry: "none",
		});
		assert.deepEqual(await sessionsOf(scene, "writer"), []);
		assert.equal(scene.model.requests.length, 1);
	});

	it("sends exactly the message as the person left it, as theirs, and moves the view", async () => {
		const scene = await open([OFFER, { text: "Written." }], { agents });
		await scene.send("Notes, please");
		await take(scene, "Write *short* notes\nin German");
		const target = await onlySession(scene);
		assert.deepEqual(
			said(target).map(({ by, text, attachments }) => ({ by, text, attachments })),
			[{ by: "person", text: "Write *short* notes\nin German", attachments: undefined }],
		);
		assert.equal(scene.chat.sessionId, target.sessionId);
		assert.equal(target.state.outcome, "done");
		assert.equal(scene.conversation.state.requests.get(offerIn(scene.conversation).request)?.state, "answered");
		assert.equal(said(scene.conversation).length, 1, "no turn begins where they came from");
	});

	it("is taken by no click that is forged or too early, by no second one, and by no program", async () => {
		const scene = await open([OFFER, { text: "Written." }], { agents });
		await scene.send("Notes, please");
		const { request } = offerIn(scene.conversation);
		const { sessionId } = scene.session;
		const snapshot = await scene.update("snapshot");
		await scene.act({ type: "switchAgent", session: sessionId, request, message: "Early", token: snapshot.token });
		await take(scene, "Forged", { token: "guess" });
		await assert.rejects(scene.conversation.answer(request, { value: "Switch" }, "api"), /one of the question's options/);
		assert.deepEqual(await sessionsOf(scene, "writer"), []);
		await take(scene, "Taken");
		await take(scene, "Again");
		assert.deepEqual(
			said(await onlySession(scene)).map(({ text }) => text),
			["Taken"],
		);
	});

	it("can be dismissed, and is gone with the next message", async () => {
		const scene = await open([OFFER, OFFER, { text: "Then here." }], { agents });
		await scene.send("Notes, please");
		const first = offerIn(scene.conversation).request;
		scene.clock.ahead += 1_000;
		await scene.act({ type: "dismiss", session: scene.session.sessionId, request: first });
		assert.equal(scene.conversation.state.requests.get(first)?.state, "dismissed");
		await scene.send("Offer again");
		await scene.send("No, stay here");
		await take(scene, "Too late");
		assert.equal(scene.conversation.state.requests.get(offerIn(scene.conversation).request)?.state, "superseded");
		assert.equal(scene.conversation.state.requests.get(offerIn(scene.conversation).request)?.answer, undefined);
		assert.deepEqual(await sessionsOf(scene, "writer"), []);
	});

	it("has no hidden characters, and neither mentions nor commands until the person retypes them", async () => {
		const scene = await open([offers({ message: `/clear ${INVISIBLE}See @src/hello.ts` }), { text: "Read." }, OFFER], { agents });
		await scene.send("Notes, please");
		const { about } = offerIn(scene.conversation);
		assert.ok(about?.kind === "switchAgent");
		assert.equal(about.message, "\\/clear See \\@src/hello.ts");
		await take(scene, about.message);
		const target = await onlySession(scene);
		assert.equal(said(target)[0]?.attachments, undefined);
		await scene.act({ type: "openSession", session: scene.session.sessionId });
		await scene.send("Offer again");
		await take(scene, "See @src/hello.ts");
		assert.equal(said(target)[1]?.attachments?.[0]?.path, "src/hello.ts");
	});

	it("is denied where the agent's lists forbid the other, and names the agents there are where there is none", async () => {
		const scene = await open([OFFER, { text: "So not." }, offers({ agentId: "ghost", message: "Boo" }), { text: "So not." }], { agents });
		await scene.conversation.setAgent("closed");
		await scene.send("Notes, please");
		await scene.conversation.setAgent("default");
		await scene.send("Notes, please");
		const [denied, unknown] = results(scene.conversation);
		assert.equal(denied?.status, "denied");
		assert.match(denied?.output ?? "", /isn't configured to delegate to writer/);
		assert.equal(unknown?.status, "error");
		assert.match(unknown?.output ?? "", /There is no agent ghost\. Nothing was offered\. There are: writer, closed\./);
		assert.equal(scene.conversation.state.requests.size, 0);
	});

	it("is refused in a turn that answers another agent's call: the person is elsewhere", async () => {
		const scene = await open(
			({ system, events }) => {
				if (events.some(({ type }) => type === "result")) return { text: "Done." };
				return /Writer/.test(system.split("\n")[0] ?? "")
					? offers({ agentId: "closed", message: "Go" })
					: { calls: [{ name: "agents_message", input: { agentId: "writer", content: "Ask" } }] };
			},
			{ agents },
		);
		await scene.send("Ask the writer");
		const called = await onlySession(scene);
		assert.match(results(called)[0]?.output ?? "", /^You answer the agent default, and the person is elsewhere\. Nothing was offered\./);
		assert.equal(called.state.requests.size, 0);
	});

	it("is kept, and says why, when the agent is gone, no message is left, or turns may not start", async () => {
		const scene = await open([OFFER], { agents: [WRITER] });
		await scene.send("Notes, please");
		await take(scene, "  ");
		assert.ok(scene.did.includes("error: Enter a message for Writer."));
		scene.house.policy.agents = () => [{ agentId: "default", displayName: "General Assistant" }];
		await take(scene, "Write");
		assert.ok(scene.did.some((line) => /The agent writer doesn't exist. Available agents: General Assistant/.test(line)));
		scene.house.services.restricted = () => "Restricted Mode.";
		await take(scene, "Write");
		assert.ok(scene.did.includes("error: Restricted Mode."));
		assert.equal(scene.conversation.state.requests.get(offerIn(scene.conversation).request)?.state, "pending");
	});
});

describe("the session that is switched to", () => {
	afterEach(leave);

	const switchTo = (scene: Scene, message = "Go on") => scene.chat.switchAgent({ agent: "writer", message, carry: "none" });

	it("is the free one that changed last", async () => {
		const scene = await open(Array(9).fill({ text: "Yes." }), { agents });
		const { sessions } = scene.house;
		const older = await sessions.create({ agentId: "writer" });
		await sessions.create({ agentId: "writer" });
		await (await sessions.get(older.sessionId)).send("Later");
		await switchTo(scene);
		assert.equal(scene.chat.sessionId, older.sessionId);
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
		const scene = await open((_, call) => busy[call] ?? (call === 2 ? { text: "At last.", until } : { text: "Yes." }), { agents });
		const { sessions } = scene.house;
		const taken = [];
		for (let number = 0; number < 3; number += 1) taken.push(await sessions.get((await sessions.create({ agentId: "writer" })).sessionId));
		const [planned, asking, running] = taken as [Session, Session, Session];
		await planned.send("Plan it");
		await asking.send("Ask me");
		const turn = running.send("Work");
		await scene.event("started", ({ turn: id }) => id !== undefined && running.state.turn?.id === id);
		await switchTo(scene);
		assert.ok(!taken.some(({ sessionId }) => sessionId === scene.chat.sessionId));
		release();
		await turn;
	});

	it("is never the one they are in", async () => {
		const scene = await open([{ text: "Yes." }], { agents });
		await scene.chat.switchAgent({ agent: "default", message: "Afresh", carry: "none" });
		assert.notEqual(scene.chat.sessionId, scene.session.sessionId);
	});

	it("is not entered without a model, and says so", async () => {
		const scene = await open([], { agents });
		scene.house.services.model = async () => {
			throw new ModelError("auth", "No key is set.");
		};
		await switchTo(scene);
		assert.ok(scene.did.includes("error: Writer has no model to answer with. No key is set. Nothing was sent."));
		assert.deepEqual(await sessionsOf(scene, "writer"), []);
	});
});
