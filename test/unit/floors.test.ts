// Holds the house up: imports point down, rooms on one floor do not know each other, files stay short.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** What each room may import beside its own files and packages. `node` stands for Node's modules. */
const floors: Record<string, readonly string[]> = {
	"extension.ts": ["*", "vscode", "node"],
	engine: ["*", "vscode", "node"],
	vscode: ["shared", "l10n.ts", "permissionWords.ts", "app", "protocol.ts", "agentsProtocol.ts", "api.ts", "core", "vscode", "node"],
	server: ["l10n.ts", "app", "protocol.ts", "core", "node"],
	channels: ["l10n.ts", "app", "protocol.ts", "core", "node"],
	app: ["shared", "l10n.ts", "permissionWords.ts", "protocol.ts", "agentsProtocol.ts", "api.ts", "core", "node"],
	gate: ["l10n.ts", "permissionWords.ts", "core", "node"],
	agents: ["l10n.ts", "core", "node"],
	tools: ["l10n.ts", "core", "node"],
	models: ["l10n.ts", "core", "node"],
	mcp: ["l10n.ts", "core", "node"],
	artifacts: ["l10n.ts", "core", "node"],
	skills: ["l10n.ts", "core", "node"],
	memory: ["l10n.ts", "core", "node"],
	storage: ["l10n.ts", "core", "node"],
	machine: ["l10n.ts", "core", "node"],
	runtimes: ["l10n.ts", "core", "node"],
	core: ["zod"],
	"l10n.ts": ["@vscode/l10n"],
	"permissionWords.ts": ["core", "l10n.ts"],
	shared: ["l10n.ts"],
	"protocol.ts": ["core", "zod"],
	"agentsProtocol.ts": ["core", "zod"],
	"api.ts": ["core"],
	"webview-ui": ["core/transcript.ts", "core/changed.ts", "core/fates.ts", "core/structured.ts", "l10n.ts", "shared", "types"],
};

const MAX_LINES = 300;
/** Where no file is longer. */
const SHORT = ["src", "webview-ui", "scripts", "test"];

function filesBelow(folder: string, kinds = /\.tsx?$/): string[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.map((name) => join(folder, name))
		.filter((name) => kinds.test(name));
}

function roomOf(file: string): string {
	const parts = file.split(/[\\/]/);
	return parts[0] === "src" ? (parts[1] as string) : (parts[0] as string);
}

function importsOf(file: string): { from: string; typeOnly: boolean }[] {
	const text = readFileSync(file, "utf8");
	const found: { from: string; typeOnly: boolean }[] = [];
	for (const match of text.matchAll(/^\s*(?:import|export)\s+(type\s+)?[^"';]*?from\s+"([^"]+)"/gms)) {
		found.push({ from: match[2] as string, typeOnly: match[1] !== undefined });
	}
	for (const match of text.matchAll(/\bimport\(\s*"([^"]+)"\s*\)|^\s*import\s+"([^"]+)"/gm)) {
		found.push({ from: (match[1] ?? match[2]) as string, typeOnly: false });
	}
	return found;
}

function complaint(file: string, from: string, typeOnly: boolean): string | undefined {
	const room = roomOf(file);
	const allowed = floors[room];
	if (!allowed) return `${file}: the room ${room} is not on the floor plan`;
	if (from.startsWith(".")) {
		const target = posix.join(posix.dirname(file.replaceAll("\\", "/")), from);
		const targetRoom = roomOf(target);
		const fine =
			targetRoom === room || allowed.includes("*") || allowed.includes(targetRoom) || allowed.includes(target.replace(/^src\//, ""));
		return fine || (typeOnly && allowed.includes("types")) ? undefined : `${file} imports ${from}`;
	}
	if (from === "vscode") return allowed.includes("vscode") ? undefined : `${file} imports vscode`;
	if (from.startsWith("node:")) return allowed.includes("node") ? undefined : `${file} imports ${from}`;
	if (room === "core" || room.endsWith(".ts")) {
		const fine = allowed.includes(from) || (typeOnly && from === "zod");
		return fine || room === "extension.ts" ? undefined : `${file} imports ${from}`;
	}
	return undefined;
}

describe("the floors", () => {
	const files = [...filesBelow("src"), ...filesBelow("webview-ui")].map((file) => file.replaceAll("\\", "/"));

	it("hold: imports point down and rooms do not know their neighbours", () => {
		assert.ok(files.length > 10, "found no files to check");
		const complaints = files.flatMap((file) => importsOf(file).flatMap(({ from, typeOnly }) => complaint(file, from, typeOnly) ?? []));
		assert.deepEqual(complaints, []);
	});

	it("see what they look for", () => {
		assert.match(complaint("src/tools/readFile.ts", "../gate/authorize.ts", false) ?? "", /imports/);
		assert.match(complaint("src/chat/controller.ts", "vscode", false) ?? "", /imports vscode/);
		assert.match(complaint("src/core/events.ts", "node:fs", false) ?? "", /imports/);
		assert.match(complaint("webview-ui/main.tsx", "../src/protocol.ts", false) ?? "", /imports/);
		assert.equal(complaint("webview-ui/main.tsx", "../src/protocol.ts", true), undefined);
	});

	it("keep every file under 300 lines", () => {
		const ours = SHORT.flatMap((folder) => filesBelow(folder, /\.(?:[cm]?[jt]s|tsx|css)$/));
		const seen = [".css", ".mjs", ".test.ts"].every((kind) => ours.some((file) => file.endsWith(kind)));
		assert.ok(seen, "found no files to check");
		const long = ours.filter((file) => readFileSync(file, "utf8").split("\n").length > MAX_LINES);
		assert.deepEqual(long, []);
	});
});
