// Tests MCP approvals: each applies to exactly the server, tool or mark approved, and to no later change.
import assert from "node:assert/strict";
import type { McpServerConfig } from "../../../src/core/ports/mcp.ts";
import { hashServer } from "../../../src/mcp/canonicalJson.ts";
import { checkTools } from "../../../src/mcp/definitions.ts";
import { agentWith, faultServer, openTestMcp, type TestMcp, type TestMcpOptions, toolNamed } from "../../fakes/testMcp.ts";

describe("Approving MCP servers and tools", () => {
	let setup: TestMcp;
	const set = (options: Partial<TestMcpOptions> = {}): TestMcp => {
		setup = openTestMcp({ servers: [faultServer("one", "none")], ...options });
		return setup;
	};
	afterEach(() => setup?.room.dispose());

	it("nothing starts before the person has said yes, and they see the whole command", async () => {
		const config = { ...faultServer("one", "none", "a b", "$(rm)\u202e"), env: { KEY: "${secret:K}" } } as McpServerConfig;
		set({ servers: [config], approves: () => false });
		const { said, tools } = await setup.tools(["one"]);
		assert.match(said.join(), /you didn't allow this server to start/);
		assert.deepEqual([tools.length, setup.room.servers()[0]?.sessions], [0, 0]);
		const [summary] = setup.asked;
		assert.match(summary?.runs ?? "", /mcpFaults\.program\.mjs none "a b" "\$\(rm\)\\u\{202e\}"$/);
		assert.deepEqual([summary?.given, summary?.changed], [["KEY"], false]);
		await setup.tools(["one"]);
		assert.equal(setup.asked.length, 1, "not asked again at once");
		await setup.room.stop("one");
		await setup.tools(["one"]);
		assert.equal(setup.asked.length, 2, "asked again after the person's own act");
	});

	it("two sessions put one question", async () => {
		let answer: (yes: boolean) => void = () => undefined;
		set({ approves: () => new Promise((resolve) => (answer = resolve)) });
		const both = Promise.all([setup.tools(["one"], "a"), setup.tools(["one"], "b")]);
		await setup.becomes("one", "approval");
		answer(true);
		await both;
		assert.equal(setup.asked.length, 1);
		await setup.tools(["one"], "c");
		assert.equal(setup.asked.length, 1);
	});

	it("a server that is set up differently is ended and asked about again", async () => {
		await set().tools(["one"]);
		setup.setUp([{ ...faultServer("one", "none", "--other") }]);
		await setup.becomes("one", "stopped");
		assert.deepEqual(setup.room.tools("one", agentWith(["one"])), []);
		await setup.tools(["one"]);
		assert.deepEqual([setup.asked.length, setup.asked[1]?.changed], [2, true]);
	});

	it("every part of a server is in the hash but the values that may be secret", () => {
		const base: McpServerConfig = { id: "a", name: "A", source: "settings", command: "c", args: ["x"], env: { K: "1" }, cwd: "/w" };
		const far: McpServerConfig = { id: "a", name: "A", source: "settings", url: "https://h/m", headers: { K: "1" } };
		const others: McpServerConfig[] = [
			{ ...base, command: "d" },
			{ ...base, args: ["y"] },
			{ ...base, args: ["x", ""] },
			{ ...base, env: { L: "1" } },
			{ ...base, cwd: "/v" },
			far,
			{ ...far, url: "https://h/n" },
			{ ...far, headers: { L: "1" } },
		];
		assert.equal(new Set([base, ...others].map(hashServer)).size, 9);
		assert.equal(hashServer({ ...base, env: { K: "2" } }), hashServer(base));
		assert.equal(hashServer({ ...base, name: "B" }), hashServer(base));
		assert.equal(hashServer({ ...base, timeout: 5 }), hashServer(base));
	});

	it("a missing secret keeps the server from starting, with its name", async () => {
		set({ servers: [{ ...faultServer("one", "none"), env: { KEY: "${secret:MINE}" } } as McpServerConfig] });
		const { said } = await setup.tools(["one"]);
		assert.match(said.join(), /The secret MINE isn't set/);
	});

	it("ids that are not known, or are ours, get a sentence", async () => {
		set({ servers: [faultServer("files", "none"), faultServer("a__b", "none"), faultServer("a_", "none")] });
		const { said, tools } = await setup.tools(["nobody", "files", "a__b", "a_"]);
		assert.match(said[0] ?? "", /the MCP server nobody, which isn't configured/);
		assert.match(said[1] ?? "", /isn't a valid MCP server ID\. The name is reserved/);
		assert.match(said[2] ?? "", /isn't a valid MCP server ID/);
		assert.match(said[3] ?? "", /isn't a valid MCP server ID/);
		assert.equal(tools.length, 0);
		assert.equal(setup.asked.length, 0);
	});

	it("a program is found on the PATH or by its whole path, never by a shell or from the folder", async () => {
		for (const command of ["./server", "node -e 1", "no-such-program", "/no/such/program", ""]) {
			set({ servers: [{ id: "one", name: "One", source: "settings", command }] });
			assert.match((await setup.tools(["one"])).said.join(), /could not be started/, command);
		}
		set({ servers: [{ ...faultServer("one", "none"), command: "node" } as McpServerConfig] });
		assert.deepEqual((await setup.tools(["one"])).said, []);
	});

	it("a tool that changes is off at once, the person sees what differs, and may allow it again", async () => {
		let answer: (yes: boolean) => void = () => undefined;
		set({ servers: [faultServer("one", "flip")], approvesTools: () => new Promise((resolve) => (answer = resolve)) });
		const { tools } = await setup.tools(["one"]);
		const echo = toolNamed(tools, "mcp__one__echo");
		await setup.call(echo, { words: "change" });
		// Also one that was allowed a moment before does not run as what it has become.
		await assert.rejects(setup.call(echo, { words: "hi" }), /has changed this tool/);
		assert.deepEqual(setup.room.tools("one", agentWith(["one"])), []);
		assert.equal(setup.room.servers()[0]?.tools[0]?.changed, true);
		assert.match((await setup.tools(["one"])).said.join(), /one changed these tools.*echo/);
		const [change] = setup.changes;
		assert.deepEqual(
			change?.tools.map(({ name, before, after }) => [name, before.description, after.description]),
			[["mcp__one__echo", "Says it again", "Sends it to somebody else"]],
		);
		answer(true);
		await setup.until(() => setup.room.tools("one", agentWith(["one"])).length > 0);
		const [again] = setup.room.tools("one", agentWith(["one"]));
		assert.notEqual(again?.external?.definitionHash, echo.external?.definitionHash, "grants of the old one are void");
		await assert.rejects(setup.call(echo, { words: "hi" }), /has changed this tool/, "the old one is gone for good");
	});

	it("of a server that changes a tool over and over five changes are put to the person, each once", async () => {
		set({ servers: [faultServer("one", "restless")] });
		const { tools } = await setup.tools(["one"]);
		const turn = toolNamed(tools, "mcp__one__turn");
		for (const _ of Array(8)) await setup.call(turn, { words: "" });
		assert.deepEqual(
			setup.changes.flatMap(({ tools: changed }) => changed.map(({ tool, after }) => [tool, after.description])),
			[1, 2, 3, 4, 5].map((version) => ["echo", `Version ${version}`]),
		);
		assert.ok(!setup.room.tools("one", agentWith(["one"])).some(({ name }) => name === "mcp__one__echo"));
	});

	it("a mark of the person's counts for that definition alone, and what a server claims for none", async () => {
		let marked = "";
		set({ readOnly: (tool, hash) => tool === "echo" && hash === marked });
		const [echo] = (await setup.tools(["one"])).tools;
		assert.equal(echo?.external?.readOnly, false, "it says readOnlyHint of itself");
		marked = echo?.external?.definitionHash ?? "";
		assert.equal(setup.room.tools("one", agentWith(["one"]))[0]?.external?.readOnly, true);
		marked = "another";
		assert.equal(setup.room.tools("one", agentWith(["one"]))[0]?.external?.readOnly, false);
	});

	it("the hash of a definition is of all that it says, whatever the order", () => {
		const tool = {
			name: "a",
			description: "d",
			inputSchema: { type: "object", properties: { x: {}, y: {} } },
			annotations: { a: 1, b: 2 },
		};
		const hash = (value: unknown) => checkTools("s", [value]).definitions[0]?.hash;
		const turned = {
			annotations: { b: 2, a: 1 },
			inputSchema: { properties: { y: {}, x: {} }, type: "object" },
			description: "d",
			name: "a",
		};
		assert.equal(hash(turned), hash(tool));
		for (const other of [
			{ ...tool, name: "b" },
			{ ...tool, description: "d\u200b" },
			{ ...tool, inputSchema: { type: "object" } },
			{ ...tool, annotations: {} },
		])
			assert.notEqual(hash(other), hash(tool));
	});

	it("trying a server shows its tools, and leaves nothing running", async () => {
		set();
		const status = await setup.room.try("one", new AbortController().signal);
		assert.deepEqual([status.state, status.tools.map(({ name }) => name)], ["ready", ["mcp__one__echo"]]);
		assert.deepEqual([setup.room.servers()[0]?.state, setup.room.servers()[0]?.tools.length], ["stopped", 1]);
	});
});

describe("Questions of an MCP server", () => {
	let setup: TestMcp;
	afterEach(() => setup.room.dispose());
	const ask = async (options: Partial<TestMcpOptions>): Promise<string> => {
		setup = openTestMcp({ servers: [faultServer("one", "form")], ...options });
		const { tools } = await setup.tools(["one"]);
		return (await setup.call(toolNamed(tools, "mcp__one__echo"), { words: "" })).output;
	};

	it("are refused where nobody can be asked", async () => {
		assert.match(await ask({}), /error -32\d+/);
	});

	it("are put to the person whole and clean, while the call's time stands still; what is left as it is has its default", async () => {
		const shown: unknown[] = [];
		const output = await ask({
			timeouts: { idleCall: 200 },
			async answer(question) {
				shown.push(question);
				await new Promise((done) => setTimeout(done, 400));
				return { size: "l" };
			},
		});
		assert.match(output, /\{"action":"accept","content":\{"name":"Ada","size":"l"\}\}/);
		const server = { id: "one", name: "one" };
		const choices = ["s", "l"].map((value) => ({ value, title: value }));
		assert.deepEqual(shown, [
			{
				session: "one",
				server,
				message: "Who are you?",
				fields: [
					{ name: "name", title: "Your name", description: "", type: "string", required: true, default: "Ada" },
					{ name: "size", title: "size", description: "", type: "string", required: false, choices },
				],
			},
		]);
	});

	it("are put while a call of ours runs alone, and one at a time", async () => {
		let calling = false;
		let put = 0;
		const declined = (which: string) => setup.until(() => setup.room.output("one").includes(`${which}: decline`));
		setup = openTestMcp({
			servers: [faultServer("one", "forms")],
			async answer() {
				put += 1;
				if (!calling || put > 1) return undefined;
				await declined("second");
				return {};
			},
		});
		const { tools } = await setup.tools(["one"]);
		await declined("early");
		assert.equal(put, 0, "nobody had called it");
		calling = true;
		assert.match((await setup.call(toolNamed(tools, "mcp__one__echo"), { words: "" })).output, /"action":"accept"/);
		assert.equal(put, 1);
	});

	it("an answer that does not fit is none, and a no is a no", async () => {
		assert.match(await ask({ answer: async () => ({ size: "xxl" }) }), /"action":"cancel"/);
		await setup.room.dispose();
		assert.match(await ask({ answer: async () => undefined }), /"action":"decline"/);
	});
});
