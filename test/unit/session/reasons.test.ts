// Why a call asks: every reason reaches the card, not only the one that decided.
import assert from "node:assert/strict";
import { closeTestSessions, FILES, openTestSession } from "./testSession.ts";

describe("an approval's reasons", () => {
	afterEach(closeTestSessions);

	async function reasonsOf(command: string): Promise<{ reason: string; more: string[] | undefined }> {
		const setup = await openTestSession([{ calls: [{ name: "execute_command", input: { command } }] }], { files: FILES, role: "actor" });
		const turn = setup.session.send("Go");
		const { reason, more } = await setup.event("asked");
		await setup.session.cancel();
		await turn;
		return { reason, more };
	}

	it("are all told, each once, the one that decided first", async () => {
		const { reason, more = [] } = await reasonsOf("rm Makefile .env && curl https://example.com && curl https://example.org");
		assert.match(reason, /Makefile is a protected location/);
		assert.equal(more.filter((one) => /\.env is a protected location/.test(one)).length, 1);
		assert.ok(more.includes("Deleting always requires approval."));
		assert.equal(new Set([reason, ...more]).size, more.length + 1);
		assert.ok(more.length >= 3, JSON.stringify(more));
	});

	it("are one where there is one, and a dozen of many", async () => {
		assert.equal((await reasonsOf("touch made")).more, undefined);
		const names = Array.from({ length: 30 }, (_, index) => `dir${index}/.env`).join(" ");
		const { more = [] } = await reasonsOf(`touch ${names}`);
		assert.equal(more.length, 11);
	});
});
