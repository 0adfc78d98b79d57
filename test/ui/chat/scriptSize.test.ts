// The size of the chat's script, which delays its first frame.
import assert from "node:assert/strict";
import { builtSize } from "../browser.ts";

const MAX_BYTES = 400_000;

it("the script of the chat is at most 400,000 bytes", () => {
	const bytes = builtSize("webview.js");
	assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
});
