// Tests Undo of memory changes in the chat, and who else changed the file since.
import assert from "node:assert/strict";
import { createReviewActions } from "../../../src/chat/historyActions.ts";
import { toAbsolutePath } from "../../../src/core/paths.ts";
import { rewindHost } from "../session/rewindFixture.ts";
import { closeTestSessions } from "../session/testSession.ts";
import { call, openTestMemory, type TestMemory, turnOf } from "./testMemory.ts";

const PATH = "person/wishes.md";
const SHOWN = "memory:person/wishes.md";
const WRITE = call("memory_write", { path: PATH, content: "Tea." });
const PATCH = call("memory_patch", { path: PATH, old_str: "Tea", new_str: "Milk" });

function inChat({ app, session, summary }: TestMemory) {
	const opened: string[] = [];
	const host = {
		...rewindHost(),
		notify: () => undefined,
		openDiff: async ({ path }: { path: string }) => void opened.push(path),
		review: async () => undefined,
	};
	const acts = createReviewActions(app.sessions, host as never);
	const intent = (index: number) => ({
		session: summary.sessionId,
		call: [...session.state.calls.keys()][index] ?? "",
		path: SHOWN,
	});
	return {
		opened,
		openDiff: (index: number) => acts.openDiff({ type: "openDiff", ...intent(index) }),
		undo: (index: number) => acts.undo({ type: "undo", ...intent(index) }),
		redo: (index: number) => acts.redo({ type: "redo", ...intent(index) }),
	};
}

describe("a memory change in the chat", () => {
	afterEach(closeTestSessions);

	it("is shown as a change, opens the file itself, and is undone and redone", async () => {
		const set = await openTestMemory(turnOf(WRITE, PATCH));
		await set.session.send("Remember");
		const views = [...set.session.state.calls.values()].map(({ result }) => result?.view);
		assert.deepEqual(
			views.map((view) => view?.kind === "change" && view.changes.map(({ path, action, added }) => [path, action, added])),
			[[[SHOWN, "create", 1]], [[SHOWN, "update", 1]]],
		);
		const chat = inChat(set);
		await chat.openDiff(1);
		assert.deepEqual(chat.opened, [set.at(PATH)]);
		await chat.undo(1);
		assert.equal(set.text(PATH), "Tea.\n");
		await chat.redo(1);
		assert.equal(set.text(PATH), "Milk.\n");
		await chat.undo(1);
		await chat.undo(0);
		assert.equal(set.text(PATH), undefined);
		const { review } = set.app.sessions;
		assert.deepEqual(review.files(), []);
	});

	it("that was only read is linked to the file itself", async () => {
		const set = await openTestMemory(turnOf(call("memory_read", { path: PATH })));
		set.put(PATH, "Tea.\n");
		await set.session.send("What do I like?");
		const view = [...set.session.state.calls.values()][0]?.result?.view;
		assert.deepEqual(view, { kind: "file", path: SHOWN });
		assert.equal(toAbsolutePath(set.session.workspace, SHOWN), set.at(PATH));
	});

	it("is not undone over what someone else wrote since, and says so", async () => {
		const set = await openTestMemory(turnOf(WRITE, PATCH));
		await set.session.send("Remember");
		set.put(PATH, "The person's own.\n");
		await assert.rejects(inChat(set).undo(1), /memory:person\/wishes\.md.*changed.*Nothing was changed/);
		assert.equal(set.text(PATH), "The person's own.\n");
	});

	it("is among the changes to review, at the file itself", async () => {
		const set = await openTestMemory(turnOf(WRITE));
		await set.session.send("Remember");
		const { review } = set.app.sessions;
		assert.deepEqual(
			review.files().map(({ path, absolute }) => [path, absolute]),
			[[SHOWN, set.at(PATH)]],
		);
		assert.deepEqual(await review.undo([SHOWN]), []);
		assert.equal(set.text(PATH), undefined);
	});
});
