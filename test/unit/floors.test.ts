// Enforces the architecture: import direction, no import cycles, folder size and file length.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { entryOf, findProblem, floorsWithin, roomOf } from "./sourceTree/floors.ts";
import { fileRings, type Import, type Imports, reachOf, readImports, siblingRings } from "./sourceTree/imports.ts";
import { upwardImports } from "./sourceTree/upwardImports.ts";

const MOST_LINES = 400;
const MOST_FILES = 20;
/** Imports that still point up: lower it with each that goes, never raise it. */
const UPWARD_IMPORTS = 23;
/** Lines of the composition root, all files together. */
const MOST_COMPOSED = 800;
/** Whose files are counted by lines. */
const COUNTED = ["src", "webview-ui", "scripts", "test"];

/** All imports but those with one of these names. */
function without(names: ReadonlySet<string>, imports: Imports): Map<string, Import[]> {
	return new Map([...imports].map(([file, all]) => [file, all.filter(({ to }) => !names.has(`${file} → ${to}`))]));
}

function filesBelow(folder: string, kinds: RegExp): string[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.map((name) => join(folder, name).replaceAll("\\", "/"))
		.filter((name) => kinds.test(name));
}

describe("the source tree", () => {
	let imports: Imports;
	/** Without those that are known to point up. */
	let unlisted: Imports;
	before(function () {
		this.timeout(60_000);
		imports = readImports();
		unlisted = without(new Set(upwardImports), imports);
	});

	it("has imports that point down, between rooms and within them, types included", () => {
		assert.ok(imports.size > 300, "found no files to check");
		assert.deepEqual(
			[...unlisted].flatMap(([file, all]) => all.flatMap((each) => findProblem(file, each) ?? [])),
			[],
		);
	});

	it("names each folder and loose file of a room on one of its floors", () => {
		const entries = new Map<string, Set<string>>();
		for (const file of imports.keys()) {
			const [room, entry] = [roomOf(file), entryOf(file)];
			// A file that is a room by itself has no floors.
			if (entry !== "") entries.set(room, (entries.get(room) ?? new Set()).add(entry));
		}
		assert.deepEqual([...entries.keys()].sort(), Object.keys(floorsWithin).sort());
		for (const [room, names] of entries) {
			const named = (floorsWithin[room] ?? []).flatMap((floor) => floor.split(" "));
			assert.deepEqual(named.sort(), [...names].sort(), room);
		}
	});

	it("builds the app without VS Code, in a composition root of at most 800 lines", () => {
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
		assert.deepEqual(fileRings(imports), []);
	});

	it("has no folders and loose files beside each other that form a ring", () => {
		assert.deepEqual(siblingRings(unlisted), []);
	});

	it("lists no more upward imports than before, and each only while it is one", () => {
		const mended = upwardImports.filter((name) => {
			const [file = "", to] = name.split(" → ");
			const found = imports.get(file)?.find((each) => each.to === to);
			if (!found) return true;
			const others = without(new Set(upwardImports.filter((other) => other !== name)), imports);
			return findProblem(file, found) === undefined && siblingRings(others).length === 0;
		});
		assert.deepEqual(mended, []);
		assert.equal(new Set(upwardImports).size, upwardImports.length);
		assert.equal(upwardImports.length, UPWARD_IMPORTS);
	});

	it("has no folder with more files beside each other than can be looked over", () => {
		const counts = new Map<string, number>();
		for (const file of imports.keys()) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
		assert.deepEqual(
			[...counts].filter(([, count]) => count > MOST_FILES),
			[],
		);
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
		const wrong = (file: string, to: string, typeOnly = false) => findProblem(file, { to, typeOnly });
		assert.match(wrong("src/tools/readFile.ts", "src/gate/authorize.ts") ?? "", /imports/);
		assert.match(wrong("src/session/session.ts", "vscode") ?? "", /imports vscode/);
		assert.match(wrong("src/core/events.ts", "node:fs") ?? "", /imports/);
		assert.match(wrong("src/session/prompt/a.ts", "src/session/turn/turn.ts") ?? "", /imports/);
		assert.match(wrong("src/session/context.ts", "src/session/turn/turn.ts") ?? "", /imports/, "a loose file");
		assert.match(wrong("src/gate/rules.ts", "src/gate/grants.ts", true) ?? "", /imports/, "beside it");
		assert.match(wrong("src/memory/memoryFiles.ts", "src/memory/memoryTools.ts") ?? "", /imports/, "in a room without folders");
		assert.equal(wrong("src/session/turn/turn.ts", "src/session/context.ts"), undefined);
		assert.match(wrong("webview-ui/main.tsx", "src/chat/controller.ts") ?? "", /imports/);
		assert.equal(wrong("webview-ui/main.tsx", "src/chat/controller.ts", true), undefined);
		assert.match(wrong("webview-ui/main.tsx", "src/shared/node/hash.ts") ?? "", /imports/);
		assert.equal(wrong("src/tools/readFile.ts", "src/shared/node/hash.ts"), undefined);
	});

	it("is checked by what sees a ring", () => {
		const table = (arrows: Record<string, string[]>): Imports =>
			new Map(Object.entries(arrows).map(([file, all]) => [file, all.map((to) => ({ to, typeOnly: true }))]));
		assert.deepEqual(fileRings(table({ a: ["b"], b: ["c"], c: ["b"] })), [["b", "c"]]);
		const nested = table({ "a/b/c.ts": ["a/b/d/e.ts"], "a/b/d/e.ts": [], "a/b/d/f.ts": ["a/b/c.ts", "g.ts"], "g.ts": ["a/b/c.ts"] });
		assert.deepEqual(fileRings(nested), []);
		assert.deepEqual(siblingRings(nested), [
			["a/b/c.ts", "a/b/d"],
			["a", "g.ts"],
		]);
		assert.deepEqual(siblingRings(without(new Set(["a/b/d/f.ts → a/b/c.ts", "g.ts → a/b/c.ts"]), nested)), []);
	});
});
