// Searching the words of sessions: what a person reads counts, and nothing else does.
import assert from "node:assert/strict";
import type { SessionSearchMatch } from "../../../src/core/ports/sessions.ts";
import { findMessageIndex, rewindTo } from "../../../src/session/history/rewind.ts";
import type { TestApp } from "../../fakes/testApp.ts";
import { closeTestSessions, FILES, openTestSession } from "../session/testSession.ts";

const searching = new AbortController().signal;

async function found(app: TestApp, words: string): Promise<SessionSearchMatch[]> {
	const ids = (await app.sessions.list()).map(({ sessionId }) => sessionId);
	return hits(app, ids, words);
}

async function hits(app: TestApp, ids: readonly string[], words: string, signal = searching): Promise<SessionSearchMatch[]> {
	const all: SessionSearchMatch[] = [];
	for await (const hit of app.store.search(ids, words, signal)) all.push(hit);
	return all;
}

describe("a search in sessions", () => {
	afterEach(closeTestSessions);

	it("finds what the person and the agent said, whatever the case, with the words around it", async () => {
		const { app, summary } = await openTestSession([{ text: 'The "Straße" is\nclosed until Monday.' }], {});
		await (await app.sessions.get(summary.sessionId)).send("Is the bridge open?");
		assert.deepEqual(await found(app, "BRIDGE"), [{ sessionId: summary.sessionId, text: "Is the bridge open?" }]);
		assert.deepEqual(await found(app, '"straße" is'), [{ sessionId: summary.sessionId, text: 'The "Straße" is closed until Monday.' }]);
		assert.deepEqual(await found(app, "tunnel"), []);
	});

	it("leaves out what tools returned, names of fields, and sessions that were not named", async () => {
		const { app, summary, session } = await openTestSession(
			[{ calls: [{ name: "read_file", input: { path: "src/hello.ts" } }] }, { text: "It greets." }],
			{ files: FILES },
		);
		await session.send("What does it do?");
		assert.deepEqual(await found(app, "greeting"), []);
		assert.deepEqual(await found(app, '"type":"user"'), []);
		assert.equal((await found(app, "it greets")).length, 1);
		assert.deepEqual(await hits(app, [], "it greets"), []);
		assert.equal(summary.sessionId, session.sessionId);
	});

	it("finds what a summary has moved to an archive", async () => {
		const { app, session } = await openTestSession([{ text: "A heron stood there." }], {});
		await session.send("What stood there?");
		await app.store.archive(session.sessionId);
		assert.equal((await app.store.archives(session.sessionId)).length, 1);
		assert.deepEqual(await found(app, "heron"), [{ sessionId: session.sessionId, text: "A heron stood there." }]);
	});

	it("does not find what was taken back, and goes on behind it", async () => {
		const { app, session } = await openTestSession([{ text: "A heron." }, { text: "A stork." }, { text: "The heron again." }], {});
		await session.send("What stood there?");
		await session.send("And there?");
		const said = session.state.events.filter(({ type }) => type === "user").map(({ id }) => findMessageIndex(session, id));
		await rewindTo(session, said[1] ?? 0, true);
		assert.deepEqual(await found(app, "stork"), []);
		assert.equal((await found(app, "heron"))[0]?.text, "A heron.");
		await rewindTo(session, said[0] ?? 0, true);
		assert.deepEqual(await found(app, "heron"), []);
		await session.send("What stood there now?");
		assert.equal((await found(app, "heron"))[0]?.text, "The heron again.");
	});

	it("ends when nobody waits for it any more", async () => {
		const { app, session } = await openTestSession([{ text: "A heron stood there." }], {});
		await session.send("What stood there?");
		assert.deepEqual(await hits(app, [session.sessionId], "heron", AbortSignal.abort()), []);
	});

	it("shows the place and not the whole message", async () => {
		const { app, session } = await openTestSession([{ text: `${"before ".repeat(100)}needle${" after".repeat(100)}` }], {});
		await session.send("Go");
		const [hit] = await found(app, "needle");
		assert.match(hit?.text ?? "", /^….*needle.*…$/);
		assert.ok((hit?.text.length ?? 0) < 160);
	});
});
