// Command lines against the tables alone: attacks, everyday commands and our own, each with the judgement it must get.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { ProgramFlavor } from "../../../src/core/ports/workspace/programs.ts";
import { verdict } from "./judged.ts";

/** By family and line: kind of judgement, then its operands where it does not ask. */
const lines: Record<ProgramFlavor, Record<string, string>> = JSON.parse(readFileSync("test/fixtures/gate/judged.json", "utf8"));

/** What a line that asks anyway takes for paths does not matter. */
function got(line: string, flavor: ProgramFlavor): string {
	const said = verdict(line, flavor);
	return /^(?:always|asks) /.test(said) ? (said.split(" ")[0] as string) : said;
}

describe("the tables", () => {
	for (const flavor of ["gnu", "bsd", "busybox"] as const) {
		it(`judge every line as they must, of ${flavor}`, () => {
			const entries = Object.keys(lines[flavor]);
			assert.ok(entries.length > 20);
			assert.deepEqual(Object.fromEntries(entries.map((line) => [line, got(line, flavor)])), lines[flavor]);
		});
	}

	it("see the words of a line whatever separates them", () => {
		assert.equal(got("sed '$!{w PWNED\n}' victim", "gnu"), "always");
		assert.equal(got("sed 's/x/y/;#\nw PWNED' victim", "gnu"), "always");
		assert.equal(got("sed 's/a/b\\\nw c/' victim", "gnu"), "reads victim/tree");
	});
});
