// Tests agent scope lists against an independent oracle that uses minimatch for the globs.
import assert from "node:assert/strict";
import { minimatch } from "minimatch";
import type { ToolDeclaration } from "../../../src/core/ports/gate.ts";
import type { AgentDefinition, AgentScope } from "../../../src/core/role.ts";
import { authorize, offers } from "../../../src/gate/authorize.ts";
import { isAllowedByLists } from "../../../src/gate/scope.ts";
import { actor, agent, planner, request } from "./world.ts";

type List = readonly string[] | null | undefined;

const matchGlob = (pattern: string, name: string) => minimatch(name, pattern, { dot: true, noext: true, nocomment: true });

/** The seed's filter, word for word; what follows it are the sentences around it. */
function effective(scope: AgentScope, tool: ToolDeclaration, skill?: string, peer?: string): boolean {
	if (!tool.external && tool.plugin === "plan") return true;
	if (!tool.external && tool.name.startsWith("system_")) return true;
	const { toolAllowlist, toolDenylist, capabilityAllowlist, capabilityDenylist } = scope;
	const filtered =
		(!toolAllowlist || toolAllowlist.some((pattern) => matchGlob(pattern, tool.name))) &&
		!toolDenylist?.some((pattern) => matchGlob(pattern, tool.name)) &&
		(!tool.capabilities ||
			tool.capabilities.length === 0 ||
			((!capabilityAllowlist ||
				tool.capabilities.every((capability) => capabilityAllowlist.some((pattern) => matchGlob(pattern, capability)))) &&
				(!capabilityDenylist ||
					!tool.capabilities.some((capability) => capabilityDenylist.some((pattern) => matchGlob(pattern, capability))))));
	const through = (allow: List, deny: List, id: string | undefined) =>
		id === undefined || ((!allow || allow.some((pattern) => matchGlob(pattern, id))) && !deny?.some((pattern) => matchGlob(pattern, id)));
	return filtered && through(scope.skillAllowlist, scope.skillDenylist, skill) && through(scope.agentAllowlist, scope.agentDenylist, peer);
}

function tool(name: string, capabilities: string[], rest: Partial<ToolDeclaration> = {}): ToolDeclaration {
	return { name, plugin: "lists", permissions: [], capabilities, ...rest };
}

const external = { definitionHash: "h", readOnly: false };
const kinds: Record<string, ToolDeclaration> = {
	"one capability": tool("lists_show", ["lists.read"]),
	"two capabilities": tool("lists_move", ["lists.read", "notes.write"]),
	"no capabilities": tool("lists_plain", []),
	"another name": tool("notes_show", ["notes.read"]),
	system_: tool("system_info", ["lists.read"]),
	"the plan": tool("present_plan", ["plan.present"], { plugin: "plan" }),
	outside: tool("mcp__lists__show", ["mcp.lists"], { plugin: "mcp", external }),
	"outside, called system_": tool("system_info", ["lists.read"], { plugin: "mcp", external }),
	"outside, of a plugin called plan": tool("lists_show", ["lists.read"], { plugin: "plan", external }),
};

/** Absent, null, empty, exact, glob, all but what a glob takes, other. */
const choices = (exact: string[], glob: string[], but: string[], other: string[]): List[] => [undefined, null, [], exact, glob, but, other];
const toolLists = choices(["lists_show"], ["lists_*"], ["!lists_*"], ["other_*", "x"]);
const capabilityLists = choices(["lists.read"], ["{lists,plan}.*"], ["!lists.read"], ["other.*"]);
const idLists = choices(["notes"], ["n?te[s]"], ["!notes"], ["other"]);

function* pairs(lists: List[]): Generator<[List, List]> {
	for (const allow of lists) for (const deny of lists) yield [allow, deny];
}

/** Absent means absent: a field that is there and undefined is no case of its own. */
function scopeOf(lists: Record<string, List>): AgentDefinition {
	return { ...agent, ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== undefined)) };
}

const asking = (definition: AgentDefinition, declared: ToolDeclaration, more: { skill?: string; peer?: string } = {}) =>
	authorize(request({ agent: definition, tool: declared, mode: "auto", paths: [], destinations: ["h"], ...more }));

describe("the scope of an agent", () => {
	it("is what the seed's filter says, over the whole grid of tool and capability lists", () => {
		let cases = 0;
		for (const [toolAllowlist, toolDenylist] of pairs(toolLists)) {
			for (const [capabilityAllowlist, capabilityDenylist] of pairs(capabilityLists)) {
				const scoped = scopeOf({ toolAllowlist, toolDenylist, capabilityAllowlist, capabilityDenylist });
				for (const [kind, declared] of Object.entries(kinds)) {
					const want = effective(scoped, declared);
					const told = `${kind} under ${JSON.stringify(scoped)}`;
					assert.equal(offers({ agent: scoped, role: actor, tool: declared }), want, told);
					const verdict = asking(scoped, declared);
					assert.equal(verdict.layer === "scope", !want, told);
					assert.equal(verdict.decision, want ? "allow" : "deny", told);
					cases += 1;
				}
			}
		}
		assert.equal(cases, 49 * 49 * 9);
	});

	it("is what the seed's words say of skills and agents, over the whole grid of their lists", () => {
		const use = { skilled: tool("use_skill", ["skills.use"]), plain: tool("agents_message", ["agents.ask"]) };
		for (const [skillAllowlist, skillDenylist] of pairs(idLists)) {
			for (const [agentAllowlist, agentDenylist] of pairs(idLists)) {
				const scoped = scopeOf({ skillAllowlist, skillDenylist, agentAllowlist, agentDenylist });
				for (const id of [undefined, "notes", "Notes", "other", "third"]) {
					const told = `${id} under ${JSON.stringify(scoped)}`;
					const skill = asking(scoped, use.skilled, id === undefined ? {} : { skill: id });
					assert.equal(skill.decision === "allow", effective(scoped, use.skilled, id), told);
					const peer = asking(scoped, use.plain, id === undefined ? {} : { peer: id });
					assert.equal(peer.decision === "allow", effective(scoped, use.plain, undefined, id), told);
				}
			}
		}
	});

	it("never lifts the role: what is exempt from the lists is not exempt from what the role may do", () => {
		for (const [toolAllowlist, toolDenylist] of pairs(toolLists)) {
			const scoped = scopeOf({ toolAllowlist, toolDenylist });
			for (const declared of Object.values(kinds)) {
				const changes: ToolDeclaration = { ...declared, permissions: ["WriteFiles"] };
				assert.equal(authorize(request({ agent: scoped, role: planner, tool: changes })).layer, "role");
				assert.equal(offers({ agent: scoped, role: planner, tool: changes }), false);
			}
		}
	});

	it("takes names as they are: case, blanks and look-alikes are other names", () => {
		const scoped = scopeOf({ toolAllowlist: ["lists_show", "notes_*"] });
		for (const name of [
			"Lists_show",
			"lists_show ",
			" lists_show",
			"lists_show\n",
			"lіsts_show",
			"lists_show\u200b",
			"lists_shoẁ",
			"",
			"Notes_x",
		]) {
			assert.equal(offers({ agent: scoped, role: actor, tool: tool(name, []) }), false, JSON.stringify(name));
		}
		for (const name of ["System_x", "SYSTEM_x", " system_x", "ѕystem_x", "system-x", "systemx"]) {
			assert.equal(offers({ agent: scoped, role: actor, tool: tool(name, []) }), false, JSON.stringify(name));
		}
	});
});

describe("globs that explode", () => {
	const shapes: Record<string, string> = {
		"fifteen stars (CVE-2026-26996)": `${"*a".repeat(15)}*b`,
		"three hundred stars": "*".repeat(300),
		"eleven globstars (CVE-2026-27903)": `${"**/".repeat(11)}b`,
		"nested extglobs (CVE-2026-27904)": "*(*(*(a|b)))",
		"longer nested extglobs": `${"+(".repeat(40)}a|b${")".repeat(40)}c`,
		"braces in braces": `${"{a,b".repeat(40)}${"}".repeat(40)}`,
		"many braces": "{a,b}".repeat(50),
		"a long range": "{1..100000000}",
		"classes without end": `${"[".repeat(128)}${"]".repeat(128)}`,
		"256 characters of stars and letters": "*a".repeat(128),
		"256 question marks": "?".repeat(256),
		"257 characters": "a".repeat(257),
		nothing: "",
	};
	const texts = ["a".repeat(20_000), `${"a/".repeat(5_000)}c`, "ab".repeat(10_000), "lists_show"];

	for (const [shape, pattern] of Object.entries(shapes)) {
		it(`decide at once: ${shape}`, function () {
			// Backtracking takes seconds to years here; this is a limit of the runner's, not a measurement.
			this.timeout(2_000);
			for (const text of texts) {
				isAllowedByLists([pattern], undefined, text);
				isAllowedByLists(undefined, [pattern], text);
			}
		});
	}

	it("close what they stand in: they allow nothing and deny everything, beside patterns that can be read", () => {
		for (const pattern of [
			shapes["eleven globstars (CVE-2026-27903)"],
			shapes["257 characters"],
			"",
			"{1..100000000}",
			"[[:alpha:]]",
			"!",
			"!{1..300}",
			"@(other|notes)_*",
			"!(lists_show)",
		] as string[]) {
			assert.equal(isAllowedByLists([pattern], undefined, "lists_show"), false, pattern);
			assert.equal(isAllowedByLists(undefined, [pattern], "lists_show"), false, pattern);
			assert.equal(isAllowedByLists([pattern, "lists_*"], undefined, "lists_show"), true, pattern);
			assert.equal(isAllowedByLists(["*"], ["other", pattern], "lists_show"), false, pattern);
		}
	});

	it("are compiled once for each definition, however many there are: 500 agents judge 2,000 tools as one does", () => {
		const agents = Array.from({ length: 500 }, (_, index) =>
			scopeOf({ toolAllowlist: [`tool_${index}_*`, `*_${index}`, "{read,write}_*"], toolDenylist: [`*_${index}_never`] }),
		);
		const tools = Array.from({ length: 2_000 }, (_, index) => tool(`tool_${index % 500}_${Math.floor(index / 500)}`, []));
		const own = agents.map((scoped) => tools.filter((declared) => offers({ agent: scoped, role: actor, tool: declared })).length);
		assert.deepEqual(
			own.map((count, index) => count - (index < 4 ? 500 - 1 : 0)),
			agents.map(() => 4),
		);
	});
});
