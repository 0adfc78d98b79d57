// MCP servers as the settings have them: what counts, and what the person is told of the rest.
import assert from "node:assert/strict";
import { enabledMcpServers, parseMcpServers, RESERVED_SERVER_IDS, referencedSecrets } from "../../../src/mcp/settings.ts";
import { builtinTools } from "../../../src/tools/builtinTools.ts";

const fine = { name: "Docs", command: "npx", args: ["-y", "docs"] };

function problemOf(id: string, server: unknown): string {
	const { servers, problems } = parseMcpServers({ [id]: server });
	assert.deepEqual(servers, [], `${id} was taken`);
	assert.equal(problems.length, 1);
	return (problems[0] ?? "").replace(`The MCP server troupe.mcpServers.${id} is ignored: `, "");
}

describe("the setting of MCP servers", () => {
	it("takes programs and addresses, in the order they stand in", () => {
		const {
			servers,
			problems,
			ids: taken,
		} = parseMcpServers({
			docs: { ...fine, description: "Reads docs", env: { TOKEN: "${secret:docs}" }, cwd: "tools" },
			far: { name: "Far", url: "https://mcp.example/mcp", headers: { Authorization: "Bearer ${secret:far_token}" } },
			bare: { command: "bare" },
		});
		assert.deepEqual(problems, []);
		assert.deepEqual(taken, ["docs", "far", "bare"]);
		assert.deepEqual(servers, [
			{ ...fine, id: "docs", source: "settings", description: "Reads docs", env: { TOKEN: "${secret:docs}" }, cwd: "tools" },
			{
				id: "far",
				source: "settings",
				name: "Far",
				url: "https://mcp.example/mcp",
				headers: { Authorization: "Bearer ${secret:far_token}" },
			},
			{ id: "bare", source: "settings", name: "bare", command: "bare" },
		]);
		assert.deepEqual(servers.map(referencedSecrets), [["docs"], ["far_token"], []]);
	});

	it("names each server that is left out, and keeps the others", () => {
		const {
			servers,
			problems,
			ids: taken,
		} = parseMcpServers({
			broken: { name: "Broken" },
			docs: fine,
			both: { ...fine, url: "https://a.example" },
		});
		assert.deepEqual(
			servers.map(({ id }) => id),
			["docs"],
		);
		assert.deepEqual(taken, ["broken", "docs", "both"], "a broken entry still stands before the catalog's");
		assert.deepEqual(problems, [
			"The MCP server troupe.mcpServers.broken is ignored: Specify a command or a url.",
			"The MCP server troupe.mcpServers.both is ignored: Specify either command or url, not both.",
		]);
	});

	it("takes seconds for one call, of programs and addresses, and nothing that is no time", () => {
		const { servers } = parseMcpServers({ docs: { ...fine, timeout: 0.5 }, far: { url: "https://mcp.example/mcp", timeout: 3_600 } });
		assert.deepEqual(
			servers.map(({ timeout }) => timeout),
			[0.5, 3_600],
		);
		for (const timeout of [0, -1, 3_601, Number.NaN, Number.POSITIVE_INFINITY, "60", null, true])
			assert.equal(
				problemOf("docs", { ...fine, timeout }),
				"timeout: Must be a number of seconds greater than 0 and no more than 3600.",
				String(timeout),
			);
	});

	for (const id of ["", "a b", "x".repeat(33), "docs/one", "günter"]) {
		it(`refuses the id ${JSON.stringify(id)}`, () => assert.match(problemOf(id, fine), /An ID must be 1 to 32 letters/));
	}
	for (const id of ["a__b", "_a", "a_", "__proto"]) {
		it(`refuses ${id}, whose tools could be taken for another's`, () =>
			assert.match(problemOf(id, fine), /An ID can't start or end with _/));
	}
	it("refuses the ids of our own plugins, however they are written", () => {
		for (const { plugin } of builtinTools()) assert.ok(RESERVED_SERVER_IDS.includes(plugin), `${plugin} is not reserved`);
		assert.match(problemOf("files", fine), /This ID is reserved by Troupe/);
		assert.match(problemOf("VSCode", fine), /This ID is reserved by Troupe/);
	});

	for (const [why, server, expected] of [
		["an empty command", { command: " " }, /command: Must not be empty/],
		["an argument that is no text", { command: "a", args: [1] }, /args\.0: Invalid input/],
		["a field that nothing knows", { ...fine, autoApprove: ["*"] }, /Unrecognized key/],
		["a secret in an argument", { command: "a", args: ["--token=${secret:x}"] }, /args\.0: Secrets are only allowed in env and headers/],
		["a secret in an address", { url: "https://a.example/${secret:x}" }, /Secrets are only allowed in env and headers/],
		["another place for a value", { command: "a", env: { A: "${env:HOME}" } }, /env\.A: Only \$\{secret:NAME\}/],
		["a place that does not end", { command: "a", env: { A: "${secret:x" } }, /Only \$\{secret:NAME\}/],
		["a line break in a header", { url: "https://a.example", headers: { A: "b\r\nX: y" } }, /headers\.A: Contains a line break/],
		["a header's name that is none", { url: "https://a.example", headers: { "a b": "c" } }, /Invalid header name/],
		["a variable's name that is none", { command: "a", env: { "A=B": "c" } }, /Invalid variable name/],
		["another scheme", { url: "file:///etc/passwd" }, /Must be an http or https URL/],
		["a password in the address", { url: "https://me:pass@a.example" }, /name and password/],
		["something that is no object", "npx", /Must be an object/],
	] as const) {
		it(`refuses ${why}`, () => assert.match(problemOf("docs", server), expected));
	}

	it("goes before the catalog: an entry of the person's takes its place, also one that is not valid, and what is switched off is gone", () => {
		const ids = (raw: unknown, off: string[] = []) =>
			enabledMcpServers(parseMcpServers(raw), off, "/w").map(({ id, source }) => `${source} ${id}`);
		const listed = ids({});
		assert.ok(listed.includes("catalog linear") && listed.includes("catalog memory"));
		assert.deepEqual(ids({ linear: fine }).slice(0, 2), [
			"settings linear",
			...listed.filter((each) => each !== "catalog linear").slice(0, 1),
		]);
		assert.deepEqual(
			ids({ linear: { name: "Broken" } }),
			listed.filter((each) => each !== "catalog linear"),
		);
		assert.ok(!ids({ docs: fine }, ["docs", "linear"]).some((each) => /docs|linear/.test(each)));
		for (const entry of listed) assert.ok(!RESERVED_SERVER_IDS.includes(entry.replace("catalog ", "")), entry);
	});

	it("runs no bridge for Linear, unless the person's entry says so, and no program whose version is open", () => {
		const bridge = { name: "Linear", command: "npx", args: ["-y", "mcp-remote", "https://mcp.linear.app/mcp"] };
		const linear = (raw: unknown) => enabledMcpServers(parseMcpServers(raw), [], "/w").find(({ id }) => id === "linear");
		const ours = linear({});
		assert.ok(ours && "url" in ours && !("command" in ours));
		assert.deepEqual([ours.name, ours.url], ["Linear", "https://mcp.linear.app/mcp"]);
		const theirs = linear({ linear: bridge });
		assert.ok(theirs && "command" in theirs);
		assert.deepEqual([theirs.source, theirs.command, theirs.args], ["settings", bridge.command, bridge.args]);
		for (const entry of enabledMcpServers(parseMcpServers({}), [], "/w")) {
			if ("command" in entry) assert.match(entry.args?.[1] ?? "", /@\d+\.\d+\.\d+$/, entry.id);
		}
	});

	it("that is no object has no effect and says so", () => {
		assert.deepEqual(parseMcpServers([fine]), {
			servers: [],
			ids: [],
			problems: ["The setting troupe.mcpServers is ignored. The value must be an object that maps IDs to servers."],
		});
		assert.deepEqual(parseMcpServers(undefined).problems, []);
	});
});
