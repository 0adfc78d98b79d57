// One definition: what is taken, what does not count, and what is wrong with it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { builtinRoles } from "../../../src/agents/builtinRoles.ts";
import { parseDefinition } from "../../../src/agents/definitions.ts";
import { parseRoles } from "../../../src/agents/roleDefinitions.ts";
import { scopeLists } from "../../../src/gate/scopeList.ts";

const writer = { agentId: "writer", displayName: "Writer" };

function check(entry: unknown, owned = true): unknown {
	const parsed = parseDefinition(entry, scopeLists, owned);
	if ("problems" in parsed) return parsed.problems.map(({ field, problem }) => `${field.join(".")}: ${problem}`);
	const { definition, notes } = parsed.own;
	return notes.length > 0 ? { definition, notes } : { definition };
}

describe("a definition", () => {
	it("is taken with every field there is", () => {
		const whole = {
			...writer,
			description: "Writes.",
			systemPrompt: "Write.",
			type: "chat",
			chat: { provider: "claude-cli", workingDirectory: "docs" },
			external: { inputUrl: "https://example.com/v1/input", callbackBaseUrl: "http://agent-server.internal", region: "eu" },
			model: { planner: "openai/gpt-5", actor: "groq/fast" },
			toolAllowlist: ["read_*"],
			toolDenylist: ["web_*"],
			skillAllowlist: ["notes"],
			skillDenylist: ["x"],
			capabilityAllowlist: ["lists.*"],
			capabilityDenylist: ["lists.write"],
			agentAllowlist: ["todo"],
			agentDenylist: ["journal"],
			toolExposure: "mixed",
			uiVisible: false,
			apiExposed: true,
			mcpServers: ["linear"],
			optIn: ["tasks"],
			allowedTools: ["read_file"],
			extends: "default",
			roles: ["planner"],
			defaultRole: "planner",
			output: "reply",
			icon: "book",
			color: "charts.blue",
		};
		assert.deepEqual(check(whole), { definition: whole });
	});

	it("may be written with id and name, null is absent, and what other programs keep beside it stays out", () => {
		const aside = { createdAt: "2025-01-01", updatedAt: "2025-01-02", isDefault: false, $schema: "x" };
		const entry = { id: "writer", name: "Writer", description: null, toolAllowlist: null, chat: { provider: null }, ...aside };
		assert.deepEqual(check(entry), { definition: { ...writer, chat: {} } });
	});

	it("names models of the seeds in full", () => {
		assert.deepEqual(check({ ...writer, model: "claude-sonnet-4-5-20250929" }), {
			definition: { ...writer, model: "anthropic/claude-sonnet-4-5-20250929" },
		});
	});

	it("ignores what of its approvals is no text and keeps the others, however many and however wild they are", () => {
		const many = Array.from({ length: 600 }, (_, index) => `execute_command(print {a,b}{c,d}* ${index})`);
		const parsed = parseDefinition({ ...writer, allowedTools: ["update_file", 7, null, ...many] }, scopeLists, true);
		assert.ok("own" in parsed, JSON.stringify(parsed));
		assert.deepEqual(parsed.own.definition.allowedTools, ["update_file", ...many]);
		assert.deepEqual(parsed.own.notes, ["2 entries in allowedTools can't be read and are ignored."]);
	});

	const wrong: [string, Record<string, unknown>, string[]][] = [
		["no id", { displayName: "Writer" }, ["agentId: Required field is missing"]],
		["no name", { agentId: "writer" }, ["displayName: Required field is missing"]],
		["an id that is a path", { ...writer, agentId: "../x" }, ["agentId: An ID must be 1 to 64 letters, digits, - or _"]],
		["an id under its other name", { id: "a b", name: "x" }, ["id: An ID must be 1 to 64 letters, digits, - or _"]],
		["an id that is too long", { ...writer, agentId: "x".repeat(65) }, ["agentId: An ID must be 1 to 64 letters, digits, - or _"]],
		["a list that is text", { ...writer, toolAllowlist: "read_file" }, ["toolAllowlist: Must be a list"]],
		["a list of something else", { ...writer, toolDenylist: ["a", 1] }, ["toolDenylist.1: Must be text"]],
		["servers that are set up there", { ...writer, mcpServers: {} }, ["mcpServers: Must be a list"]],
		["a switch that is text", { ...writer, uiVisible: "no" }, ["uiVisible: Must be true or false"]],
		["a type there is not", { ...writer, type: "cli" }, ["type: Must be one of chat, external"]],
		[
			"a provider there is not",
			{ ...writer, chat: { provider: "x" } },
			["chat.provider: Must be one of openai, openai-compatible, anthropic, claude-cli, codex-cli, pi-cli"],
		],
		[
			"an address that is none",
			{ ...writer, type: "external", external: { inputUrl: "file:///etc/passwd", callbackBaseUrl: "here" } },
			["external.inputUrl: Must be an http or https address", "external.callbackBaseUrl: Must be an http or https address"],
		],
		["a model that is a number", { ...writer, model: 5 }, ["model: Must be text, or an object with text for each role"]],
		[
			"a name that turns its line around",
			{ ...writer, displayName: "a\u202Eb" },
			["displayName: Contains invisible characters or line breaks"],
		],
		["a list nobody reads", { ...writer, toolAllowlist: Array(501).fill("a") }, ["toolAllowlist: Must have 500 entries or fewer"]],
		[
			"wild cards that each tool would have to be held against",
			{ ...writer, toolDenylist: Array(9).fill(`${"a".repeat(999)}*`) },
			["toolDenylist: Patterns with wildcards have more than 4096 characters in total"],
		],
	];
	for (const [what, entry, problems] of wrong) {
		it(`is broken by ${what}`, () => assert.deepEqual(check(entry), problems));
	}

	const misspelt: [string, string][] = [
		["toolDenyList", "toolDenylist"],
		["tool_allowlist", "toolAllowlist"],
		["toolAlowlist", "toolAllowlist"],
		["tools", "toolAllowlist"],
		["disallowedTools", "toolDenylist"],
		["toolWhitelist", "toolAllowlist"],
		["capabilities", "capabilityAllowlist"],
		["agentsDenied", "agentDenylist"],
		["extend", "extends"],
		["role", "roles"],
		["mcpServer", "mcpServers"],
		["uiVisibel", "uiVisible"],
	];
	for (const [name, meant] of misspelt) {
		it(`is broken by ${name}, for it would not limit it: ${meant} is meant`, () => {
			assert.deepEqual(check({ ...writer, [name]: ["*"] }), [`${name}: Unknown field (did you mean ${meant}?)`]);
		});
	}

	it("is not broken by a field that limits nothing", () => {
		const notes = ["Unknown field temperature is ignored.", "Unknown field __proto__ is ignored."];
		const entry = JSON.parse('{"agentId":"writer","displayName":"Writer","temperature":1,"__proto__":{"toolAllowlist":[]}}');
		assert.deepEqual(check(entry), { definition: writer, notes });
	});

	it("says of a rule that cannot be read which way it is closed", () => {
		const long = "x".repeat(300);
		const parsed = check({ ...writer, toolAllowlist: ["read_file", long], toolDenylist: ["**/**/**/**/**/x", "+(a|b)"] }) as {
			notes: string[];
			definition: unknown;
		};
		assert.deepEqual(parsed.notes, [
			`Invalid pattern “${"x".repeat(63)}…” in toolAllowlist: Must be 256 characters or fewer. The pattern matches nothing.`,
			'Invalid pattern “**/**/**/**/**/x” in toolDenylist: More than 4 "**". The pattern excludes everything.',
			"Invalid pattern “+(a|b)” in toolDenylist: Extended globs aren't supported. The pattern excludes everything.",
		]);
		assert.deepEqual(parsed.definition, {
			...writer,
			toolAllowlist: ["read_file", long],
			toolDenylist: ["**/**/**/**/**/x", "+(a|b)"],
		});
	});

	const many = Array.from({ length: 65 }, (_, at) => `tool_${at}_*`);
	const seven = "a*b*c*d*e*f*g*";
	const tooMany = "More than 64 patterns with wildcards; a pattern with text between two wildcards counts as several";

	it("of the person keeps deny lists that are longer than lists may be, and says so", () => {
		const stored = { ...writer, toolDenylist: many, capabilityDenylist: [seven] };
		assert.deepEqual(check(stored), {
			definition: stored,
			notes: [
				`toolDenylist exceeds a limit but still applies: ${tooMany}.`,
				`In capabilityDenylist, the pattern “${seven}” exceeds a limit but still applies: More than 6 wildcards.`,
			],
		});
	});

	it("of a workspace is broken by a list that is longer than lists may be, and any is by such an allow list", () => {
		assert.deepEqual(check({ ...writer, toolDenylist: many, capabilityDenylist: [seven] }, false), [
			`toolDenylist: ${tooMany}`,
			"capabilityDenylist.0: More than 6 wildcards",
		]);
		for (const owned of [true, false]) assert.deepEqual(check({ ...writer, toolAllowlist: many }, owned), [`toolAllowlist: ${tooMany}`]);
	});

	it("lets nothing in by a pattern with more than six wildcards", () => {
		const { notes } = check({ ...writer, agentAllowlist: ["todo", seven] }) as { notes: string[] };
		assert.deepEqual(notes, [`Invalid pattern “${seven}” in agentAllowlist: More than 6 wildcards. The pattern matches nothing.`]);
	});

	it("goes without an icon or a color that is none", () => {
		const { definition, notes } = check({ ...writer, icon: "../x", color: "#f00" }) as { definition: unknown; notes: string[] };
		assert.deepEqual(definition, writer);
		assert.equal(notes.length, 2);
	});
});

describe("roles from settings", () => {
	const auditor = { id: "auditor", label: "Auditor", permissions: ["ReadFiles"], prompt: "Audit." };

	it("stand after the built-in ones and lead to the actor where it may do more", () => {
		const free = { ...auditor, id: "free", permissions: builtinRoles.find(({ id }) => id === "actor")?.permissions };
		const { roles: all, problems } = parseRoles([auditor, free]);
		assert.deepEqual(all, [...builtinRoles, { ...auditor, acts: "actor" }, free]);
		assert.deepEqual(problems, []);
	});

	it("are left out with a built-in id, a known id, or a permission that does not exist", () => {
		const { roles: all, problems } = parseRoles([
			{ ...auditor, id: "planner" },
			auditor,
			auditor,
			{ ...auditor, id: "x", permissions: ["Fly"] },
			1,
		]);
		assert.deepEqual(
			all.slice(builtinRoles.length).map(({ id }) => id),
			["auditor"],
		);
		assert.equal(problems.length, 4);
		assert.equal(problems[0], "“planner” (entry 1) is ignored: This ID is used by a built-in role.");
		assert.equal(problems[1], "“auditor” (entry 3) is ignored: This ID is already used by an earlier role.");
		assert.match(problems[2] ?? "", /^“x” \(entry 4\) is ignored: permissions\.0: /);
		assert.equal(problems[3], "Entry 5 is ignored: Must be an object.");
	});
});

describe("the built-in roles", () => {
	it("lead to the actor, and the actor leads nowhere", () => {
		for (const { id, acts } of builtinRoles) assert.equal(acts, id === "actor" ? undefined : "actor", id);
	});

	it("are named by id only where they are defined, and where stored sessions rely on their ids", () => {
		const named = new RegExp(`["'\`](?:${builtinRoles.map(({ id }) => id).join("|")})["'\`]`);
		const files = ["src", "webview-ui"].flatMap((folder) =>
			readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name).replaceAll("\\", "/")),
		);
		const naming = files.filter((file) => /\.tsx?$/.test(file) && named.test(readFileSync(file, "utf8")));
		assert.deepEqual(naming.sort(), ["src/agents/builtinRoles.ts", "src/core/transcript/fold.ts"]);
	});

	it("have the commands and the default that the manifest names", () => {
		const { contributes } = JSON.parse(readFileSync("package.json", "utf8"));
		const [participant] = contributes.chatParticipants;
		assert.deepEqual(
			builtinRoles.flatMap(({ command }) => command?.name ?? []),
			participant.commands.map(({ name }: { name: string }) => name),
		);
		const sections = [contributes.configuration].flat();
		const setting = sections.map(({ properties }) => properties["troupe.defaultRole"]).find(Boolean);
		assert.equal(setting.default, builtinRoles[0].id);
	});

	it("let only one answer other extensions, and that one can only read", () => {
		const answering = builtinRoles.filter(({ answersOthers }) => answersOthers);
		assert.deepEqual(
			answering.map(({ permissions }) => permissions),
			[["ReadFiles", "Delegate"]],
		);
	});
});
