// Tests the chat's confirmation dialogs: Enter never triggers a destructive action.
import assert from "node:assert/strict";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";

type Window = typeof import("../../../src/vscode/chat/chatHost.ts");

describe("a question of the chat before something is undone", () => {
	it("gives the focus to the button that only copies the text", async () => {
		const at = await onEditorWindow<Window>("chatWindow", "src/vscode/chat/chatHost.ts");
		const host = at.createChatHost({} as Parameters<Window["createChatHost"]>[0]);
		at.presses("Undo");
		assert.equal(
			await host.choose("Undo all changes from this turn?", ["These files will be deleted:", "a.ts"], [{ label: "Undo", value: 7 }]),
			7,
		);
		assert.deepEqual(at.shown.pop()?.buttons, ["Copy Details", "Undo"]);
	});
});
