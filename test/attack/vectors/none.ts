// Says what was found that should not be there, one a line, and once.
import assert from "node:assert/strict";

export function none(found: readonly string[]): void {
	assert.ok(found.length === 0, `${found.length} found:\n${found.map((line) => `        ${line}`).join("\n")}`);
}
