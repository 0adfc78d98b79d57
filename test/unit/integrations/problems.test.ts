// Tests the messages of "Fix with Troupe" and "Explain with Troupe".
import assert from "node:assert/strict";
import { findLineRange, formatProblemMessage } from "../../../src/integrations/problemMessages.ts";

describe("a problem that is handed to the agent", () => {
	it("comes with its file, its lines and its words", () => {
		const problem = { line: 12, message: "Cannot find name\n  'x'.", source: "ts", code: "2304" };
		assert.equal(
			formatProblemMessage("fix", "@src/cart.ts:12", [problem]),
			"Fix this problem in @src/cart.ts:12:\n```\n- line 12: Cannot find name 'x'. (ts 2304)\n```",
		);
		assert.match(formatProblemMessage("explain", "@src/cart.ts:12", [problem]), /^Explain this problem .* without changing anything:/);
	});

	it("comes with the others at that place, as far as they fit", () => {
		const many = Array.from({ length: 14 }, (_, index) => ({ line: index + 1, message: `number ${index}` }));
		const said = formatProblemMessage("fix", "@a.ts:1-14", many);
		assert.match(said, /^Fix these problems in @a\.ts:1-14:/);
		assert.match(said, /and 4 more\n```$/);
	});

	it("covers the lines from the first to the last", () => {
		assert.deepEqual(
			findLineRange([
				{ line: 5, endLine: 5 },
				{ line: 2, endLine: 9 },
			]),
			[2, 9],
		);
	});
});
