// Tests the notification about old copies of the workspace.
import assert from "node:assert/strict";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";

type OldCopies = typeof import("../../../src/vscode/oldCopies.ts");

describe("the notification about old copies", () => {
	let at: Awaited<ReturnType<typeof onEditorWindow<OldCopies>>>;

	before(async () => {
		at = await onEditorWindow<OldCopies>("oldCopies", "src/vscode/oldCopies.ts");
	});

	/** Tasks with old copies, first when they are asked about and then once the person has answered. */
	async function answered(button: string | undefined, ...lists: string[][]) {
		const done: string[] = [];
		at.shown.length = 0;
		at.presses(button);
		await at.askAboutOldCopies({
			oldCopies: async () => (lists.length > 1 ? lists.shift() : lists[0])?.map((name) => ({ taskId: name, name })) ?? [],
			keepCopy: async (taskId) => void done.push(`kept ${taskId}`),
			applyChanges: { discard: async (taskId: string) => void done.push(`deleted ${taskId}`) } as never,
		});
		return { done, texts: at.shown.map(({ text }) => text) };
	}

	it("is not shown where there are none", async () => {
		assert.deepEqual(await answered("Delete", []), { done: [], texts: [] });
	});

	it("names the one task or counts them, and leaves all as it is where nobody answers", async () => {
		const one = await answered(undefined, ["a"]);
		assert.match(one.texts[0] ?? "", /^The background task “a” still has a copy/);
		const two = await answered(undefined, ["a", "b"]);
		assert.match(two.texts[0] ?? "", /^2 background tasks still have copies/);
		assert.deepEqual([one.done, two.done], [[], []]);
	});

	it("keeps or deletes them as the person says", async () => {
		assert.deepEqual((await answered("Keep", ["a", "b"])).done, ["kept a", "kept b"]);
		assert.deepEqual((await answered("Delete", ["a", "b"])).done, ["deleted a", "deleted b"]);
	});

	it("deletes none in which a task has gone on before the person answered", async () => {
		assert.deepEqual((await answered("Delete", ["a", "b"], ["b"])).done, ["deleted b"]);
	});
});
