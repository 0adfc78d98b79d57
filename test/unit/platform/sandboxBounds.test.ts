// Workspaces that are too large, or are the whole disk: what stays read-only there.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createWorkspaceWritePolicy } from "../../../src/platform/sandbox/createPolicy.ts";
import { isWithin, normalizeRules } from "../../../src/platform/sandbox/policy.ts";
import { createProtectedPlaceScanner, listChangedPlaces, resolveRealPathSync } from "../../../src/platform/sandbox/protectedPlaces.ts";

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
		const { fingerprints: known, unscannedFolders: unseen } = await createProtectedPlaceScanner(isProtected, { entries: 10, time: 1_000 })([
			ws,
		]);
		assert.deepEqual([...known.keys()], [join(ws, ".vscode")]);
		assert.ok(
			unseen.some((folder) => isWithin(join(ws, "a/b/.vscode"), folder)),
			unseen.join(),
		);
		const all = await createProtectedPlaceScanner(isProtected)([ws]);
		assert.deepEqual([[...all.fingerprints.keys()].sort(), all.unscannedFolders], [[join(ws, ".vscode"), join(ws, "a/b/.vscode")], []]);
	});

	it("is not taken for touched when it is looked into afterwards", async () => {
		const before = await createProtectedPlaceScanner(isProtected, { entries: 10, time: 1_000 })([ws]);
		const after = await createProtectedPlaceScanner(isProtected)([ws]);
		assert.deepEqual(listChangedPlaces(before, after), []);
		mkdirSync(join(ws, "e/.vscode"));
		const seen = await createProtectedPlaceScanner(isProtected)([ws]);
		assert.deepEqual(listChangedPlaces(after, seen), [join(ws, "e/.vscode")]);
	});
});

describe("a workspace that is the whole disk", () => {
	it("leaves programs and settings of the system read-only", () => {
		for (const folders of [["/"], ["/", join(homedir(), "code")]]) {
			const here = { homeFolder: homedir(), folders, cwd: "/", searchPath: "/usr/bin:/bin", hiddenFolders: [], readableFolders: [] };
			const writing = {
				caches: [],
				sandboxCaches: "/nowhere",
				protectedPaths: [],
				repositoryRules: [],
				network: false,
				allowedSockets: [],
			};
			const places = normalizeRules(createWorkspaceWritePolicy(here, writing).rules);
			for (const name of ["/usr/bin", "/etc", "/bin", "/lib", "/opt", "/var"]) {
				const path = resolveRealPathSync(name) ?? name;
				const around = places.filter((place) => isWithin(path, place.path)).at(-1)?.access ?? "readable";
				assert.notEqual(around, "writable", `${name} in ${folders.join()}`);
			}
		}
	});
});
