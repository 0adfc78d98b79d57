// Words and roles from other chats: what the person has running in the same session is not stopped by them.
import assert from "node:assert/strict";
import { askPlanner } from "../../../src/integrations/askPlanner.ts";
import { sendExternalMessage } from "../../../src/integrations/externalChat.ts";
import { closeTestSessions, FILES, openTestSession, type TestSession } from "../session/testSession.ts";

const BY = "channel:VS Code chat";

interface Busy extends TestSession {
	/** The model answers, one request after the other. */
	go(): void;
	/** Resolves when the model has been asked so many times. */
	asked(times: number): Promise<void>;
}

/** Every answer waits until it may go. */
async function busy(role: string): Promise<Busy> {
	const gates: (() => void)[] = [];
	const looking = new Set<() => void>();
	const setup = await openTestSession(
		(request, call) => {
			const until = new Promise<void>((resolve) => gates.push(resolve));
			for (const look of looking) look();
			return { text: `Answer ${call} to ${request.events.filter(({ type }) => type === "user").length}.`, until };
		},
		{ files: FILES, role },
	);
	return {
		...setup,
		go: () => gates.shift()?.(),
		asked: (times) =>
			new Promise((resolve) => {
				const look = () => setup.model.requests.length >= times && resolve();
				looking.add(look);
				look();
			}),
	};
}

const said = ({ state }: TestSession["session"]) => state.events.flatMap((event) => (event.type === "user" ? [event.text] : []));

describe("an external chat in a session", () => {
	afterEach(closeTestSessions);

	it("who cancels takes the waiting message back, and the person's turn goes on", async () => {
		const { session, go, asked, event } = await busy("planner");
		const turn = session.send("Mine");
		await asked(1);
		const stop = new AbortController();
		const guest = sendExternalMessage(session, { text: "Theirs" }, BY, stop.signal);
		await event("queued");
		assert.deepEqual(session.queued, ["Theirs"]);
		stop.abort();
		assert.equal((await guest).outcome, "cancelled");
		go();
		assert.equal((await turn).outcome, "done");
		assert.deepEqual(said(session), ["Mine"]);
	});

	it("whose message became part of the person's turn does not stop it", async () => {
		const setup = await busy("planner");
		const { session, go, asked } = setup;
		const turn = session.send("Mine");
		await asked(1);
		const stop = new AbortController();
		const guest = sendExternalMessage(session, { text: "Theirs" }, BY, stop.signal);
		go();
		await asked(2);
		assert.deepEqual([said(session), setup.types().filter((type) => type === "started").length], [["Mine", "Theirs"], 1]);
		stop.abort();
		go();
		assert.deepEqual([(await turn).outcome, (await guest).outcome], ["done", "done"]);
	});

	it("stops the turn that the message began, and sends nothing that was cancelled before", async () => {
		const { session, go, asked } = await busy("planner");
		const stop = new AbortController();
		const first = sendExternalMessage(session, { text: "Theirs" }, BY, stop.signal);
		await asked(1);
		stop.abort();
		assert.equal((await first).outcome, "cancelled");
		assert.equal((await sendExternalMessage(session, { text: "Too late" }, BY, stop.signal)).outcome, "cancelled");
		go();
		assert.deepEqual(said(session), ["Theirs"]);
	});

	it("is refused a narrower role while a turn runs, and gets it afterwards", async () => {
		const { session, go, asked } = await busy("actor");
		const turn = session.send("Mine");
		await asked(1);
		await assert.rejects(session.setRole("planner", BY), { code: "running" });
		go();
		assert.equal((await turn).outcome, "done");
		await session.setRole("planner", BY);
		assert.equal(session.state.role, "planner");
	});
});

describe("two questions of one asker", () => {
	afterEach(closeTestSessions);

	it("are answered apart: cancelling one does not stop the other", async () => {
		const { app, go, asked } = await busy("planner");
		const ask = (question: string, signal: AbortSignal, sessionId?: string) => askPlanner(app.sessions, { question, signal, sessionId });
		const begun = ask("Zero?", new AbortController().signal);
		await asked(1);
		go();
		const { sessionId } = await begun;
		const [stop, other] = [new AbortController(), new AbortController()];
		const first = ask("One?", stop.signal, sessionId);
		const second = ask("Two?", other.signal, sessionId);
		await asked(3);
		stop.abort();
		assert.match((await first).text, /stopped/);
		go();
		go();
		assert.match((await second).text, /^Answer/);
	});
});
