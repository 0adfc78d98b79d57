// Tests the terminal chat on a fake editor: a terminal that closes while a reply is on its way.

import assert from "node:assert/strict";
import { createDeferred } from "../../../fakes/deferred.ts";
import { onEditorWindow } from "../../../fakes/onEditorWindow.ts";
import { closeTestChannels, heardLast, openTestChannels, replying } from "../../channels/testChannels.ts";

type Chat = typeof import("../../../../src/vscode/terminalChat/terminalChat.ts");

describe("a terminal that closes in mid-reply", () => {
	let editor: Awaited<ReturnType<typeof onEditorWindow<Chat>>>;
	before(async () => {
		editor = await onEditorWindow<Chat>("terminalChat", "src/vscode/terminalChat/terminalChat.ts");
	});
	afterEach(closeTestChannels);

	for (const how of ["is closed by the editor", "ends with Ctrl+D"])
		it(`and ${how} gets nothing, the agent is told, and what waits for its turn gets it`, async () => {
			const closing = createDeferred();
			const { app, model, all, next, idle } = await openTestChannels((request, call) => {
				if (call === 0) return { ...replying("Too late", {}), until: closing.until };
				const from = heardLast(request)?.channel?.channelId;
				return from === undefined ? { text: "Nobody is there." } : replying("Here I am", { channelId: from });
			});
			const chat = editor.createTerminalChat(app.channels);
			chat.open();
			chat.open();
			const [first, second] = editor.terminals.slice(-2);
			assert.ok(first && second);
			first.type("hello\r");
			await model.asked;
			if (how === "ends with Ctrl+D") first.type("\x04");
			else first.close();
			assert.equal(first.isOpen, false);
			const written = first.written.length;
			const refused = next("result");
			closing.open();
			assert.deepEqual([(await refused).status, (await refused).output], ["error", "Not delivered: the terminal was closed."]);
			await idle();
			const answered = next("reply");
			second.type("and you?\r");
			assert.deepEqual((await answered).channel, { type: "cli", channelId: "2" });
			await idle();
			assert.ok(second.written.includes("Here I am"));
			assert.deepEqual([first.written.slice(written), all("reply").length], ["", 1]);
			assert.ok(all("ended").every(({ outcome }) => outcome === "done"));
			chat.open();
			const again = next("reply");
			editor.terminals.at(-1)?.type("hello again\r");
			assert.deepEqual((await again).channel, { type: "cli", channelId: "main" });
			await idle();
			chat.dispose();
		});
});
