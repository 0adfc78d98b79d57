// Setting up model providers and MCP servers step by step: what ends up in the settings, and where keys go.
import assert from "node:assert/strict";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";

type Adding = typeof import("../../../src/vscode/models/addProvider.ts") &
	typeof import("../../../src/vscode/mcp/addMcpServer.ts") &
	typeof import("../../../src/core/userError.ts");
type Loaded = Awaited<ReturnType<typeof onEditorWindow<Adding>>>;

describe("setting up without JSON", () => {
	let at: Loaded;

	before(async () => {
		at = await onEditorWindow<Adding>(
			"adding",
			"src/vscode/models/addProvider.ts",
			"src/vscode/mcp/addMcpServer.ts",
			"src/core/userError.ts",
		);
	});
	beforeEach(() => {
		at.configuration.clear();
		at.answers.length = 0;
		at.asked.length = 0;
		at.shown.length = 0;
		at.presses(undefined);
	});

	function engine(checks: () => Promise<boolean> = async () => true) {
		const keys = new Map<string, string>();
		const own = () => Object.keys((at.configuration.get("providers") as object | undefined) ?? {});
		const models = ["small", "large", "embed"].map((name) => ({ id: `gateway/${name}`, name }));
		return {
			keys,
			apiKeyProviders: async () => [{ id: "openai", label: "OpenAI" }, ...own().map((id) => ({ id, label: id }))],
			models: async () => ({
				auto: { name: "", why: "" },
				providers: [{ id: "openai", label: "OpenAI", models: [] }, ...own().map((id) => ({ id, label: id, models }))],
			}),
			setApiKey: async (id: string, key: string) => void keys.set(id, key),
			testConnection: checks,
			log: () => undefined,
		};
	}
	const add = (given: ReturnType<typeof engine>) => at.addProvider(given as unknown as Parameters<Loaded["addProvider"]>[0]);

	it("adds a provider by its address: the key stays out of the settings, and the models that are ticked are listed", async () => {
		const given = engine();
		at.configuration.set("providers", { mine: { type: "openai" } });
		at.answers.push("OpenAI-Compatible Server…", "https://api.gateway.example/v1", "gateway", "sk-1234", ["small", "large"]);
		await add(given);
		assert.deepEqual(at.configuration.get("providers"), {
			mine: { type: "openai" },
			gateway: { type: "openai-compatible", baseUrl: "https://api.gateway.example/v1", models: ["small", "large"] },
		});
		assert.equal(given.keys.get("gateway"), "sk-1234");
		assert.deepEqual(
			at.asked.map(({ password = false }) => password),
			[false, false, false, true, false],
		);
		assert.equal(at.shown.at(-1)?.text, "Provider gateway added.");
	});

	it("names no models where all are wanted, so that new ones appear", async () => {
		at.answers.push("Anthropic-Compatible Server…", "https://gateway.example", "gateway", "", ["small", "large", "embed"]);
		await add(engine());
		assert.deepEqual(at.configuration.get("providers"), { gateway: { type: "anthropic", baseUrl: "https://gateway.example" } });
	});

	it("takes a provider out again that cannot be reached, where the person wants that", async () => {
		const given = engine(async () => {
			throw new at.UserError("Nobody answers.");
		});
		at.presses("Remove");
		at.answers.push("OpenAI-Compatible Server…", "http://localhost:8000/v1", "local", "sk-1234");
		await add(given);
		assert.match(at.shown.at(-1)?.text ?? "", /can't be reached: Nobody answers\./);
		assert.deepEqual([at.configuration.get("providers"), given.keys.get("local")], [{}, ""]);
	});

	it("changes nothing where a step is left, and refuses addresses with a password and names that are taken", async () => {
		at.answers.push("OpenAI-Compatible Server…", "http://localhost:8000/v1", "local", undefined);
		await add(engine());
		assert.equal(at.configuration.get("providers"), undefined);
		at.answers.splice(0, 9, "OpenAI-Compatible Server…", "https://me:secret@example.com");
		await assert.rejects(add(engine()), /Remove the user name and password/);
		at.answers.splice(0, 9, "OpenAI-Compatible Server…", "https://example.com/v1", "openai");
		await assert.rejects(add(engine()), /already in use/);
	});

	const server = (kept: Map<string, string | undefined>) => {
		const list = () => Object.keys((at.configuration.get("mcpServers") as object | undefined) ?? {}).map((id) => ({ config: { id } }));
		const secrets = { set: async (name: string, value: string | undefined) => void kept.set(name, value) };
		return at.addMcpServer({ list } as unknown as Parameters<Loaded["addMcpServer"]>[0], secrets, () => undefined);
	};

	it("adds an MCP server that is a program, with its arguments apart and its key as a secret", async () => {
		const kept = new Map<string, string | undefined>();
		at.answers.push("Program", `npx -y @example/files "/My Files"`, "files", "FILES_TOKEN", "t-123");
		await server(kept);
		assert.deepEqual(at.configuration.get("mcpServers"), {
			files: {
				name: "files",
				command: "npx",
				args: ["-y", "@example/files", "/My Files"],
				env: { FILES_TOKEN: `\${secret:files-key}` },
			},
		});
		assert.equal(kept.get("files-key"), "t-123");
	});

	it("adds an MCP server at an address, with a key or without", async () => {
		const kept = new Map<string, string | undefined>();
		at.answers.push("Address", "https://mcp.example.com/mcp", "example", "t-123", "Address", "https://other.test/mcp", "other", "");
		await server(kept);
		await server(kept);
		assert.deepEqual(at.configuration.get("mcpServers"), {
			example: { name: "example", url: "https://mcp.example.com/mcp", headers: { Authorization: `Bearer \${secret:example-key}` } },
			other: { name: "other", url: "https://other.test/mcp" },
		});
		assert.deepEqual([...kept], [["example-key", "t-123"]]);
	});

	it("reads quotes as people write them, and says which is left open", () => {
		const table: [string, string[] | undefined][] = [
			["a  b", ["a", "b"]],
			[`a "b c" 'd "e'`, ["a", "b c", `d "e`]],
			[`a ""`, ["a", ""]],
			[`--x="y z"`, ["--x=y z"]],
			[`a "b`, undefined],
		];
		for (const [line, words] of table) assert.deepEqual(at.splitCommandLine(line), words, line);
	});
});
