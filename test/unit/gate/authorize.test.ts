// The layers of the gate, one after another, and that none widens what one above has narrowed.

import assert from "node:assert/strict";
import type { PathFacts } from "../../../src/core/ports/tool.ts";
import type { ApprovalMode } from "../../../src/core/role.ts";
import { authorize, offers } from "../../../src/gate/authorize.ts";
import { type Asking, actor, agent, decide, file, grant, line, planner, request, role, rules, tools } from "./world.ts";

const everything: Asking = {
	mode: "auto",
	planRuns: true,
	rules: rules({ allow: ["*"] }),
	grants: Object.values(tools).map(({ name }) => grant(name, name)),
};
const modes: ApprovalMode[] = ["ask", "plan", "edits", "auto"];

describe("an address that only a proxy knows", () => {
	const call: Asking = { tool: tools.fetch, url: "https://inside.example/a", unchecked: true };

	it("asks whatever is allowed, says why, and offers nothing that lasts", () => {
		for (const mode of modes) {
			for (const allow of [["*"], ["web_fetch"], ["web_fetch(https://inside.example)"]]) {
				const verdict = authorize(request({ ...everything, rules: rules({ allow }), ...call, mode }));
				assert.deepEqual([verdict.decision, verdict.grants], ["ask", []], `${mode} ${allow}`);
				assert.match(verdict.reason, /Only your proxy can resolve this address/);
			}
		}
	});

	it("asks once in a session", () => {
		assert.equal(authorize(request({ ...everything, ...call, destinations: ["https://inside.example"] })).decision, "allow");
	});
});

describe("the role", () => {
	it("of a planner changes nothing, whatever is granted, allowed and approved", () => {
		const calls: Asking[] = [
			{ tool: tools.update, paths: [file("a", "write")] },
			{ tool: tools.create, paths: [file("a", "create")] },
			{ tool: tools.remove, paths: [file("a", "delete")] },
			{ tool: tools.rename, paths: [file("a", "write"), file("b", "create")] },
			{ tool: tools.patch, paths: [file("a", "delete")] },
			{ tool: tools.run, command: line("ls"), grants: [grant("execute_command", "ls")] },
			{ tool: tools.fetch, url: "https://example.org/" },
			{ tool: { ...tools.read, name: "mcp__a__b", external: { definitionHash: "h", readOnly: false } } },
			{ tool: tools.read, paths: [file("a", "write")] },
			{ tool: tools.read, command: line("ls") },
			{ tool: tools.read, url: "https://example.org/" },
		];
		for (const call of calls) {
			for (const mode of modes) {
				const verdict = authorize(request({ ...everything, role: planner, ...call, mode }));
				assert.deepEqual([verdict.decision, verdict.layer, verdict.grants], ["deny", "role", []], JSON.stringify(call));
			}
			assert.notEqual(authorize(request({ ...everything, ...call })).layer, "role");
		}
	});

	it("says in a sentence what it may not do, and where to go", () => {
		assert.deepEqual(authorize(request({ role: planner, tool: tools.update, paths: [file("a", "write")] })), {
			decision: "deny",
			layer: "role",
			reason: "The Planner role can't change files. Switch to another role to do this.",
			rule: "WriteFiles",
			lacks: ["WriteFiles"],
			grants: [],
		});
	});

	it("names all permissions that are missing, unless the agent's lists exclude the tool as well", () => {
		const call = { role: planner, tool: tools.update, paths: [file("a", "write"), file("b", "create")] };
		assert.deepEqual(authorize(request(call)).lacks, ["WriteFiles", "CreateFiles"]);
		const agent = { agentId: "reader", displayName: "Reader", toolAllowlist: ["read_*"] };
		assert.equal(authorize(request({ ...call, agent })).lacks, undefined);
	});

	it("counts for every path's use, not only for what the tool declares", () => {
		const writer = role("Writer", "ReadFiles", "WriteFiles");
		assert.equal(decide({ ...everything, role: writer, tool: tools.patch, paths: [file("a", "write")] }), "allow");
		assert.equal(decide({ ...everything, role: writer, tool: tools.patch, paths: [file("a", "write"), file("b", "create")] }), "deny");
	});

	it("of a delegated run is cut to what the asker may give", () => {
		assert.equal(decide({ ...everything, ceiling: ["ReadFiles"], tool: tools.update, paths: [file("a", "write")] }), "deny");
		assert.equal(decide({ ceiling: ["ReadFiles"], paths: [file("a", "read")] }), "allow");
		assert.equal(
			decide({ ...everything, role: planner, ceiling: actor.permissions, tool: tools.update, paths: [file("a", "write")] }),
			"deny",
		);
	});

	it("that calls an agent behind HTTP needs the network among what it may give, and nothing else of that", () => {
		const message = { ...tools.read, name: "agents_message", permissions: ["Delegate"] as const };
		const call = { tool: message, url: "https://agents.example/in", peer: "b" };
		const commander = { ...role("Commander", "ReadFiles", "Delegate"), ceiling: actor.permissions };
		assert.equal(decide({ ...call, role: commander }), "ask");
		assert.equal(decide({ ...call, role: commander, ceiling: ["ReadFiles", "Delegate"] }), "deny");
		assert.equal(decide({ ...call, role: role("Planner", "ReadFiles", "Delegate") }), "deny");
		assert.equal(decide({ ...call, role: { ...actor, ceiling: ["ReadFiles", "Delegate"] } }), "deny");
		assert.equal(decide({ role: commander, tool: tools.fetch, url: "https://agents.example/in" }), "deny");
		assert.equal(decide({ role: commander, tool: tools.update, paths: [file("a", "write")], peer: "b" }), "deny");
	});

	it("lets tools on our own storage pass, and external ones that the person marked as reading", () => {
		const outside = { ...tools.read, name: "mcp__a__b", permissions: ["ExternalTools"] as const };
		assert.equal(decide({ role: role("Nobody"), tool: tools.plan }), "allow");
		assert.equal(decide({ role: planner, tool: { ...outside, external: { definitionHash: "h", readOnly: true } } }), "ask");
		assert.equal(decide({ role: planner, tool: { ...outside, external: { definitionHash: "h", readOnly: false } } }), "deny");
	});

	it("chooses by the same rules what a model is offered", () => {
		const offered = Object.values(tools).filter((tool) => offers({ agent, role: planner, tool }));
		assert.deepEqual(
			offered.map(({ name }) => name),
			["read_file", "search_code", "present_plan"],
		);
		assert.equal(offers({ agent, role: actor, ceiling: ["ReadFiles"], tool: tools.run }), false);
	});
});

describe("an agent's scope", () => {
	const scoped = (lists: object): Asking => ({ ...everything, agent: { ...agent, ...lists }, paths: [file("a", "read")] });
	const cases: [string, object, "allow" | "deny"][] = [
		["no lists", {}, "allow"],
		["null lists", { toolAllowlist: null, toolDenylist: null, capabilityAllowlist: null, capabilityDenylist: null }, "allow"],
		["an empty allowlist", { toolAllowlist: [] }, "deny"],
		["an allowlist that has it", { toolAllowlist: ["read_*"] }, "allow"],
		["an allowlist of alternatives", { toolAllowlist: ["{write,[r]ead}_file"] }, "allow"],
		["an allowlist that lacks it", { toolAllowlist: ["write_*"] }, "deny"],
		["deny after allow", { toolAllowlist: ["*"], toolDenylist: ["read_file"] }, "deny"],
		["a capability that is allowed", { capabilityAllowlist: ["files.*"] }, "allow"],
		["a capability that is not", { capabilityAllowlist: ["lists.*"] }, "deny"],
		["a capability that is denied", { capabilityDenylist: ["files.read"] }, "deny"],
		["a deny pattern that cannot be read", { toolDenylist: ["x".repeat(300)] }, "deny"],
		["a deny pattern whose brace nothing closes", { toolDenylist: ["{notes_write,notes_read"] }, "deny"],
		["a deny pattern whose bracket nothing closes", { toolDenylist: ["x[ab"] }, "deny"],
		["a deny pattern whose brace nothing opens", { toolDenylist: ["x,y}"] }, "deny"],
		["an allow pattern that cannot be read", { toolAllowlist: ["**/**/**/**/**/x"] }, "deny"],
		["an extglob, which is off", { toolAllowlist: ["+(read_file)"] }, "deny"],
		["an allowlist of all but another", { toolAllowlist: ["!write_file"] }, "allow"],
		["an allowlist of all but this one", { toolAllowlist: ["!read_file"] }, "deny"],
		["a denylist of all but another", { toolDenylist: ["!write_file"] }, "deny"],
		["a comment, which is off", { toolDenylist: ["#read_file"] }, "allow"],
	];

	for (const [name, lists, want] of cases) it(`with ${name}: ${want}`, () => assert.equal(decide(scoped(lists)), want));

	it("exempts system tools and the plan, but never from the role", () => {
		const closed = { ...agent, toolAllowlist: [], capabilityAllowlist: [] };
		assert.equal(decide({ agent: closed, tool: tools.plan }), "allow");
		assert.equal(decide({ agent: closed, tool: { ...tools.read, name: "system_read" } }), "allow");
		assert.equal(decide({ agent: closed, role: planner, tool: { ...tools.update, name: "system_write" } }), "deny");
		assert.equal(decide({ agent: closed, role: planner, tool: { ...tools.update, plugin: "plan" } }), "deny");
	});
});

describe("a person's rules", () => {
	const run = (lists: Parameters<typeof rules>[0], ...commands: string[]) =>
		decide({ tool: tools.run, command: line(...commands), rules: rules(lists), readingCommands: "ask" });
	const allow = (rule: string, ...commands: string[]) => run({ allow: [rule] }, ...commands);

	it("match words, not strings", () => {
		const rule = "execute_command(git log *)";
		for (const text of ["git log", "git log -3"]) assert.equal(allow(rule, text), "allow", text);
		for (const text of ["git logout", "git -c x log", "./git log", "GIT log", "git", "gitlog"])
			assert.equal(allow(rule, text), "ask", text);
		assert.equal(allow("execute_command(git log)", "git log -3"), "ask");
		assert.equal(allow("execute_command(ls *)", "LS"), "ask");
		assert.equal(allow("execute_command(tsc*)", "tsc-evil"), "allow");
		assert.equal(allow("execute_command(npm run test:*)", "npm run test:unit"), "allow");
		assert.equal(allow("execute_command(npm run test:*)", "npm run build"), "ask");
	});

	it("allow only what they cover whole", () => {
		assert.equal(run({ allow: ["execute_command(ls *)"] }, "ls", "touch x"), "ask");
		assert.equal(run({ allow: ["execute_command(ls *)", "execute_command(touch *)"] }, "ls", "touch x"), "allow");
		const edit = (pattern: string, ...paths: string[]) =>
			decide({ tool: tools.update, paths: paths.map((path) => file(path, "write")), rules: rules({ allow: [`update_file(${pattern})`] }) });
		assert.equal(edit("src/**", "src/a.ts", "src/b/c.ts"), "allow");
		assert.equal(edit("src/**", "src/a.ts", "lib/a.ts"), "ask");
		assert.equal(edit("SRC/**", "src/a.ts"), "allow");
		assert.equal(edit("**/*.ts", "src/.hidden/a.ts"), "allow");
		const linked = file("src/a.ts", "write", { real: "/ws/lib/a.ts", realInside: "lib/a.ts" });
		assert.equal(decide({ tool: tools.update, paths: [linked], rules: rules({ allow: ["update_file(src/**)"] }) }), "ask");
	});

	it("deny and ask as soon as one part matches, and count in that order", () => {
		assert.equal(run({ deny: ["execute_command(rm *)"], allow: ["*"] }, "ls", "rm x"), "deny");
		assert.equal(run({ ask: ["execute_command(npm *)"], allow: ["*"] }, "ls", "npm test"), "ask");
		assert.equal(run({ deny: ["execute_command(npm *)"], ask: ["execute_command"], allow: ["*"] }, "npm test"), "deny");
		const read = (deny: string, path: PathFacts) => decide({ paths: [path], rules: rules({ deny: [deny] }) });
		assert.equal(read("read_file(secret/**)", file("secret/a", "read")), "deny");
		assert.equal(read("*(SECRET/**)", file("secret/a", "read")), "deny");
		assert.equal(read("read_file(secret/**)", file("secret", "read")), "deny");
		assert.equal(read("read_file(secret/**)", file("x", "read", { real: "/ws/secret/a", realInside: "secret/a" })), "deny");
		assert.equal(read("read_file(secret/**)", file("public/a", "read")), "allow");
		assert.equal(read("write_*", file("a", "read")), "allow");
	});

	it("with more than six wildcards still deny and ask, and allow nothing but words", () => {
		const edit = (lists: Parameters<typeof rules>[0], mode: ApprovalMode = "edits") =>
			decide({ tool: tools.update, paths: [file("abcdefg", "write")], mode, rules: rules(lists) });
		const seven = ["update_file(*a*b*c*d*e*f*g)", "*u*p*d*a*t*e*"];
		assert.deepEqual([edit({}), edit({}, "ask")], ["allow", "ask"]);
		for (const rule of seven) assert.deepEqual([edit({ deny: [rule] }), edit({ ask: [rule] })], ["deny", "ask"], rule);
		for (const rule of seven) assert.equal(edit({ allow: [rule] }, "ask"), "ask", rule);
		for (const rule of ["update_file(*a*b*c*d*e*fg)", "*u*p*d*a*t*"]) assert.equal(edit({ allow: [rule] }, "ask"), "allow", rule);
		assert.equal(allow("execute_command(foo *a*b*c*d*e*f*g)", "foo abcdefg"), "allow");
	});

	it("reach through to addresses", () => {
		const go = (rule: string, url: string) => decide({ tool: tools.fetch, url, rules: rules({ allow: [`web_fetch(${rule})`] }) });
		assert.equal(go("https://example.org", "https://example.org/a?b"), "allow");
		assert.equal(go("*.example.org", "https://docs.example.org/"), "allow");
		assert.equal(go("https://example.org/docs/*", "https://example.org/docs/a"), "allow");
		for (const url of ["https://example.org.evil/", "http://example.org/", "https://example.org@evil/", "https://evil/#example.org"]) {
			assert.equal(go("https://example.org", url), "ask", url);
			assert.equal(go("https://example.org/*", url), "ask", url);
		}
	});

	it("ask without offering to remember", () => {
		const verdict = authorize(
			request({ tool: tools.run, command: line("npm test"), rules: rules({ ask: ["execute_command(npm test)"] }) }),
		);
		assert.deepEqual([verdict.decision, verdict.layer, verdict.grants], ["ask", "rules", []]);
		const granted = { grants: [grant("execute_command", "npm test", "h1")] };
		assert.equal(
			decide({ tool: tools.run, command: line("npm test"), rules: rules({ ask: ["execute_command(npm *)"] }), ...granted }),
			"ask",
		);
	});

	it("close the gate for whatever changes anything when they cannot be read, and say why", () => {
		const unreadable = [
			{ invalid: "expected a list" },
			rules({ deny: ["a(b"] }),
			rules({ allow: ["x(**/**/**/**/**/y)", "("] }),
			rules({ ask: [""] }),
		];
		for (const list of unreadable) {
			const verdict = authorize(request({ ...everything, tool: tools.update, paths: [file("a", "write")], rules: list }));
			assert.deepEqual([verdict.decision, verdict.layer], ["deny", "rules"], JSON.stringify(list));
			assert.equal(verdict.rule, "troupe.permissions");
			assert.equal(decide({ ...everything, tool: tools.run, command: line("ls"), rules: list }), "deny");
			assert.equal(decide({ paths: [file("a", "read")], rules: list }), "allow");
			assert.equal(decide({ tool: tools.plan, rules: list }), "allow");
		}
	});

	it("never lift what layers above or the protected places say", () => {
		assert.equal(decide({ ...everything, tool: tools.update, paths: [file(".vscode/settings.json", "write")] }), "ask");
		assert.equal(decide({ ...everything, tool: tools.remove, paths: [file("a", "delete")] }), "ask");
		assert.equal(decide({ ...everything, tool: tools.patch, paths: [file("a", "write"), file("b", "delete")] }), "ask");
		assert.equal(decide({ ...everything, tool: { ...tools.remove }, paths: [] }), "ask");
		assert.equal(decide({ ...everything, tool: tools.run, command: { ...line("ls"), odd: "is odd" } }), "ask");
	});
});

describe("the approval mode", () => {
	const edit: Asking = { tool: tools.update, paths: [file("a", "write")] };
	const create: Asking = { tool: tools.create, paths: [file("a", "create")] };
	const remove: Asking = { tool: tools.remove, paths: [file("a", "delete")] };
	const test: Asking = { tool: tools.run, command: line("npm test") };
	const install: Asking = { tool: tools.run, command: line("npm install") };
	const visit: Asking = { tool: tools.fetch, url: "https://example.org/" };
	const read: Asking = { paths: [file("a", "read")] };
	const table: [ApprovalMode, boolean, Record<string, string>][] = [
		["ask", true, { read: "allow", edit: "ask", create: "ask", remove: "ask", test: "ask", install: "ask", visit: "ask" }],
		["plan", false, { read: "allow", edit: "ask", create: "ask", remove: "ask", test: "ask", install: "ask", visit: "ask" }],
		["plan", true, { read: "allow", edit: "allow", create: "allow", remove: "ask", test: "ask", install: "ask", visit: "ask" }],
		["edits", false, { read: "allow", edit: "allow", create: "allow", remove: "ask", test: "ask", install: "ask", visit: "ask" }],
		["auto", false, { read: "allow", edit: "allow", create: "allow", remove: "ask", test: "allow", install: "ask", visit: "ask" }],
	];

	for (const [mode, planRuns, want] of table) {
		it(`${mode}${planRuns ? " under a running plan" : ""} lets pass what it should`, () => {
			const got = Object.entries({ read, edit, create, remove, test, install, visit }).map(([name, asking]) => [
				name,
				decide({ ...asking, mode, planRuns }),
			]);
			assert.deepEqual(Object.fromEntries(got), want);
		});
	}

	it("means deny where nobody can answer, with the same reason and nothing to remember", () => {
		const asked = authorize(request(edit));
		assert.equal(asked.decision, "ask");
		assert.deepEqual(authorize(request({ ...edit, canAsk: false })), { ...asked, decision: "deny", grants: [] });
	});

	it("refuses a path that cannot be judged, whatever is allowed", () => {
		const verdict = authorize(request({ ...everything, paths: [file("a", "read", { refused: "The path has a URI scheme." })] }));
		assert.deepEqual([verdict.decision, verdict.layer, verdict.reason], ["deny", "input", "The path has a URI scheme."]);
	});
});
