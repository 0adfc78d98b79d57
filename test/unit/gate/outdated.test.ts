// Approvals of before: those that today's rules would offer alike stay, the others say why they do not.
import assert from "node:assert/strict";
import { outdated } from "../../../src/gate/grants.ts";
import { narrowed } from "../../../src/gate/rules.ts";
import { builtinTools } from "../../../src/tools/builtinTools.ts";

const stored = (name: string, scriptsHash?: string) =>
	outdated({ tool: "execute_command", class: name, ...(scriptsHash !== undefined && { scriptsHash }) }) === undefined;

describe("an approval of before", () => {
	it("stays where it would be offered alike today", () => {
		for (const name of ["cp", "mv", "touch", "mkdir", "chmod", "git add", "git mv", "npm ls", "ls", "cat"]) assert.ok(stored(name), name);
		for (const name of ["npm test", "npm run lint", "pnpm test", "cargo test", "make", "tsc"]) assert.ok(stored(name, "h"), name);
		assert.equal(outdated({ tool: "update_file", class: "update_file" }), undefined);
		assert.equal(outdated({ tool: "web_fetch", class: "https://example.org" }), undefined);
		assert.equal(outdated({ tool: "mcp__a__b", class: "h", external: true }), undefined);
		assert.equal(outdated({ tool: "execute_command", class: "foo --x", line: true, scriptsHash: "h" }), undefined);
	});

	it("does not count where nothing says what it is bound to, or where the command asks every time now", () => {
		for (const name of ["npm test", "cargo test", "make test", "tsc"]) assert.ok(!stored(name), name);
		for (const name of ["foo", "curl", "rm", "npm install", "env touch", "node -e"]) assert.ok(!stored(name), name);
	});
});

describe("an allow rule of before", () => {
	const why = (rule: string) => narrowed(rule, builtinTools());

	it("says what it no longer lets go ahead by itself", () => {
		for (const rule of ["*", "execute_command", "execute_*", "execute_command(*)", "execute_command(* test)"]) {
			assert.match(why(rule) ?? "", /doesn't specify a program/, rule);
		}
		for (const rule of ["web_fetch", "web_*", "web_fetch(*)"]) assert.match(why(rule) ?? "", /doesn't specify an origin/, rule);
		for (const rule of ["mcp__*", "mcp__docs__*", "m*"]) assert.match(why(rule) ?? "", /doesn't specify a single tool/, rule);
	});

	it("says that it allows no more where More than six wildcards", () => {
		assert.match(why("*u*p*d*a*t*e*") ?? "", /allows nothing: More than 6 wildcards/);
		assert.match(why("update_file(*a*b*c*d*e*f*g)") ?? "", /allows no paths: More than 6 wildcards/);
		assert.equal(why("execute_command(foo *a*b*c*d*e*f*g)"), undefined);
	});

	it("has nothing to say where it names what it is about", () => {
		const rules = [
			"execute_command(npm *)",
			"execute_command(foo)",
			"web_fetch(example.org)",
			"mcp__docs__search",
			"update_file(src/**)",
			"update_*",
			"read_file",
			"(",
			"",
		];
		for (const rule of rules) assert.equal(why(rule), undefined, rule);
	});
});
