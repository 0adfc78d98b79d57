// Counts what activation loads and what it asks of VS Code, in the extension as it is packed.
import assert from "node:assert/strict";
import { createRequire, isBuiltin } from "node:module";
import { build } from "esbuild";
import { asFiles, extensionBuild } from "../../scripts/extensionBuild.mjs";

/** Bytes of the one file that activation loads. */
const MOST_BYTES = 80_000;
/** Calls of VS Code's API, each of which is a message to the window, besides one for each command. */
const MOST_CALLS = 30;
const MOST_COMMANDS = 86;

const requireNode = createRequire(import.meta.url);

describe("activation", () => {
	let files: ReadonlyMap<string, string> = new Map();
	let called: string[] = [];
	let loaded: string[] = [];

	before(async () => {
		const built = await build({ ...extensionBuild, entryPoints: { extension: "src/extension.ts" }, outdir: "dist" });
		files = await asFiles(built, "extension.js");
		({ called, loaded } = activate(files));
	});

	it(`loads at most ${MOST_BYTES} bytes, and no other file of the extension`, () => {
		const { length } = files.get("extension.js") ?? "";
		assert.ok(length > 50_000, "nothing was built");
		assert.ok(length <= MOST_BYTES, `${length} bytes`);
		assert.deepEqual(
			loaded.filter((name) => !isBuiltin(name) && name !== "vscode"),
			[],
		);
	});

	it(`makes at most ${MOST_CALLS} calls of VS Code's API, and one for each command`, () => {
		const commands = called.filter((name) => name === "commands.registerCommand");
		const others = called.filter((name) => name !== "commands.registerCommand");
		assert.ok(commands.length > 50 && others.length > 10, "counts nothing");
		assert.ok(commands.length <= MOST_COMMANDS, `${commands.length} commands`);
		assert.ok(others.length <= MOST_CALLS, `${others.length} calls:\n${others.sort().join("\n")}`);
	});
});

/** Activates the extension in a VS Code that does nothing, and tells what it did until then. */
function activate(files: ReadonlyMap<string, string>): { called: string[]; loaded: string[] } {
	const called: string[] = [];
	const loaded: string[] = [];
	const vscode = createRecorder("", called);
	const made = new Map<string, { exports: { activate?(context: unknown): unknown } }>();
	const load = (name: string): unknown => {
		loaded.push(name);
		if (name === "vscode") return vscode;
		return name.startsWith("./") ? run(name.slice(2)) : requireNode(name);
	};
	const run = (name: string) => {
		const known = made.get(name);
		if (known) return known.exports;
		const module = { exports: {} };
		made.set(name, module);
		new Function("module", "exports", "require", files.get(name) ?? "")(module, module.exports, load);
		return module.exports as { activate?(context: unknown): unknown };
	};
	const memory = { get: () => undefined, update: async () => undefined, keys: () => [] };
	const places = { extensionUri: vscode, globalStorageUri: vscode, storageUri: vscode };
	run("extension.js").activate?.({ ...places, subscriptions: [], workspaceState: memory, globalState: memory, secrets: vscode });
	return { called: [...called], loaded: [...loaded] };
}

/** Anything of VS Code's API: it can be read, called, and constructed, and notes each call by its name. */
function createRecorder(name: string, called: string[]): object {
	return new Proxy(function anything() {}, {
		get(_, key) {
			if (typeof key === "symbol") return key === Symbol.toPrimitive ? () => "" : undefined;
			return key === "then" ? undefined : createRecorder(name === "" ? key : `${name}.${key}`, called);
		},
		set: () => true,
		apply() {
			called.push(name);
			return createRecorder("", called);
		},
		construct() {
			called.push(`new ${name}`);
			return createRecorder("", called);
		},
	});
}
