// Names of scripts that would read as words of the sentence on the card.
import assert from "node:assert/strict";
import { assessKnownProgram } from "../../../src/gate/knownPrograms.ts";
import { defaultFlavor } from "../../../src/gate/programs/lookup.ts";

const classOf = (...words: string[]) => assessKnownProgram({ words, unknown: new Set(), flavor: defaultFlavor() })?.class;

describe("scripts whose names hold blanks or line ends", () => {
	it("have no class that could be kept: it would read as another, or as the end of the sentence", () => {
		for (const name of ["test in this session", "a b", "x\ny", "test (until", "a\u00a0b"]) {
			for (const program of ["npm", "pnpm", "yarn", "bun"]) assert.equal(classOf(program, "run", name), undefined, `${program} ${name}`);
		}
		assert.equal(classOf("npm", "run", "build:prod"), "npm run build:prod");
	});
});
