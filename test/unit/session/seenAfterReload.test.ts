// Tests that files read by a session still count after a reload, for edits and for plans.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeTestSessions, EDIT, FILES, openTestSession, PLAN, results } from "./testSession.ts";

const READ = { calls: [{ name: "read_file", input: { path: "src/hello.ts" } }] };

describe("what a session has read, after a reload", () => {
	let home: string;
	beforeEach(() => {
		home = mkdtempSync(join(tmpdir(), "troupe-seen-"));
	});
	afterEach(async () => {
		await closeTestSessions();
		rmSync(home, { recursive: true, force: true });
	});

	it("refuses an edit of a file that has changed since", async () => {
		const before = await openTestSession([READ, { text: "I have read it." }], { files: FILES, home, role: "actor" });
		await before.session.send("Read it");
		await closeTestSessions();
		const path = join(before.app.folder, "src/hello.ts");
		writeFileSync(path, `// mine\n${FILES["src/hello.ts"]}`);
		const after = await openTestSession([{ calls: [EDIT] }, { text: "It has changed." }], { home });
		await after.session.send("Change it");
		assert.match(results(after.session).at(-1)?.output ?? "", /changed since it was read/);
		assert.match(readFileSync(path, "utf8"), /^\/\/ mine/);
	});

	it("is what the next plan rests on, as it was read", async () => {
		const before = await openTestSession([READ, { text: "I have read it." }], { files: FILES, home });
		await before.session.send("Read it");
		await closeTestSessions();
		writeFileSync(join(before.app.folder, "src/hello.ts"), "changed meanwhile\n");
		const after = await openTestSession([{ calls: [{ name: "present_plan", input: PLAN }] }], { home });
		await after.session.send("Plan");
		const hash = createHash("sha256").update(FILES["src/hello.ts"]).digest("hex");
		assert.deepEqual(after.session.state.plans.at(-1)?.event.basis.files, [{ path: "src/hello.ts", hash }]);
	});

	it("does not name what an earlier plan has rested on already", async () => {
		const before = await openTestSession([READ, { calls: [{ name: "present_plan", input: PLAN }] }], { files: FILES, home });
		await before.session.send("Plan");
		await closeTestSessions();
		const other = { ...PLAN, goal: "Whisper" };
		const look = { calls: [{ name: "read_file", input: { path: "README.md" } }] };
		const after = await openTestSession([look, { calls: [{ name: "present_plan", input: other }] }], { home });
		await after.session.send("Another");
		const { event } = after.session.state.plans.at(-1) ?? {};
		// A revision keeps the basis of the version before it.
		assert.deepEqual(
			event?.basis.files.map(({ path }) => path),
			["src/hello.ts", "README.md"],
		);
	});
});
