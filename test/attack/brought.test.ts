// Tests the agents of hostile repositories against the catalog: bounded cost, no wider access, no impersonation.
import assert from "node:assert/strict";
import { toolExposure } from "../../src/gate/access.ts";
import { scopeDenial } from "../../src/gate/scope.ts";
import { builtinTools } from "../../src/tools/builtinTools.ts";
import { brought, catalogOf } from "../unit/agents/support.ts";

const claude = (head: string) => catalogOf({ workspace: [brought(".claude/agents/x.md", `---\nname: x\n${head}\n---\nHi.`)] });
const troupe = (more: object) => catalogOf({ workspace: [brought(".troupe/agents/x.json", { agentId: "x", displayName: "x", ...more })] });
const many = (count: number, of: (index: number) => string) => Array.from({ length: count }, (_, index) => of(index));

describe("A hostile repository's agents", () => {
	describe("are refused unlooked at where they would hold up the editor", () => {
		it("a head of YAML that is longer than any", async () => {
			for (const head of [
				many(20_000, (index) => `k${index}: 1`).join("\n"),
				`tools: ${"[".repeat(100_000)}`,
				`description: ${"a: ".repeat(80_000)}`,
				`tools: "${",".repeat(100_000)}"`,
			]) {
				const { broken, agents } = await claude(head);
				assert.match(broken[0]?.problem ?? "", /The front matter is longer than 16 KB/);
				assert.deepEqual(
					agents.filter(({ definition }) => definition.agentId === "x"),
					[],
				);
			}
		});

		it("more fields than any definition has", async () => {
			const { broken } = await troupe(Object.fromEntries(many(10_000, (index) => `field${index}`).map((name) => [name, 1])));
			assert.match(broken[0]?.problem ?? "", /Must have 100 fields or fewer/);
		});

		it("lists whose wild cards stand for more than anybody means", async () => {
			const braces = `${"{a,b}".repeat(6)}${"*?".repeat(100)}`;
			const { agents } = await troupe({ toolAllowlist: [braces] });
			const [found] = agents.filter(({ definition }) => definition.agentId === "x");
			assert.match(found?.notes.join() ?? "", /Braces expand to more than .* The pattern matches nothing/);
			const { broken } = await troupe({ toolAllowlist: many(500, (index) => `${"*?".repeat(100)}${index}`) });
			assert.match(broken[0]?.problem ?? "", /Patterns with wildcards have more than 4096 characters in total/);
		});

		it("and names, however many, are no wild cards", async () => {
			const { agents } = await troupe({ toolAllowlist: many(500, (index) => `mcp__a_long_name__tool_${index}`) });
			assert.ok(agents.some(({ definition }) => definition.agentId === "x"));
		});
	});

	it("that are denied editing by another program's name for it edit by none of ours", async () => {
		for (const denied of ["Edit", "Write", "MultiEdit", "edit", "Edit(src/**)"]) {
			const { agents } = await claude(`disallowedTools: ["${denied}"]`);
			const agent = agents.find(({ definition }) => definition.agentId === "x")?.definition;
			assert.ok(agent);
			const left = builtinTools().filter((tool) => tool.edits && scopeDenial(agent, { tool }) === undefined);
			assert.deepEqual(
				left.map(({ name }) => name),
				[],
				denied,
			);
		}
	});

	it("that extend one of the person's own reach no plugin that it does not reach", async () => {
		const own = { agentId: "own", displayName: "Own", toolExposure: "skills", skillAllowlist: ["notes"] };
		for (const exposure of ["tools", "mixed", null]) {
			const child = { agentId: "x", displayName: "x", extends: "own", toolExposure: exposure };
			const { agents } = await catalogOf({ settings: [own], workspace: [brought(".troupe/agents/x.json", child)] });
			const agent = agents.find(({ definition }) => definition.agentId === "x")?.definition;
			assert.ok(agent);
			const reached = builtinTools().filter((tool) => tool.plugin === "web" && toolExposure(agent, tool) !== "none");
			assert.deepEqual(
				reached.map(({ name }) => name),
				[],
				String(exposure),
			);
		}
	});

	it("cannot be called as another is by what nobody sees", async () => {
		for (const name of [
			"General\u200b Assistant",
			"General\u2028Assistant",
			"\u2060Reviewer",
			"Re\u00adviewer",
			"Tag\u{e0041}",
			"\u061cx",
			"\u3164",
		]) {
			const { broken } = await troupe({ displayName: name });
			assert.match(broken[0]?.problem ?? "", /displayName: Contains invisible characters or line breaks/, JSON.stringify(name));
		}
		const { agents } = await troupe({ displayName: "Release 👩‍💻 ❤️ notes" });
		assert.ok(agents.some(({ definition }) => definition.agentId === "x"));
	});
});
