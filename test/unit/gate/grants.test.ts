// The layer of standing approvals: what is offered to be remembered, and what it lets through.
import assert from "node:assert/strict";
import type { CommandFacts, Verdict } from "../../../src/core/ports/gate.ts";
import { authorize } from "../../../src/gate/authorize.ts";
import { type Asking, decide, file, grant, line, request, tools } from "./world.ts";

/** The same line, its commands bound to something else; to nothing where what defines them cannot be read. */
function boundTo(fact: CommandFacts, hash: string | undefined): CommandFacts {
	const commands = fact.commands.map(({ boundTo: _, class: name, ...rest }) =>
		hash === undefined ? { ...rest, asks: "it is" } : { ...rest, ...(name !== undefined && { class: name }), boundTo: hash },
	);
	return { ...fact, commands };
}

describe("grants", () => {
	const offered = (...commands: string[]): Verdict["grants"] => authorize(request({ tool: tools.run, command: line(...commands) })).grants;

	it("cover program and sub-command, one for each part of a line", () => {
		assert.deepEqual(offered("cd src", "npm test"), [{ tool: "execute_command", class: "npm test", scriptsHash: "h1" }]);
		assert.deepEqual(offered("git add a", "git commit -m x"), [
			{ tool: "execute_command", class: "git add" },
			{ tool: "execute_command", class: "git commit" },
		]);
		assert.deepEqual(offered("npm run build -- --fix"), [{ tool: "execute_command", class: "npm run build", scriptsHash: "h1" }]);
		assert.deepEqual(offered("tsc --noEmit"), [{ tool: "execute_command", class: "tsc", scriptsHash: "h1" }]);
		assert.deepEqual(offered("ls -la"), []);
	});

	it("are never offered for what could be anything", () => {
		const never = ["bash x", "sh -c x", "node -e 0", "npm install", "npx x", "pip install x", "rm x", "curl x", "env ls"];
		for (const text of [...never, "./x", "git push", "git reset --hard", "eval x", "sudo ls", "find . -delete", "cargo install x"]) {
			assert.deepEqual(offered(text), [], text);
			assert.deepEqual(offered("ls", text), [], text);
			assert.equal(
				decide({
					tool: tools.run,
					command: line(text),
					grants: [grant("execute_command", text), grant("execute_command", text.split(" ")[0] ?? "")],
				}),
				"ask",
			);
		}
	});

	it("let through exactly their agent, tool, class and workspace", () => {
		const asking = (change: object, text = "git add a") =>
			decide({ tool: tools.run, command: line(text), grants: [{ ...grant("execute_command", "git add"), ...change }] });
		assert.equal(asking({}), "allow");
		assert.equal(asking({}, "git add b c"), "allow");
		assert.equal(asking({}, "git commit"), "ask");
		assert.equal(asking({}, "git addx"), "ask");
		for (const change of [{ agent: "other" }, { tool: "other" }, { class: "git" }, { workspace: "other" }])
			assert.equal(asking(change), "ask");
	});

	it("on a script die when package.json's scripts change", () => {
		const command = line("cd src", "npm test");
		const grants = [grant("execute_command", "npm test", "h1")];
		assert.equal(decide({ tool: tools.run, command, grants }), "allow");
		assert.equal(decide({ tool: tools.run, command: boundTo(command, "h2"), grants }), "ask");
		assert.equal(decide({ tool: tools.run, command, grants: [grant("execute_command", "npm test")] }), "ask");
	});

	it("on a script are neither offered nor counted where nobody can say what the scripts are", () => {
		const command = boundTo(line("npm test"), undefined);
		const verdict = authorize(request({ tool: tools.run, command, grants: [grant("execute_command", "npm test")] }));
		assert.deepEqual([verdict.decision, verdict.grants], ["ask", []]);
	});

	it("cover a tool for edits, an origin for fetches, a definition for tools from outside", () => {
		const edit: Asking = { tool: tools.update, paths: [file("a", "write")] };
		assert.deepEqual(authorize(request(edit)).grants, [{ tool: "update_file", class: "update_file" }]);
		assert.equal(decide({ ...edit, grants: [grant("update_file", "update_file")] }), "allow");
		assert.equal(decide({ ...edit, paths: [file(".env", "write")], grants: [grant("update_file", "update_file")] }), "ask");
		const visit: Asking = { tool: tools.fetch, url: "https://example.org/a?b" };
		assert.deepEqual(authorize(request(visit)).grants, [{ tool: "web_fetch", class: "https://example.org" }]);
		assert.equal(decide({ ...visit, grants: [grant("web_fetch", "https://example.org")] }), "allow");
		assert.equal(decide({ ...visit, url: "https://example.org:444/", grants: [grant("web_fetch", "https://example.org")] }), "ask");
		assert.deepEqual(authorize(request({ ...visit, url: "nonsense" })).grants, []);
		const tool = { ...tools.read, name: "mcp__a__b", external: { definitionHash: "h", readOnly: false } };
		assert.deepEqual(authorize(request({ tool })).grants, [{ tool: "mcp__a__b", class: "h", external: true }]);
		assert.equal(decide({ tool, grants: [grant("mcp__a__b", "h")] }), "allow");
		assert.equal(decide({ tool, grants: [grant("mcp__a__b", "other")] }), "ask");
	});

	it("are not offered where a place is protected or something is deleted", () => {
		const cases: Asking[] = [
			{ tool: tools.update, paths: [file(".vscode/x", "write")] },
			{ tool: tools.remove, paths: [file("a", "delete")], grants: [grant("delete_file", "delete_file")] },
			{ tool: tools.read, paths: [file(".env", "read")], grants: [grant("read_file", "read_file")] },
		];
		for (const asking of cases) {
			const verdict = authorize(request(asking));
			assert.deepEqual([verdict.decision, verdict.grants], ["ask", []]);
		}
	});
});
