// Replaces a folder with a link between the permission to search it and the search.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGate } from "../../../src/gate/gate.ts";
import { createWorkspaceFiles } from "../../../src/platform/files/files.ts";
import { createSearch } from "../../../src/platform/search/search.ts";
import { createToolContext } from "../../../src/session/turn/call/toolContext.ts";
import { searchCode } from "../../../src/tools/searchCode.ts";

describe("a search of a folder that becomes a link out of the workspace", () => {
	let root = "";
	beforeEach(() => {
		root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-searched-")));
	});
	afterEach(() => rmSync(root, { recursive: true, force: true }));

	it("shows nothing of what the link leads to", async () => {
		const [folder, moved, outside] = [join(root, "ws", "src"), join(root, "ws", "moved"), join(root, "outside")];
		mkdirSync(folder, { recursive: true });
		mkdirSync(outside);
		writeFileSync(join(outside, "notes.txt"), "the secret\n");
		const folders = () => [{ name: "ws", path: join(root, "ws") }];
		const files = createWorkspaceFiles(folders);
		const search = createSearch({ folders, programs: { ripgrepPath: async () => undefined, gitOutput: async () => undefined } } as never);
		let searched = 0;
		const workspace = {
			...files,
			folders,
			find: search.find,
			search(query: never, signal: AbortSignal) {
				searched += 1;
				renameSync(folder, moved);
				symlinkSync(outside, folder);
				return search.search(query, signal);
			},
		};
		const gate = createGate({ disk: files, folders, storage: [join(root, "storage")], parser: "" });
		const facts = { paths: [await gate.path("src", "read")] };
		const turn = { workspace, gate, signal: new AbortController().signal, services: {}, files: { show() {}, get() {}, set() {} } };
		const context = createToolContext(turn as never, searchCode, "call", facts);
		const result = await searchCode.run?.({ pattern: "secret", path: "src" } as never, context);
		assert.equal(searched, 1);
		assert.doesNotMatch(result?.output ?? assert.fail("it did not run"), /the secret/);
	});
});
