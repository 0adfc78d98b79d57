// The terminal of commands in a real editor: it opens when it is asked for, and there is one.
import assert from "node:assert/strict";
import { window } from "vscode";
import { createCommandTerminals } from "../../src/vscode/adapters/commandTerminals.ts";

describe("the terminal of commands", () => {
	it("the command terminal opens only on request, is reused, and stops commands when closed", async () => {
		const before = window.terminals.length;
		const terminals = createCommandTerminals();
		const stopped: string[] = [];
		const first = terminals.start("c1", "npm test", () => stopped.push("c1"));
		first.write("12 passed\n");
		first.end("exit code 0");
		const second = terminals.start("c2", "npm run dev", () => stopped.push("c2"));
		second.write("ready\n");
		assert.equal(window.terminals.length, before);
		const opened = new Promise((resolve) => {
			const listening = window.onDidOpenTerminal((terminal) => {
				listening.dispose();
				resolve(terminal);
			});
		});
		terminals.show("c1");
		await opened;
		terminals.show("c2");
		terminals.show("c3", { command: "npm run lint", output: "1 error\n" });
		terminals.show("c2");
		terminals.show("c4");
		assert.equal(window.terminals.length, before + 1);
		const closed = new Promise((resolve) => {
			const listening = window.onDidCloseTerminal(() => {
				listening.dispose();
				resolve(undefined);
			});
		});
		terminals.dispose();
		await closed;
		assert.deepEqual(stopped, ["c2"]);
	});
});
