// Enforces the architecture: import direction, no import cycles, folder size and file length.

// Imports are read by the TypeScript compiler.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import { API } from "typescript/unstable/sync";

/** What each room may import beside its own files and packages. `node` stands for Node's modules. */
const rooms: Record<string, readonly string[]> = {
	"extension.ts": ["*", "vscode", "node"],
	compose: ["*", "vscode", "node"],
	vscode: ["shared", "chat", "agents/agentsPage", "settings", "session", "api.ts", "core", "vscode", "node"],
	cliBridge: ["shared", "session", "core", "node"],
	chat: ["shared", "session", "core", "node"],
	"agents/agentsPage": ["shared", "session", "agents", "core", "node"],
	settings: ["shared", "agents", "session", "models", "mcp", "core", "node"],
	session: ["shared", "api.ts", "core", "node"],
	workspaces: ["shared", "gate", "platform", "core", "node"],
	gate: ["shared", "core", "node"],
	agents: ["shared", "core", "node"],
	tools: ["shared", "core", "node"],
	models: ["shared", "core", "node"],
	mcp: ["shared", "core", "node"],
	artifacts: ["shared", "core", "node"],
	memory: ["shared", "core", "node"],
	skills: ["shared", "core", "node"],
	storage: ["shared", "core", "node"],
	platform: ["shared", "core", "node"],
	runtimes: ["shared", "core", "node"],
	core: ["zod"],
	shared: ["core", "zod", "@vscode/l10n"],
	"shared/node": ["shared", "core", "node"],
	"api.ts": ["core"],
	"webview-ui": ["core/transcript", "core/task.ts", "core/trailingJson.ts", "core/hiddenText.ts", "shared", "types"],
};

/** Within a room: each folder may import those before it. Files beside the folders are not on a floor of their own. */
const floorsWithin: Record<string, readonly string[]> = {
	core: ["protected", "prompt", "transcript", "ports"],
	session: ["prompt", "history", "approvals", "contextWindow", "channels", "turn", "delegation", "tasks", "integrations"],
	storage: ["json", "transcripts", "sessions", "agents", "approvals"],
	tools: ["shared", "web"],
	mcp: ["wire", "auth", "host"],
	models: ["wire", "openai", "anthropic", "offline", "selection"],
	platform: ["programs", "git", "sandbox", "files", "processes", "search", "virtual", "copies"],
};

const MOST_LINES = 400;
const MOST_FILES = 20;
/** Files below src: see docs/decisions/0032. */
const MOST_SOURCES = 610;
/** Lines of the composition root, all files together. */
const MOST_COMPOSED = 800;
/** Whose files are counted by lines. */
const COUNTED = ["src", "webview-ui", "scripts", "test"];

interface Import {
	/** A file from the root of the repository, or a package. */
	to: string;
	typeOnly: boolean;
}

/** Every import of our sources, types and late ones included. */
function readImports(): Map<string, Import[]> {
	const root = resolve(".");
	const api = new API({ cwd: root });
	try {
		const [project] = api.updateSnapshot({ openProjects: [join(root, "tsconfig.json")] }).getProjects();
		if (!project) throw new Error("The compiler found no project.");
		const imports = new Map<string, Import[]>();
		for (const path of project.program.getSourceFileNames()) {
			const file = relative(root, path).replaceAll("\\", "/");
			if (!/^(?:src|webview-ui)\//.test(file)) continue;
			const source = project.program.getSourceFile(path);
			const found = (source?.imports ?? []).map((node): Import => {
				const { text } = node as unknown as { text: string };
				const to = text.startsWith(".") ? posix.join(posix.dirname(file), text) : text;
				const statement = node.parent.getText();
				return { to, typeOnly: /^(?:import|export) type\b/.test(statement) };
			});
			imports.set(file, found);
		}
		return imports;
	} finally {
		api.close();
	}
}

function roomOf(file: string): string {
	if (file.startsWith("webview-ui/")) return "webview-ui";
	const path = file.replace(/^src\//, "");
	return Object.keys(rooms).find((room) => room.includes("/") && path.startsWith(`${room}/`)) ?? (path.split("/")[0] as string);
}

function complaint(file: string, { to, typeOnly }: Import): string | undefined {
	const room = roomOf(file);
	const allowed = rooms[room];
	if (!allowed) return `${file}: the room ${room} is not on the plan`;
	if (/^(?:src|webview-ui)\//.test(to)) {
		const other = roomOf(to);
		if (other === room) return wrongFloor(room, file, to);
		// What stands on Node is for who may use Node.
		if (other === "shared/node" && !allowed.includes("node")) return `${file} imports ${to}`;
		const inside = to.replace(/^src\//, "");
		const fine = allowed.some((name) => name === "*" || name === other || inside === name || inside.startsWith(`${name}/`));
		return fine || (typeOnly && allowed.includes("types")) ? undefined : `${file} imports ${to}`;
	}
	if (to === "vscode") return allowed.includes("vscode") ? undefined : `${file} imports vscode`;
	if (to.startsWith("node:")) return allowed.includes("node") ? undefined : `${file} imports ${to}`;
	const closed = room === "core" || room === "shared" || room === "api.ts";
	return closed && !allowed.includes(to) ? `${file} imports ${to}` : undefined;
}

function wrongFloor(room: string, file: string, to: string): string | undefined {
	const floors = floorsWithin[room];
	const folderIn = (path: string) => (path.startsWith(`src/${room}/`) ? posix.dirname(path).split("/")[2] : undefined);
	const [from, target] = [folderIn(file), folderIn(to)];
	if (!floors || from === target || from === undefined || target === undefined) return undefined;
	if (!floors.includes(from) || !floors.includes(target)) return `${room}: ${from} or ${target} is on no floor`;
	return floors.indexOf(target) < floors.indexOf(from) ? undefined : `${file} imports ${to}`;
}

/** All that a file imports, and what that imports in turn. */
function reachOf(file: string, imports: ReadonlyMap<string, readonly Import[]>): Set<string> {
	const reached = new Set([file]);
	for (const each of reached) for (const { to } of imports.get(each) ?? []) reached.add(to);
	return reached;
}

/** Groups of files that import each other, by Tarjan's algorithm. */
function ringsIn(imports: ReadonlyMap<string, readonly Import[]>): string[][] {
	const [order, lowest, stack, rings] = [new Map<string, number>(), new Map<string, number>(), [] as string[], [] as string[][]];
	const visit = (file: string): void => {
		order.set(file, order.size);
		lowest.set(file, order.get(file) as number);
		stack.push(file);
		for (const { to } of imports.get(file) ?? []) {
			if (!imports.has(to)) continue;
			if (!order.has(to)) visit(to);
			if (stack.includes(to)) lowest.set(file, Math.min(lowest.get(file) as number, lowest.get(to) as number));
		}
		if (lowest.get(file) !== order.get(file)) return;
		const ring = stack.splice(stack.indexOf(file));
		if (ring.length > 1) rings.push(ring.sort());
	};
	for (const file of imports.keys()) if (!order.has(file)) visit(file);
	return rings;
}

function filesBelow(folder: string, kinds: RegExp): string[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.map((name) => join(folder, name).replaceAll("\\", "/"))
		.filter((name) => kinds.test(name));
}

describe("the source tree", () => {
	let imports: Map<string, Import[]>;
	before(function () {
		this.timeout(60_000);
		imports = readImports();
	});

	it("has imports that point down, between rooms and within them, types included", () => {
		assert.ok(imports.size > 300, "found no files to check");
		assert.deepEqual(
			[...imports].flatMap(([file, all]) => all.flatMap((each) => complaint(file, each) ?? [])),
			[],
		);
	});

	it("builds the app without VS Code, types included, in a composition root that can be read at once", () => {
		const reached = reachOf("src/compose/createApp.ts", imports);
		assert.ok(reached.size > 200, "found no files to check");
		assert.deepEqual(
			[...reached].filter((to) => to === "vscode" || to.startsWith("src/vscode/")),
			[],
		);
		assert.ok(reachOf("src/compose/editor.ts", imports).has("vscode"), "sees no import of vscode");
		const lines = filesBelow("src/compose", /\.ts$/).map((file) => readFileSync(file, "utf8").split("\n").length - 1);
		assert.ok(lines.reduce((sum, count) => sum + count, 0) <= MOST_COMPOSED, `${lines.join(" + ")} lines`);
	});

	it("has no files that import each other in a ring, types included", () => {
		assert.deepEqual(ringsIn(imports), []);
	});

	it("has no folder with more files beside each other than can be looked over", () => {
		const counts = new Map<string, number>();
		for (const file of imports.keys()) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
		assert.deepEqual(
			[...counts].filter(([, count]) => count > MOST_FILES),
			[],
		);
	});

	it("has no more source files than were agreed", () => {
		const sources = filesBelow("src", /\.tsx?$/);
		assert.ok(sources.length > 300, "found no files to check");
		assert.ok(sources.length <= MOST_SOURCES, `${sources.length} files`);
	});

	it("has no file longer than its ceiling", () => {
		const ours = COUNTED.flatMap((folder) => filesBelow(folder, /\.(?:[cm]?[jt]s|tsx|css)$/));
		assert.ok(
			[".css", ".mjs", ".test.ts"].every((kind) => ours.some((file) => file.endsWith(kind))),
			"found no files to check",
		);
		assert.deepEqual(
			ours.filter((file) => readFileSync(file, "utf8").split("\n").length > MOST_LINES),
			[],
		);
	});

	it("is checked by what sees a wrong import", () => {
		const wrong = (file: string, to: string, typeOnly = false) => complaint(file, { to, typeOnly });
		assert.match(wrong("src/tools/readFile.ts", "src/gate/authorize.ts") ?? "", /imports/);
		assert.match(wrong("src/session/session.ts", "vscode") ?? "", /imports vscode/);
		assert.match(wrong("src/core/events.ts", "node:fs") ?? "", /imports/);
		assert.match(wrong("src/session/prompt/a.ts", "src/session/turn/turn.ts") ?? "", /imports/);
		assert.match(wrong("webview-ui/main.tsx", "src/chat/controller.ts") ?? "", /imports/);
		assert.equal(wrong("webview-ui/main.tsx", "src/chat/controller.ts", true), undefined);
		assert.match(wrong("webview-ui/main.tsx", "src/shared/node/hash.ts") ?? "", /imports/);
		assert.equal(wrong("src/tools/readFile.ts", "src/shared/node/hash.ts"), undefined);
		const one = (to: string): Import[] => [{ to, typeOnly: true }];
		assert.deepEqual(
			ringsIn(
				new Map([
					["a", one("b")],
					["b", one("c")],
					["c", one("b")],
				]),
			),
			[["b", "c"]],
		);
	});
});
