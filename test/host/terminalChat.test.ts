// Tests chats with the agent in real terminals.

import assert from "node:assert/strict";
import { type Terminal, window } from "vscode";
import { createTerminalChat, type TerminalChat } from "../../src/vscode/terminalChat/terminalChat.ts";
import { createDeferred } from "../fakes/deferred.ts";
import { closeTestChannels, heardLast, openTestChannels, replying, type TestChannels } from "../unit/channels/testChannels.ts";

describe("a chat in a terminal", function () {
	this.timeout(60_000);
	let chat: TerminalChat | undefined;

	afterEach(async () => {
		chat?.dispose();
		await closeTestChannels();
	});

	async function open(): Promise<Terminal> {
		const opened = new Promise<Terminal>((resolve) => {
			const listening = window.onDidOpenTerminal((terminal) => {
				listening.dispose();
				resolve(terminal);
			});
		});
		chat?.open();
		return opened;
	}

	function close(terminal: Terminal, by: () => void = () => terminal.dispose()): Promise<void> {
		const closed = new Promise<void>((resolve) => {
			const listening = window.onDidCloseTerminal((one) => {
				if (one !== terminal) return;
				listening.dispose();
				resolve();
			});
		});
		by();
		return closed;
	}

	const begin = ({ app }: TestChannels) => {
		chat = createTerminalChat(app.channels);
	};

	it("a terminal chat sends what is typed on a channel of its own", async () => {
		const setup = await openTestChannels((request) => {
			const last = heardLast(request);
			if (!last) return { text: "That was all." };
			return replying(`${last.text}?\n\x1b]52;c;QUJD\x07done`, { channelId: last.channel?.channelId ?? "" });
		});
		begin(setup);
		const first = await open();
		const hello = setup.next("reply");
		first.sendText("hello");
		assert.deepEqual((await hello).channel, { type: "cli", channelId: "main" });
		const second = await open();
		assert.notEqual(second.name, first.name);
		await setup.idle();
		const again = setup.next("reply");
		second.sendText("你好");
		const { channel, text } = await again;
		assert.deepEqual([channel, text.startsWith("你好?")], [{ type: "cli", channelId: "2" }, true]);
		await close(first);
		await close(second);
		assert.equal((await open()).name, first.name);
	});

	for (const how of ["is closed", "ends with Ctrl+D"])
		it(`a terminal that ${how} during a reply does not stop the turn`, async () => {
			const closing = createDeferred();
			const setup = await openTestChannels([{ ...replying("Too late", {}), until: closing.until }, { text: "Nobody is there." }]);
			begin(setup);
			const terminal = await open();
			const begun = setup.next("started");
			terminal.sendText("hello");
			await begun;
			await close(terminal, how === "is closed" ? undefined : () => terminal.sendText("\x04", false));
			const [result, ended] = [setup.next("result"), setup.next("ended")];
			closing.open();
			assert.equal((await result).output, "Not delivered: the terminal was closed.");
			assert.equal((await ended).outcome, "done");
			assert.deepEqual(setup.all("reply"), []);
			assert.equal((await open()).name, terminal.name);
		});

	it("Ctrl+C in a terminal chat stops the agent", async () => {
		const setup = await openTestChannels([{ text: "Never said.", until: new Promise(() => undefined) }]);
		begin(setup);
		const terminal = await open();
		const begun = setup.next("started");
		terminal.sendText("hello");
		await begun;
		const ended = setup.next("ended");
		terminal.sendText("\x03", false);
		assert.equal((await ended).outcome, "cancelled");
		await close(terminal);
	});
});
