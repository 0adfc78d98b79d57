// Tests where a code block is applied in a file, shown as a diff before anything is written.
import assert from "node:assert/strict";
import { proposeCode } from "../../../src/integrations/codeProposal.ts";

const FILE = [
	"import { a } from './a';",
	"",
	"export class Cart {",
	"\ttotal() {",
	"\t\treturn 1;",
	"\t}",
	"",
	"\tcount() {",
	"\t\treturn 2;",
	"\t}",
	"}",
	"",
].join("\n");

describe("a block of code applied to a file", () => {
	it("takes the place of the selection", () => {
		const at = FILE.indexOf("return 1;");
		assert.equal(proposeCode(FILE, "return 10;\n", { from: at, to: at + 9 }), FILE.replace("return 1;", "return 10;"));
	});

	it("takes the place of the function that it begins and ends like, as deep as that stands", () => {
		assert.equal(proposeCode(FILE, "count() {\n\treturn 3;\n}\n"), FILE.replace("return 2;", "return 3;"));
	});

	it("is the whole file where it is about as long as that", () => {
		const whole = FILE.replaceAll("import { a } from './a';", "import { b } from './b';").replace("\n}\n", "\n} // end\n");
		assert.equal(proposeCode(FILE, whole), whole);
		assert.equal(proposeCode("", "const a = 1;\n"), "const a = 1;\n");
	});

	it("goes to the cursor or the end where nothing tells its place, and never takes a line away", () => {
		assert.equal(proposeCode(FILE, "const z = 1;\n", { from: 0, to: 0 }), `const z = 1;\n${FILE}`);
		assert.equal(proposeCode(FILE, "const z = 1;\n"), `${FILE}const z = 1;\n`);
	});

	it("keeps the file's line ends", () => {
		const crlf = FILE.replaceAll("\n", "\r\n");
		assert.equal(proposeCode(crlf, "count() {\n\treturn 3;\n}\n"), crlf.replace("return 2;", "return 3;"));
	});
});
