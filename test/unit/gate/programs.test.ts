// Tests the assessment of commands from the program tables alone.
import assert from "node:assert/strict";
import type { Assessment, Invocation } from "../../../src/gate/programs/assessment.ts";
import { readOnlyPrograms } from "../../../src/gate/programs/lookup.ts";

function call(words: readonly string[], more: Partial<Invocation> = {}): Invocation {
	return { words, flavor: "gnu", unknown: new Set(), ...more };
}

function judged(line: string, more: Partial<Invocation> = {}): Assessment {
	const words = line.split(" ");
	const judge = readOnlyPrograms[words[0] as string];
	assert.ok(judge, `no table knows ${words[0]}`);
	return judge(call(words, more));
}

describe("a table", () => {
	it("lets a program go whose every flag it knows, and names what it reads", () => {
		assert.deepEqual(judged("cat -n a b"), {
			reads: true,
			class: "cat",
			operands: [
				{ word: "a", use: "read", reach: { kind: "tree" } },
				{ word: "b", use: "read", reach: { kind: "tree" } },
			],
		});
	});

	it("asks for a flag it does not know, an abbreviated one, and one of another family of tools", () => {
		for (const line of ["cat --frobnicate a", "cat --show-al a", "cat -l a"]) assert.ok(judged(line).always, line);
		assert.equal(judged("cat -l a", { flavor: "bsd" }).always, undefined);
	});

	it("takes a flag behind an operand for a flag only where flags count there", () => {
		assert.equal(judged("cat a -n").always, undefined);
		assert.ok(judged("cat a -n", { flavor: "bsd" }).always);
	});

	it("asks for words that only the shell could know", () => {
		assert.ok(judged("cat $X", { unknown: new Set([1]) }).always);
	});
});
