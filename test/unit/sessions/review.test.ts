// Tests pending changes over all sessions: after a reload, kept or undone, in whole or in part.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatHost } from "../../../src/chat/chatHost.ts";
import { createReviewActions } from "../../../src/chat/historyActions.ts";
import { findChangeStatus } from "../../../src/core/transcript/changes.ts";
import type { Session } from "../../../src/session/session.ts";
import { Sessions } from "../../../src/sessions/sessions.ts";
import type { Script } from "../../fakes/scriptedModel.ts";
import { rewindHost } from "../session/rewindFixture.ts";
import { closeTestSessions, openTestSession, type TestSession } from "../session/testSession.ts";

const FILES = { "a.txt": "1\n2\n3\n4\n", "b.txt": "b\n" };
const edit = (old: string, words: string, path = "a.txt") => ({ calls: [{ name: "update_file", input: { path, old, new: words } }] });
const DONE = { text: "Done." };

function actor(script: Script, more: Parameters<typeof openTestSession>[1] = {}): Promise<TestSession> {
	return openTestSession(script, { files: FILES, role: "actor", settings: { approval: "auto" }, ...more });
}

const review = ({ app }: TestSession) => app.sessions.review;

/** Path: content to compare with → whether it is all ours. */
async function pending({ app }: TestSession, { review: of } = app.sessions): Promise<Record<string, string>> {
	const files: Record<string, string> = {};
	for (const { path, was, original, created, mixed } of of.files()) {
		const before = original && Buffer.from((await app.services.blobs.get(original.blob)) ?? []).toString();
		files[path] = `${was === undefined ? "" : `${was} `}${created ? "nothing" : JSON.stringify(before)}${mixed ? " mixed" : ""}`;
	}
	return files;
}

async function second({ app }: TestSession): Promise<Session> {
	return app.sessions.get((await app.sessions.create({ role: "actor" })).sessionId);
}

const text = ({ app }: TestSession, path = "a.txt") =>
	existsSync(join(app.folder, path)) ? readFileSync(join(app.folder, path), "utf8") : undefined;

/** The buttons of the chat; the person chooses the first of what a dialog offers. */
function inChat(at: TestSession, choose: ChatHost["choose"] = async (_, __, [first]) => first?.value) {
	const told: string[] = [];
	const host = {
		...rewindHost(),
		choose,
		notify: (_: string, words: string) => void told.push(words),
		openDiff: async () => undefined,
		review: async () => undefined,
	};
	return { acts: createReviewActions(at.app.sessions, host), host, told, session: at.summary.sessionId };
}

function lastNote({ session }: TestSession): string {
	return session.state.events.findLast((event) => event.type === "status")?.text ?? "";
}

describe("what turns changed", () => {
	afterEach(closeTestSessions);

	it("is to be looked at until it is kept, and compared anew with what comes after", async () => {
		const at = await actor([edit("1", "one"), DONE, edit("2", "two"), DONE, edit("3", "three"), DONE]);
		let told = 0;
		review(at).onChange(() => (told += 1));
		await at.session.send("Work");
		await at.session.send("More");
		assert.deepEqual(await pending(at), { "a.txt": '"1\\n2\\n3\\n4\\n"' });
		assert.ok(told > 0);
		await review(at).keep(["a.txt"]);
		assert.deepEqual(await pending(at), {});
		await at.session.send("And more");
		assert.deepEqual(await pending(at), { "a.txt": '"one\\ntwo\\n3\\n4\\n"' });
	});

	it("is undone by file to what it was before the first change", async () => {
		const at = await actor([edit("1", "one"), edit("2", "two"), edit("b", "B", "b.txt"), DONE]);
		await at.session.send("Work");
		assert.deepEqual(await review(at).undo(["a.txt"]), []);
		assert.deepEqual([text(at), text(at, "b.txt"), Object.keys(await pending(at))], [FILES["a.txt"], "B\n", ["b.txt"]]);
	});

	it("stays where the person changed the file, with the reason", async () => {
		const at = await actor([edit("1", "one"), DONE]);
		await at.session.send("Work");
		writeFileSync(join(at.app.folder, "a.txt"), "one\n2\n3\nmine\n");
		const left = await review(at).undo(["a.txt"]);
		assert.deepEqual(
			left.map(({ path }) => path),
			["a.txt"],
		);
		assert.deepEqual([text(at), Object.keys(await pending(at))], ["one\n2\n3\nmine\n", ["a.txt"]]);
	});

	it("is kept in parts: the rest is compared with what was kept", async () => {
		const at = await actor([edit("1", "one"), edit("4", "four"), DONE]);
		await at.session.send("Work");
		await review(at).keepPart("a.txt", Buffer.from("one\n2\n3\n4\n"));
		assert.deepEqual(await pending(at), { "a.txt": '"one\\n2\\n3\\n4\\n"' });
		await review(at).undo(["a.txt"]);
		assert.equal(text(at), "one\n2\n3\n4\n");
	});

	it("is over once every part was kept", async () => {
		const at = await actor([edit("1", "one"), DONE]);
		await at.session.send("Work");
		await review(at).keepPart("a.txt", Buffer.from("one\n2\n3\n4\n"));
		assert.deepEqual(await pending(at), {});
	});

	it("is compared with what the first of several sessions found, and settled in all of them", async () => {
		const at = await actor([edit("1", "one"), DONE, edit("2", "two"), DONE]);
		const other = await second(at);
		await at.session.send("Work");
		await other.send("Work, too");
		assert.deepEqual(await pending(at), { "a.txt": '"1\\n2\\n3\\n4\\n"' });
		await review(at).undo(["a.txt"]);
		assert.deepEqual([text(at), await pending(at)], [FILES["a.txt"], {}]);
		assert.deepEqual([at.session.state.changed.size, other.state.changed.size], [0, 0]);
	});

	it("follows a file that another session has moved", async () => {
		const rename = { calls: [{ name: "rename_file", input: { from: "a.txt", to: "c.txt" } }] };
		const at = await actor([edit("1", "one"), DONE, rename, DONE]);
		const other = await second(at);
		await at.session.send("Work");
		await other.send("Move it");
		assert.deepEqual(await pending(at), { "c.txt": 'a.txt "1\\n2\\n3\\n4\\n"' });
		await review(at).undo(["c.txt"]);
		assert.deepEqual([text(at), text(at, "c.txt"), await pending(at)], [FILES["a.txt"], undefined, {}]);
	});

	it("is there again after a reload, and what was kept is not", async () => {
		const first = await actor([edit("1", "one"), edit("b", "B", "b.txt"), DONE]);
		await first.session.send("Work");
		await review(first).keep(["b.txt"]);
		await first.app.sessions.close();
		const again = new Sessions(first.app.services, first.app.policy);
		assert.deepEqual(again.review.files(), []);
		await again.review.load();
		assert.deepEqual(Object.keys(await pending(first, again)), ["a.txt"]);
		await again.review.keep(["a.txt"]);
		const third = new Sessions(first.app.services, first.app.policy);
		await third.review.load();
		assert.deepEqual(third.review.files(), []);
		const [session] = await again.list();
		assert.deepEqual(session?.attributes, { title: "Work" });
		await again.close();
	});

	it("goes with its session", async () => {
		const at = await actor([edit("1", "one"), DONE]);
		await at.session.send("Work");
		const gone = new Promise<void>((resolve) => review(at).onChange(() => review(at).files().length === 0 && resolve()));
		await at.app.sessions.delete(at.summary.sessionId);
		await gone;
	});

	it("of one turn is kept or undone from its line in the chat; several files are asked about", async () => {
		const at = await actor([edit("1", "one"), DONE, edit("2", "two"), edit("b", "B", "b.txt"), DONE, edit("3", "three"), DONE]);
		const { acts, host, told, session } = inChat(at, async () => undefined);
		const turns: string[] = [];
		for (const words of ["First", "Second"]) turns.push((await at.session.send(words)).turn);
		await acts.review({ type: "review", session, turn: turns[1] as string, how: "undo" });
		assert.equal(text(at), "one\ntwo\n3\n4\n");
		host.choose = async (_, __, [first]) => first?.value;
		await acts.review({ type: "review", session, turn: turns[1] as string, how: "undo" });
		assert.deepEqual([text(at), text(at, "b.txt")], ["one\n2\n3\n4\n", "b\n"]);
		await acts.review({ type: "review", session, turn: turns[1] as string, how: "undo" });
		assert.deepEqual(told, ["There is nothing left to undo."]);
		await acts.review({ type: "review", session, turn: turns[0] as string, how: "keep" });
		assert.deepEqual(await pending(at), {});
		await acts.review({ type: "review", session, turn: turns[0] as string, how: "undo" });
		assert.equal(text(at), FILES["a.txt"]);
	});

	it("is undone once: a file that is as it was before is no change, whatever undid it first", async () => {
		const at = await actor([edit("1", "one"), edit("b", "B", "b.txt"), DONE]);
		const { acts, told, session } = inChat(at);
		const { turn } = await at.session.send("Work");
		const [first] = [...at.session.state.calls.keys()] as [string];
		await acts.undo({ type: "undo", session, call: first, path: "a.txt" });
		assert.deepEqual(Object.keys(await pending(at)), ["b.txt"]);
		await acts.review({ type: "review", session, turn, how: "undo" });
		assert.deepEqual([text(at), text(at, "b.txt"), await pending(at)], [FILES["a.txt"], FILES["b.txt"], {}]);
		assert.deepEqual(lastNote(at), "Reverted changes in b.txt.");
		assert.deepEqual(told, []);
		const again = new Sessions(at.app.services, at.app.policy);
		await again.review.load();
		assert.deepEqual(await pending(at, again), {});
		await again.close();
	});

	it("is the person's own where they undo what they had kept", async () => {
		const at = await actor([edit("1", "one"), DONE]);
		const { acts, session } = inChat(at);
		const { turn } = await at.session.send("Work");
		await acts.review({ type: "review", session, turn, how: "keep" });
		await acts.review({ type: "review", session, turn, how: "undo" });
		assert.deepEqual([text(at), await pending(at)], [FILES["a.txt"], {}]);
	});

	it("is made again after an undo, and stands to be looked at once more; not where the file has changed since", async () => {
		const calls = [
			{ name: "update_file", input: { path: "a.txt", old: "1", new: "one" } },
			{ name: "create_file", input: { path: "new.txt", content: "new\n" } },
			{ name: "delete_file", input: { path: "b.txt" } },
		];
		const at = await actor([{ calls }, DONE]);
		const { acts, session } = inChat(at);
		const sent = at.session.send("Work");
		await at.answer({ allow: true });
		const { turn } = await sent;
		const done = ["a.txt", "new.txt", "b.txt"].map((path, index) => ({
			session,
			path,
			call: [...at.session.state.calls.keys()][index] as string,
		}));
		const made = [text(at), text(at, "new.txt"), text(at, "b.txt")];
		await acts.review({ type: "review", session, turn, how: "undo" });
		assert.deepEqual([text(at), text(at, "new.txt"), text(at, "b.txt")], [FILES["a.txt"], undefined, FILES["b.txt"]]);
		const fates = () => done.map(({ call, path }) => findChangeStatus(at.session.state.fates, call, path));
		assert.deepEqual(fates(), Array(3).fill({ fate: "undone", again: true }));
		for (const one of done) await acts.redo({ type: "redo", ...one });
		assert.deepEqual([text(at), text(at, "new.txt"), text(at, "b.txt")], made);
		assert.deepEqual(fates(), Array(3).fill({ fate: undefined, again: false }));
		assert.deepEqual(Object.keys(await pending(at)).sort(), ["a.txt", "b.txt", "new.txt"]);
		await acts.review({ type: "review", session, turn, how: "undo" });
		writeFileSync(join(at.app.folder, "a.txt"), "mine\n");
		await assert.rejects(acts.redo({ type: "redo", ...(done[0] as (typeof done)[0]) }), /a\.txt/);
		assert.equal(text(at), "mine\n");
	});

	it("tells the model what was undone", async () => {
		const at = await actor([edit("1", "one"), DONE, DONE]);
		await at.session.send("Work");
		await review(at).undo(["a.txt"]);
		await at.session.send("Go on");
		const { toConversationMessages } = await import("../../../src/models/wire/conversationMessages.ts");
		const said = toConversationMessages(at.model.requests.at(-1)?.events ?? []).at(-1);
		assert.match(said?.by === "person" ? said.text : "", /Reverted changes in a\.txt\./);
	});
});
