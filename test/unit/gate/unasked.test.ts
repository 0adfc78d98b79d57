// Tests commands that run unasked: read-only commands, allowed egress, and the sandbox for each.
import assert from "node:assert/strict";
import type { Verdict } from "../../../src/core/ports/gate.ts";
import { authorize } from "../../../src/gate/authorize.ts";
import { type Asking, actor, command, decide, grant, line, makeWorld, planner, request, role, rules, tools } from "./world.ts";

const verdict = (asking: Asking): Verdict => authorize(request(asking));
const run = (text: string, asking: Asking = {}): Verdict => verdict({ tool: tools.run, command: line(...text.split(" && ")), ...asking });

describe("a command that only reads", () => {
	it("goes ahead in every mode, and asks where the person wants that", () => {
		for (const mode of ["ask", "plan", "edits", "auto"] as const) {
			assert.equal(run("ls -la", { mode }).decision, "allow");
			assert.equal(run("ls -la", { mode, readingCommands: "ask" }).decision, mode === "auto" ? "allow" : "ask");
		}
		assert.deepEqual(run("ls -la", { readingCommands: "ask" }).grants, [{ tool: "execute_command", class: "ls" }]);
	});

	it("is denied to a role that runs no commands, and allowed to one that runs them and cannot write", () => {
		const tester = role("Tester", "ReadFiles", "ExecuteCommands");
		assert.deepEqual([run("ls", { role: planner }).decision, run("ls", { role: planner }).layer], ["deny", "role"]);
		assert.equal(run("ls", { role: tester }).decision, "allow");
		assert.equal(run("npm test", { role: tester }).decision, "ask");
		assert.deepEqual([run("mkdir x", { role: tester }).decision, run("mkdir x", { role: tester }).layer], ["deny", "role"]);
		assert.equal(run("foo x", { role: tester, mode: "auto" }).decision, "ask");
	});

	it("does not lend its right to the command beside it, nor take it away", () => {
		assert.equal(run("ls && npm test").decision, "ask");
		assert.equal(run("ls && npm test", { grants: [grant("execute_command", "npm test", "h1")] }).decision, "allow");
		assert.equal(run("cat a && foo x", { mode: "auto" }).decision, "ask");
	});

	it("is kept in the read sandbox; with anything else beside it in that of the workspace", () => {
		const sandbox = { mode: "auto", works: true } as const;
		const grants = [grant("execute_command", "npm test", "h1")];
		assert.deepEqual(run("ls", { sandbox }).confine, { kind: "read", network: false, masked: [] });
		assert.deepEqual(run("ls && npm test", { sandbox, grants }).confine, { kind: "workspace", network: false, masked: [] });
		const writes = (line: string) => run(line, { sandbox, grants, mode: "auto" }).confine?.repository;
		assert.deepEqual([writes("git add a"), writes("git status && npm test"), writes("npm test")], [true, undefined, undefined]);
		assert.equal(run("ls", { sandbox: { mode: "auto", works: false } }).confine, undefined);
		assert.equal(run("ls", { sandbox: { mode: "off", works: true } }).confine, undefined);
		assert.equal(run("npm test", { sandbox }).confine, undefined);
	});

	it("asks where a sandbox is required and none works, with nothing that would last", () => {
		const required = { mode: "required", works: false } as const;
		assert.deepEqual([run("ls", { sandbox: required }).decision, run("ls", { sandbox: required }).grants], ["ask", []]);
		assert.equal(run("ls", { sandbox: { mode: "required", works: true } }).decision, "allow");
		const said = run("ls", { sandbox: { ...required, why: "No bubblewrap is installed." } }).reason;
		assert.match(said, / must run in a sandbox\. No bubblewrap is installed\.$/);
	});

	it("that asks a program of the project for its version needs the read sandbox for it", () => {
		assert.equal(run("node --version").decision, "allow");
		assert.equal(run("eslint --version").decision, "ask");
		assert.equal(run("eslint --version", { sandbox: { mode: "auto", works: true } }).decision, "allow");
		assert.equal(run("eslint --version", { sandbox: { mode: "off", works: true } }).decision, "ask");
	});
});

describe("the network in `auto`", () => {
	const works = { mode: "auto", works: true } as const;
	const auto = (text: string, asking: Asking = {}) => run(text, { mode: "auto", ...asking });

	it("is not reached by what fetches what it lacks, unless a rule or an approval lets it go", () => {
		const fetching = "cargo build|cargo test|go build|go list -m|mvn test|gradle test|dotnet build|swift build|flutter test".split("|");
		for (const text of fetching) {
			assert.equal(auto(text).decision, "ask", text);
			assert.equal(auto(text, { sandbox: { mode: "off", works: true } }).decision, "ask", text);
			assert.equal(auto(text, { sandbox: { mode: "auto", works: false } }).decision, "ask", text);
			const kept = auto(text, { sandbox: works });
			assert.deepEqual([kept.decision, kept.confine?.network], ["allow", false], text);
		}
		assert.equal(auto("cargo build", { grants: [grant("execute_command", "cargo build", "h1")] }).decision, "allow");
		assert.equal(auto("cargo build", { rules: rules({ allow: ["execute_command(cargo *)"] }) }).decision, "allow");
		const offline = "cargo build --offline|cargo fmt|go fmt ./...|mvn -o test|gradle --offline test|dotnet build --no-restore|make".split(
			"|",
		);
		for (const text of offline) assert.equal(auto(text).decision, "allow", text);
	});

	it("is given to what serves or fetches by an approval or a rule only", () => {
		for (const sandbox of [works, { mode: "off", works: true } as const]) assert.equal(auto("vite dev", { sandbox }).decision, "ask");
		const grants = [grant("execute_command", "vite dev", "h1")];
		assert.equal(auto("vite dev", { sandbox: works, grants }).confine?.network, true);
		const silent = role("Silent", "ReadFiles", "WriteFiles", "ExecuteCommands");
		assert.equal(auto("vite dev", { sandbox: works, grants, role: silent }).confine?.network, false);
	});

	it("is not given to what runs beside it in one line", () => {
		const allow = rules({ allow: ["execute_command(git fetch *)"] });
		const fetch = (text: string, asking: Asking = {}) => auto(text, { rules: allow, sandbox: works, ...asking });
		assert.equal(fetch("git fetch").confine?.network, true);
		assert.equal(fetch("git fetch && cat a && mkdir b").decision, "allow");
		assert.deepEqual([fetch("git fetch && make").decision, fetch("git fetch && make").grants], ["ask", []]);
		assert.equal(fetch("git fetch && npm test", { grants: [grant("execute_command", "npm test", "h1")] }).decision, "ask");
		assert.equal(fetch("git fetch && make", { sandbox: { mode: "off", works: true } }).decision, "allow");
	});
});

describe("a program that no table knows", () => {
	it("asks in every mode, unless a rule names it", () => {
		assert.equal(run("foo x", { mode: "auto" }).decision, "ask");
		assert.equal(run("foo x", { rules: rules({ allow: ["execute_command(foo *)"] }) }).decision, "allow");
		assert.equal(run("foo x", { rules: rules({ allow: ["execute_command(*)"] }) }).decision, "ask");
		assert.equal(run("find . -delete", { rules: rules({ allow: ["execute_command(find *)"] }) }).decision, "ask");
	});

	it("is approved for good by exactly its line, in its folder, as long as its file stays", async () => {
		const world = await makeWorld({ "ws/tool": "#!/bin/sh\n", "ws/sub/x": "" });
		const asked = await command(world, "./tool --flag x");
		const grants = asked.grants.map((one) => ({ ...grant(one.tool, one.class, one.scriptsHash), ...one }));
		assert.deepEqual(
			asked.grants.map(({ class: name, line: exactly }) => [name, exactly]),
			[["./tool --flag x", true]],
		);
		const again = async (text: string) => (await command(world, text, { grants })).decision;
		assert.equal(await again("./tool --flag x"), "allow");
		assert.equal(await again("./tool --flag y"), "ask");
		assert.equal(await again("cd sub && ../tool --flag x"), "ask");
		await import("node:fs/promises").then(({ writeFile }) => writeFile(`${world.root}/ws/tool`, "#!/bin/bash\n"));
		assert.equal(await again("./tool --flag x"), "ask");
		await world.dispose();
	});
});

describe("egress", () => {
	const visit: Asking = { tool: tools.fetch, url: "https://example.org/a", mode: "auto" };
	const outside = { ...tools.read, name: "mcp__a__b", external: { definitionHash: "h", readOnly: true } };

	it("asks for a new origin in auto, once in a session", () => {
		assert.equal(decide(visit), "ask");
		assert.equal(decide({ ...visit, destinations: ["https://example.org"] }), "allow");
		assert.equal(decide({ ...visit, destinations: ["https://example.org"], url: "https://example.org.:443/b" }), "allow");
		assert.equal(decide({ ...visit, destinations: ["https://example.org"], url: "https://example.org:444/" }), "ask");
		assert.equal(decide({ ...visit, grants: [grant("web_fetch", "https://example.org")] }), "allow");
	});

	it("asks for an outside tool's first call in auto, one that is marked as reading too", () => {
		assert.equal(decide({ tool: outside, mode: "auto" }), "ask");
		assert.equal(decide({ tool: outside, mode: "auto", destinations: ["h"] }), "allow");
		assert.equal(decide({ tool: outside, mode: "auto", destinations: ["other"] }), "ask");
	});

	it("goes by a rule that is about just this origin or this tool", () => {
		const allowed = (allow: string[], asking: Asking) => decide({ ...asking, rules: rules({ allow }) });
		assert.equal(allowed(["web_fetch(https://example.org)"], visit), "allow");
		assert.equal(allowed(["web_fetch(*.example.org)", "web_fetch(example.org)"], visit), "allow");
		assert.equal(allowed(["web_fetch"], visit), "ask");
		assert.equal(allowed(["web_fetch(*)"], visit), "ask");
		assert.equal(allowed(["mcp__a__b"], { tool: outside, mode: "auto" }), "allow");
		assert.equal(allowed(["mcp__a__*"], { tool: outside, mode: "auto" }), "ask");
	});

	it("goes by a rule about more than that once the place is known to the session, in every mode", () => {
		for (const mode of ["ask", "plan", "edits", "auto"] as const) {
			const allowed = (allow: string, asking: Asking) => decide({ ...asking, mode, rules: rules({ allow: [allow] }) });
			for (const rule of ["web_fetch", "web_fetch(*)"]) {
				assert.equal(allowed(rule, visit), "ask");
				assert.equal(allowed(rule, { ...visit, destinations: ["https://example.org"] }), "allow");
				assert.equal(allowed(rule, { ...visit, grants: [grant("web_fetch", "https://example.org")] }), "allow");
			}
			assert.equal(allowed("mcp__*", { tool: outside }), "ask");
			assert.equal(allowed("mcp__*", { tool: outside, destinations: ["h"] }), "allow");
		}
	});

	it("is denied by host, whatever dots and letters it is written with", () => {
		const denied = (deny: string, url: string) => decide({ tool: tools.fetch, url, rules: rules({ deny: [deny] }), role: actor });
		assert.equal(denied("web_fetch(example.org)", "https://example.org./x"), "deny");
		assert.equal(denied("web_fetch(*.example.org)", "https://a.EXAMPLE.org../x"), "deny");
		assert.equal(denied("web_fetch(bücher.example)", "https://xn--bcher-kva.example/"), "deny");
		assert.equal(denied("web_fetch(xn--bcher-kva.example)", "https://bücher.example/"), "deny");
		assert.equal(denied("web_fetch(localhost:3000)", "http://localhost:3000/"), "deny");
		assert.equal(denied("web_fetch(example.org)", "https://example.com/"), "ask");
	});
});

describe("a rule that denies a program", () => {
	const deny = rules({ deny: ["execute_command(rm)"], allow: ["execute_command(*)"] });

	it("sees it wherever it can be one", async () => {
		const world = await makeWorld({ "ws/a": "" });
		for (const text of [
			...[
				"rm a",
				"/bin/rm a",
				"RM a",
				"\\rm a",
				"r''m a",
				"$'rm' a",
				"$'\\x72m' a",
				"env rm a",
				"sudo -u x rm a",
				"timeout 5 rm a",
				"nice rm a",
			],
			...[
				"bash -c 'rm a'",
				"bash -c \"bash -c 'rm a'\"",
				"eval rm a",
				"xargs rm",
				"ls | xargs rm",
				"find . -exec rm {} +",
				"foo --run rm a",
				"foo 'rm a'",
			],
			...[
				"echo $(rm a)",
				"echo `rm a`",
				"if true; then rm a; fi",
				"x=rm; rm a",
				"{ rm a; }",
				"(rm a)",
				"! rm a",
				"bash <<< 'rm a'",
				'r$X""m a',
			],
			...[
				"npm exec rm a",
				"npx rm a",
				"time rm a",
				"ls\nrm a",
				"A=b rm a",
				">x rm a",
				"rm$IFS-rf a",
				"{rm,a}",
				`${"a ".repeat(30_000)}; rm a`,
			],
		]) {
			assert.equal((await command(world, text, { rules: deny })).decision, "deny", text.slice(0, 80));
		}
		await world.dispose();
	});

	it("does not count where the word is an operand of a program that is known", async () => {
		const world = await makeWorld({ "ws/src/a": "rm\n" });
		for (const text of ["grep rm src/a", "grep -rn rm src", "echo rm", "cat src/a | grep rm"]) {
			assert.equal((await command(world, text, { rules: deny })).decision, "allow", text);
		}
		await world.dispose();
	});
});
