// Tests that only paths of workspace files become links.
import assert from "node:assert/strict";
import { filterWorkspaceFiles } from "../../../src/chat/openActions.ts";
import { closeTestSessions, FILES, openTestSession } from "../session/testSession.ts";

describe("paths in texts", () => {
	afterEach(closeTestSessions);

	it("are links where they are files of the workspace, and never lead out of it", async () => {
		const { app } = await openTestSession([], { files: FILES });
		const outside = [
			"/etc/passwd",
			"../../etc/passwd",
			"src/../../x",
			"~/.ssh/id_rsa",
			"file:///etc/passwd",
			"src\\hello.ts",
			"src/he\u202ello.ts",
			"",
		];
		const asked = ["src/hello.ts", "README.md", "src", "src/none.ts", ...outside];
		assert.deepEqual(await filterWorkspaceFiles(app.services.window.workspace, asked), ["src/hello.ts", "README.md"]);
	});
});
