// Tests Undo of memory changes in the chat, and who else changed the file since.
import assert from "node:assert/strict";
import { createReviewActions } from "../../../src/chat/historyActions.ts";
import { toAbsolutePath } from "../../../src/core/paths.ts";
import { rewindHost } from "../session/rewindStage.ts";
import { strike } from "../session/stage.ts";
import { call, type MemoryStage, memoryStage, turnOf } from "./memoryStage.ts";

const PATH = "person/wishes.md";
const SHOWN = "memory:person/wishes.md";
const WRITE = call("memory_write", { path: PATH, content: "Tea." });
const PATCH = call("memory_patch", { path: PATH, old_str: "Tea", new_str: "Milk" });

function inChat({ house, conversation, session }: MemoryStage) {
	const opened: string[] = [];
	const host = {
		...rewindHost(),
		notify: () => undefined,
		openDiff: async ({ path }: { path: string }) => void opened.push(path),
		review: async () => undefined,
	};
	const acts = createReviewActions(house.sessions, host as never);
	const intent = (index: number) => ({
		session: session.sessionId,
		call: [...conversation.state.calls.keys()][index] ?? "",
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
	afterEach(strike);

	it("is shown as a change, opens the file itself, and is undone and redone", async () => {
		const set = await memoryStage(turnOf(WRITE, PATCH));
		await set.conversation.send("Remember");
		const views = [...set.conversation.state.calls.values()].map(({ result }) => result?.view);
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
		const { review } = set.house.sessions;
		assert.deepEqual(review.files(), []);
	});

	it("that was only read is linked to the file itself", async () => {
		const set = await memoryStage(turnOf(call("memory_read", { path: PATH })));
		set.put(PATH, "Tea.\n");
		await set.conversation.send("What do I like?");
		const view = [...set.conversation.state.calls.values()][0]?.result?.view;
		assert.deepEqual(view, { kind: "file", path: SHOWN });
		assert.equal(toAbsolutePath(set.conversation.workspace, SHOWN), set.at(PATH));
	});

	it("is not undone over what someone else wrote since, and says so", async () => {
		const set = await memoryStage(turnOf(WRITE, PATCH));
		await set.conversation.send("Remember");
		set.put(PATH, "The person's own.\n");
		await assert.rejects(inChat(set).undo(1), /memory:person\/wishes\.md.*changed.*Nothing was changed/);
		assert.equal(set.text(PATH), "The person's own.\n");
	});

	it("is among the changes to review, at the file itself", async () => {
		const set = await memoryStage(turnOf(WRITE));
		await set.conversation.send("Remember");
		const { review } = set.house.sessions;
		assert.deepEqual(
			review.files().map(({ path, absolute }) => [path, absolute]),
			[[SHOWN, set.at(PATH)]],
		);
		assert.deepEqual(await review.undo([SHOWN]), []);
		assert.equal(set.text(PATH), undefined);
	});
});
