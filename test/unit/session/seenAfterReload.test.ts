// Tests that files read by a session still count after a reload, for edits and for plans.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EDIT, FILES, PLAN, results, stage, strike } from "./stage.ts";

const READ = { calls: [{ name: "read_file", input: { path: "src/hello.ts" } }] };

describe("what a session has read, after a reload", () => {
	let home: string;
	beforeEach(() => {
		home = mkdtempSync(join(tmpdir(), "troupe-seen-"));
	});
	afterEach(async () => {
		await strike();
		rmSync(home, { recursive: true, force: true });
	});

	it("refuses an edit of a file that has changed since", async () => {
		const before = await stage([READ, { text: "I have read it." }], { files: FILES, home, role: "actor" });
		await before.conversation.send("Read it");
		await strike();
		const path = join(before.house.folder, "src/hello.ts");
		writeFileSync(path, `// mine\n${FILES["src/hello.ts"]}`);
		const after = await stage([{ calls: [EDIT] }, { text: "It has changed." }], { home });
		await after.conversation.send("Change it");
		assert.match(results(after.conversation).at(-1)?.output ?? "", /changed since it was read/);
		assert.match(readFileSync(path, "utf8"), /^\/\/ mine/);
	});

	it("is what the next plan rests on, as it was read", async () => {
		const before = await stage([READ, { text: "I have read it." }], { files: FILES, home });
		await before.conversation.send("Read it");
		await strike();
		writeFileSync(join(before.house.folder, "src/hello.ts"), "changed meanwhile\n");
		const after = await stage([{ calls: [{ name: "present_plan", input: PLAN }] }], { home });
		await after.conversation.send("Plan");
		const hash = createHash("sha256").update(FILES["src/hello.ts"]).digest("hex");
		assert.deepEqual(after.conversation.state.plans.at(-1)?.event.basis.files, [{ path: "src/hello.ts", hash }]);
	});

	it("does not name what an earlier plan has rested on already", async () => {
		const before = await stage([READ, { calls: [{ name: "present_plan", input: PLAN }] }], { files: FILES, home });
		await before.conversation.send("Plan");
		await strike();
		const other = { ...PLAN, goal: "Whisper" };
		const look = { calls: [{ name: "read_file", input: { path: "README.md" } }] };
		const after = await stage([look, { calls: [{ name: "present_plan", input: other }] }], { home });
		await after.conversation.send("Another");
		const { event } = after.conversation.state.plans.at(-1) ?? {};
		// A revision keeps the basis of the version before it.
		assert.deepEqual(
			event?.basis.files.map(({ path }) => path),
			["src/hello.ts", "README.md"],
		);
	});
});
