// A session that goes on in another window: what stood open in the first one is closed there, and told.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { continueSession } from "../../../src/session/history/rewind.ts";
import { closeTestSessions, FILES, openTestSession, results, type TestSession } from "./testSession.ts";

const run = (command: string, more = {}) => ({ calls: [{ name: "execute_command", input: { command, ...more } }] });

describe("a session that goes on in another window", () => {
	const homes: string[] = [];
	const home = () => {
		const made = mkdtempSync(join(tmpdir(), "troupe-home-"));
		homes.push(made);
		return made;
	};
	afterEach(async () => {
		await closeTestSessions();
		for (const made of homes.splice(0)) rmSync(made, { recursive: true, force: true });
	});

	it("ends the turn that waited in a window that is gone, expires its approval, and asks anew where it is continued", async () => {
		const place = home();
		const there = await openTestSession([run("touch made")], { files: FILES, home: place, role: "actor" });
		void there.session.send("Make it");
		const { request } = await there.event("asked");
		const here = await openTestSession([run("touch made"), { text: "Made." }], { home: place });
		assert.equal(here.session.state.requests.get(request)?.state, "pending");
		const reloaded = reloadedIn(here);
		// The owner's record is all that another window knows of it.
		await there.app.store.release(there.summary.sessionId);
		await reloaded;
		const { state } = here.session;
		assert.deepEqual([state.requests.get(request)?.state, state.outcome, state.turn], ["expired", "interrupted", undefined]);
		assert.match(results(here.session).at(-1)?.output ?? "", /asked for was not done/);
		const going = continueSession(here.session);
		const anew = here.session.state.events.findLast((event) => event.type === "asked") ?? (await here.next("asked"));
		const asked = anew.type === "asked" && anew.request === request ? await here.next("asked") : anew;
		assert.notEqual(asked.type === "asked" && asked.request, request);
		await here.answer({ allow: true });
		assert.equal((await going).outcome, "done");
	});

	it("goes on once where two clicks want it to, and the turn that they begin stays open", async () => {
		const place = home();
		const there = await openTestSession([run("touch made")], { files: FILES, home: place, role: "actor" });
		void there.session.send("Make it");
		await there.event("asked");
		const here = await openTestSession([{ calls: [{ name: "read_file", input: { path: "src/hello.ts" } }] }, { text: "Read." }], {
			home: place,
		});
		await there.app.store.release(there.summary.sessionId);
		const clicks = await Promise.allSettled([continueSession(here.session), continueSession(here.session)]);
		assert.deepEqual(clicks.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
		const ends = here.session.state.events.filter((event) => event.type === "ended");
		assert.deepEqual(
			ends.map((event) => event.type === "ended" && event.outcome),
			["interrupted", "done"],
		);
	});

	it("says which commands in the background ended with the move, to the person and to the model", async () => {
		const place = home();
		const there = await openTestSession([run("sleep 600", { background: true }), { text: "On." }], {
			files: FILES,
			home: place,
			role: "actor",
		});
		await there.session.send("Start it");
		const here = await openTestSession([{ text: "I see." }], { home: place });
		await here.session.send("Does it run?");
		const told = here.session.state.events.findLast((event) => event.type === "status");
		assert.match(told?.type === "status" ? told.text : "", /continued in another window.*sleep 600/);
		assert.ok(here.model.requests[0]?.events.some((event) => event.type === "status" && /sleep 600/.test(event.text)));
	});
});

function reloadedIn({ app, summary }: TestSession): Promise<void> {
	return new Promise((resolve) => {
		const listening = app.sessions.listen({
			reloaded(id) {
				if (id !== summary.sessionId) return;
				listening.dispose();
				resolve();
			},
		});
	});
}
