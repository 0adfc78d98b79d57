// Searching the words of sessions: what a person reads counts, and nothing else does.
import assert from "node:assert/strict";
import type { SessionSearchMatch } from "../../../src/core/ports/sessions.ts";
import { findMessageIndex, rewindTo } from "../../../src/session/history/rewind.ts";
import type { House } from "../../fakes/house.ts";
import { FILES, stage, strike } from "../session/stage.ts";

const searching = new AbortController().signal;

async function found(house: House, words: string): Promise<SessionSearchMatch[]> {
	const ids = (await house.sessions.list()).map(({ sessionId }) => sessionId);
	return hits(house, ids, words);
}

async function hits(house: House, ids: readonly string[], words: string, signal = searching): Promise<SessionSearchMatch[]> {
	const all: SessionSearchMatch[] = [];
	for await (const hit of house.store.search(ids, words, signal)) all.push(hit);
	return all;
}

describe("a search in sessions", () => {
	afterEach(strike);

	it("finds what the person and the agent said, whatever the case, with the words around it", async () => {
		const { house, session } = await stage([{ text: 'The "Straße" is\nclosed until Monday.' }], {});
		await (await house.sessions.get(session.sessionId)).send("Is the bridge open?");
		assert.deepEqual(await found(house, "BRIDGE"), [{ sessionId: session.sessionId, text: "Is the bridge open?" }]);
		assert.deepEqual(await found(house, '"straße" is'), [{ sessionId: session.sessionId, text: 'The "Straße" is closed until Monday.' }]);
		assert.deepEqual(await found(house, "tunnel"), []);
	});

	it("leaves out what tools returned, names of fields, and sessions that were not named", async () => {
		const { house, session, conversation } = await stage(
			[{ calls: [{ name: "read_file", input: { path: "src/hello.ts" } }] }, { text: "It greets." }],
			{ files: FILES },
		);
		await conversation.send("What does it do?");
		assert.deepEqual(await found(house, "greeting"), []);
		assert.deepEqual(await found(house, '"type":"user"'), []);
		assert.equal((await found(house, "it greets")).length, 1);
		assert.deepEqual(await hits(house, [], "it greets"), []);
		assert.equal(session.sessionId, conversation.sessionId);
	});

	it("finds what a summary has moved to an archive", async () => {
		const { house, conversation } = await stage([{ text: "A heron stood there." }], {});
		await conversation.send("What stood there?");
		await house.store.archive(conversation.sessionId);
		assert.equal((await house.store.archives(conversation.sessionId)).length, 1);
		assert.deepEqual(await found(house, "heron"), [{ sessionId: conversation.sessionId, text: "A heron stood there." }]);
	});

	it("does not find what was taken back, and goes on behind it", async () => {
		const { house, conversation } = await stage([{ text: "A heron." }, { text: "A stork." }, { text: "The heron again." }], {});
		await conversation.send("What stood there?");
		await conversation.send("And there?");
		const said = conversation.state.events.filter(({ type }) => type === "user").map(({ id }) => findMessageIndex(conversation, id));
		await rewindTo(conversation, said[1] ?? 0, true);
		assert.deepEqual(await found(house, "stork"), []);
		assert.equal((await found(house, "heron"))[0]?.text, "A heron.");
		await rewindTo(conversation, said[0] ?? 0, true);
		assert.deepEqual(await found(house, "heron"), []);
		await conversation.send("What stood there now?");
		assert.equal((await found(house, "heron"))[0]?.text, "The heron again.");
	});

	it("ends when nobody waits for it any more", async () => {
		const { house, conversation } = await stage([{ text: "A heron stood there." }], {});
		await conversation.send("What stood there?");
		assert.deepEqual(await hits(house, [conversation.sessionId], "heron", AbortSignal.abort()), []);
	});

	it("shows the place and not the whole message", async () => {
		const { house, conversation } = await stage([{ text: `${"before ".repeat(100)}needle${" after".repeat(100)}` }], {});
		await conversation.send("Go");
		const [hit] = await found(house, "needle");
		assert.match(hit?.text ?? "", /^….*needle.*…$/);
		assert.ok((hit?.text.length ?? 0) < 160);
	});
});
