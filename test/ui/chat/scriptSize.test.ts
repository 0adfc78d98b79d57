// The sizes of the pages' scripts, which delay their first frame.
import assert from "node:assert/strict";
import { builtSize } from "../browser.ts";

/** In bytes; a schema library alone would exceed each. */
const LIMITS = { "webview.js": 400_000, "agents.js": 320_000 };

it("the script of the chat is at most 400,000 bytes", () => {
	const bytes = builtSize("webview.js");
	assert.ok(bytes <= LIMITS["webview.js"], `${bytes} bytes`);
});

it("the script of Manage Agents is at most 320,000 bytes", () => {
	const bytes = builtSize("agents.js");
	assert.ok(bytes <= LIMITS["agents.js"], `${bytes} bytes`);
});
