// Workspaces that are too large, or are the whole disk: what stays read-only there.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { appeared, protectedPlaces } from "../../../src/platform/sandbox/protectedPlaces.ts";
import { arranged, within } from "../../../src/platform/sandbox/view.ts";
import { workspaceView } from "../../../src/platform/sandbox/views.ts";
import { realOf } from "../../../src/platform/sandbox/visible.ts";

const isProtected = (inside: string) => inside.split("/").includes(".vscode");

describe("what cannot be looked through", () => {
	let ws: string;
	beforeEach(() => {
		ws = realpathSync(mkdtempSync(join(tmpdir(), "bounds-")));
		for (const name of [".vscode", "a/b/.vscode", "c/d", "e"]) mkdirSync(join(ws, name), { recursive: true });
		for (let at = 0; at < 20; at++) writeFileSync(join(ws, `a/${at}`), "");
	});
	afterEach(() => rmSync(ws, { recursive: true, force: true }));

	it("stays read-only, with whatever protected places lie in it", async () => {
		const { known, unseen } = await protectedPlaces(isProtected, { entries: 10, time: 1_000 })([ws]);
		assert.deepEqual([...known.keys()], [join(ws, ".vscode")]);
		assert.ok(
			unseen.some((folder) => within(join(ws, "a/b/.vscode"), folder)),
			unseen.join(),
		);
		const all = await protectedPlaces(isProtected)([ws]);
		assert.deepEqual([[...all.known.keys()].sort(), all.unseen], [[join(ws, ".vscode"), join(ws, "a/b/.vscode")], []]);
	});

	it("is not taken for touched when it is looked into afterwards", async () => {
		const before = await protectedPlaces(isProtected, { entries: 10, time: 1_000 })([ws]);
		const after = await protectedPlaces(isProtected)([ws]);
		assert.deepEqual(appeared(before, after), []);
		mkdirSync(join(ws, "e/.vscode"));
		const seen = await protectedPlaces(isProtected)([ws]);
		assert.deepEqual(appeared(after, seen), [join(ws, "e/.vscode")]);
	});
});

describe("a workspace that is the whole disk", () => {
	it("leaves programs and settings of the system read-only", () => {
		for (const folders of [["/"], ["/", join(homedir(), "code")]]) {
			const here = { home: homedir(), folders, cwd: "/", searchPath: "/usr/bin:/bin", storage: [], shared: [] };
			const writing = { caches: [], own: "/nowhere", guarded: [], repository: [], network: false, handed: [] };
			const places = arranged(workspaceView(here, writing).places);
			for (const name of ["/usr/bin", "/etc", "/bin", "/lib", "/opt", "/var"]) {
				const path = realOf(name) ?? name;
				const around = places.filter((place) => within(path, place.path)).at(-1)?.seen ?? "readable";
				assert.notEqual(around, "writable", `${name} in ${folders.join()}`);
			}
		}
	});
});
