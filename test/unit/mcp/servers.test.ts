// Tests real MCP servers from npm over stdio and HTTP: tools, calls and cleanup.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentWith, npmServer, openTestMcp, type TestMcp, type TestMcpOptions, toolNamed } from "../../fakes/testMcp.ts";

describe("MCP servers", () => {
	let setup: TestMcp;
	const set = (options: TestMcpOptions): TestMcp => {
		setup = openTestMcp(options);
		return setup;
	};
	afterEach(() => setup?.room.dispose());

	it("offer their tools under names of their own, and their answers as data from outside", async () => {
		const { room, tools: prepare, call } = set({ servers: [npmServer("every", "server-everything")] });
		assert.deepEqual(room.tools("one", agentWith(["every"])), []);
		const { said, tools } = await prepare(["every"]);
		assert.deepEqual(said, []);
		const echo = toolNamed(tools, "mcp__every__echo");
		assert.deepEqual([echo.plugin, echo.permissions, echo.capabilities, echo.external?.readOnly], ["every", [], [], false]);
		assert.equal(echo.summary({}), "Run echo from every");
		const answer = await call(echo, { message: "Ahoy" });
		assert.match(answer.output, /^<from_outside server="every" call="echo">\n.*not|instruction/);
		assert.match(answer.output, /Echo: Ahoy/);
		assert.deepEqual(room.tools("one", agentWith(["every"])), tools, "the same objects");
		assert.equal(room.servers()[0]?.state, "ready");
	});

	it("are there for the agents that list them alone, and end when another agent takes over", async () => {
		const { room, tools: prepare } = set({ servers: [npmServer("memory", "server-memory"), npmServer("every", "server-everything")] });
		const { tools } = await prepare(["memory"]);
		assert.ok(tools.length > 0 && tools.every(({ name }) => name.startsWith("mcp__memory__")));
		assert.deepEqual(room.tools("one", agentWith(["every"])), []);
		assert.deepEqual(room.tools("two", agentWith(["memory"])), []);
		await prepare([]);
		await setup.becomes("memory", "stopped");
		assert.deepEqual(room.tools("one", agentWith(["memory"])), []);
	});

	it("run once for each session, and end with it", async () => {
		const { room, tools: prepare } = set({ servers: [npmServer("memory", "server-memory")] });
		await Promise.all([prepare(["memory"], "one"), prepare(["memory"], "two")]);
		assert.equal(room.servers()[0]?.sessions, 2);
		await room.release("one");
		assert.equal(room.servers()[0]?.sessions, 1);
		await room.release("two");
		assert.deepEqual([room.servers()[0]?.state, room.servers()[0]?.sessions], ["stopped", 0]);
	});

	it("read and write files where they were told to", async () => {
		const folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-mcp-")));
		writeFileSync(join(folder, "note.txt"), "Salt and pepper");
		const { tools: prepare, call } = set({ servers: [npmServer("filesystem", "server-filesystem", folder)] });
		const { tools } = await prepare(["filesystem"]);
		const read = await call(toolNamed(tools, "mcp__filesystem__read_text_file"), { path: join(folder, "note.txt") });
		assert.match(read.output, /Salt and pepper/);
		const refused = await call(toolNamed(tools, "mcp__filesystem__read_text_file"), { path: "/etc/hostname" });
		assert.equal(refused.status, "error");
		rmSync(folder, { recursive: true });
	});

	it("offer resources as two tools and prompts by name", async () => {
		const { room, tools: prepare, call } = set({ servers: [npmServer("every", "server-everything")] });
		const { tools } = await prepare(["every"]);
		const list = await call(toolNamed(tools, "mcp__every__list_resources"), {});
		const uri = /^(\S+:\/\/\S+)/m.exec(list.output)?.[1] as string;
		assert.ok(uri, list.output);
		const read = await call(toolNamed(tools, "mcp__every__read_resource"), { uri });
		assert.match(read.output, /\[resource /);
		const prompt = room.prompts("one").find(({ arguments: wanted }) => wanted.some(({ required }) => required));
		assert.ok(prompt);
		const signal = new AbortController().signal;
		await assert.rejects(room.prompt("one", prompt.name, {}, signal), /requires a value for city/);
		const values = Object.fromEntries(prompt.arguments.map(({ name }) => [name, "Paris"]));
		assert.match(await room.prompt("one", prompt.name, values, signal), /Paris/);
	});

	it("get a short list of variables and their own, never the keys of the editor", async () => {
		process.env["OPENAI_API_KEY"] = "canary-1234";
		const config = { ...npmServer("every", "server-everything"), env: { TOKEN: "Bearer ${secret:MINE}" } };
		const { tools: prepare, call } = set({ servers: [config], secrets: { MINE: "sesame" } });
		try {
			const { tools } = await prepare(["every"]);
			const { output } = await call(toolNamed(tools, "mcp__every__get-env"), {});
			assert.match(output, /"TOKEN": "Bearer sesame"/);
			assert.doesNotMatch(output, /canary-1234/);
			assert.ok(!setup.logged.some((line) => line.includes("sesame")));
			assert.ok(!JSON.stringify(setup.asked).includes("sesame"));
		} finally {
			delete process.env["OPENAI_API_KEY"];
		}
	});

	for (const kind of ["streamableHttp", "sse"] as const) {
		it(`are reached at an address, by ${kind}`, async () => {
			const { child, url } = await remoteServer(kind);
			try {
				const { tools: prepare, call } = set({ servers: [{ id: "far", name: "Far", source: "settings", url }] });
				const { said, tools } = await prepare(["far"]);
				assert.deepEqual(said, []);
				assert.match((await call(toolNamed(tools, "mcp__far__echo"), { message: "Ahoy" })).output, /Echo: Ahoy/);
				await setup.room.dispose();
			} finally {
				child.kill("SIGKILL");
			}
		});
	}
});

/** The reference server on a free port of this computer. */
async function remoteServer(kind: "streamableHttp" | "sse"): Promise<{ child: ChildProcess; url: string }> {
	const port = await freePort();
	const script = `${process.cwd()}/node_modules/@modelcontextprotocol/server-everything/dist/index.js`;
	const child = spawn(process.execPath, [script, kind], { env: { ...process.env, PORT: String(port) }, stdio: ["ignore", "pipe", "pipe"] });
	await new Promise<void>((resolve, reject) => {
		child.once("exit", () => reject(new Error("The server ended")));
		for (const stream of [child.stdout, child.stderr])
			stream.on("data", (chunk: Buffer) => {
				if (chunk.toString().includes(String(port))) resolve();
			});
	});
	return { child, url: `http://127.0.0.1:${port}/${kind === "sse" ? "sse" : "mcp"}` };
}

function freePort(): Promise<number> {
	return new Promise((resolve) => {
		const server = createServer().listen(0, "127.0.0.1", () => {
			const { port } = server.address() as AddressInfo;
			server.close(() => resolve(port));
		});
	});
}
