// Tests AGENTS.md of a workspace on a real disk: file choice, size limits and links.
import assert from "node:assert/strict";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readWorkspaceInstructions } from "../../../src/agents/systemPrompt.ts";
import { createGate } from "../../../src/gate/gate.ts";
import { createWorkspaceFiles } from "../../../src/platform/files/files.ts";

describe("instructions of a workspace", () => {
	let home = "";
	beforeEach(() => {
		home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-agentsmd-")));
		mkdirSync(join(home, "one"));
		mkdirSync(join(home, "two"));
	});
	afterEach(() => rmSync(home, { recursive: true, force: true }));

	function read(...names: string[]) {
		const folders = () => names.map((name) => ({ name, path: join(home, name) }));
		const disk = createWorkspaceFiles(folders);
		const gate = createGate({ disk, folders, storage: [], parser: "" });
		return readWorkspaceInstructions({ folders, disk, visible: (path) => gate.visible(path) });
	}

	it("are the AGENTS.md of each folder's root, and CLAUDE.md where there is none", async () => {
		writeFileSync(join(home, "one/AGENTS.md"), "Tabs.");
		writeFileSync(join(home, "one/CLAUDE.md"), "Not read.");
		writeFileSync(join(home, "two/CLAUDE.md"), "Blanks.");
		assert.deepEqual(await read("one"), [{ path: "AGENTS.md", text: "Tabs." }]);
		assert.deepEqual(await read("one", "two"), [
			{ path: "one/AGENTS.md", text: "Tabs." },
			{ path: "two/CLAUDE.md", text: "Blanks." },
		]);
	});

	it("are cut at 32 KB, and say so", async () => {
		writeFileSync(join(home, "one/AGENTS.md"), "é".repeat(20_000));
		const [instruction] = await read("one");
		assert.match(instruction?.text ?? "", /é\n\[Cut here: 7232 more bytes in the file\.\]$/);
	});

	it("are 64 KB together at most: folders after that have none", async () => {
		const names = ["one", "two", "three"];
		mkdirSync(join(home, "three"));
		for (const name of names) writeFileSync(join(home, name, "AGENTS.md"), "x".repeat(40_000));
		assert.deepEqual(
			(await read(...names)).map(({ path }) => path),
			["one/AGENTS.md", "two/AGENTS.md"],
		);
	});

	it("may be a link within the workspace, and not one that leads outside, to a secret, or a second name of a file", async () => {
		writeFileSync(join(home, "one/guide.md"), "Linked.");
		symlinkSync("guide.md", join(home, "one/AGENTS.md"));
		assert.deepEqual(await read("one"), [{ path: "AGENTS.md", text: "Linked." }]);
		writeFileSync(join(home, "outside.md"), "Secret.");
		writeFileSync(join(home, "two/.env"), "KEY=1");
		symlinkSync("../outside.md", join(home, "two/AGENTS.md"));
		symlinkSync(".env", join(home, "two/CLAUDE.md"));
		assert.deepEqual(await read("two"), []);
		rmSync(join(home, "two/AGENTS.md"));
		linkSync(join(home, "outside.md"), join(home, "two/AGENTS.md"));
		assert.deepEqual(await read("two"), []);
	});

	it("are none where the file is a folder, is empty or is not there", async () => {
		mkdirSync(join(home, "one/AGENTS.md"));
		writeFileSync(join(home, "two/AGENTS.md"), "");
		assert.deepEqual(await read("one", "two"), []);
	});
});
