// Tests running calls and their output for a page opened in the middle of a turn.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { closeTestSessions, FILES, openTestSession } from "./testSession.ts";

describe("calls that run", () => {
	afterEach(closeTestSessions);

	it("are told to run once they do, with what they print, and those behind them are not", async () => {
		const commands = ["printf half; until test -e go; do sleep 0.05; done", "touch never"];
		const calls = commands.map((command, at) => ({ id: `c${at}`, name: "execute_command", input: { command } }));
		const setup = await openTestSession([{ calls }, { text: "Done." }], {
			files: FILES,
			role: "actor",
		});
		const { session, app } = setup;
		const printing = new Promise<void>((resolve) => {
			app.sessions.listen({
				live: (_, event) => {
					if (event.type === "progress" && event.text.includes("half")) resolve();
				},
			});
		});
		const turn = session.send("Go");
		await setup.answer({ allow: true });
		assert.deepEqual([...session.printed], []);
		await printing;
		assert.deepEqual([...session.printed], [["c0", "half"]]);
		writeFileSync(join(app.folder, "go"), "");
		await setup.answer({ allow: true });
		await turn;
		assert.deepEqual([...session.printed], []);
	});
});
