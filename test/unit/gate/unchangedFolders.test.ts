// Compares a gate that has seen folders before with one that has seen nothing, while the folders change.
import assert from "node:assert/strict";
import { lstatSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGate } from "../../../src/gate/gate.ts";
import { createWorkspaceFiles } from "../../../src/platform/files/files.ts";
import { randomFrom } from "../models/helpers.ts";

const STEPS = 400;
const USES = ["read", "write", "create", "delete"] as const;
const NAMES = ["HEAD", "objects", "refs", "commondir", "a.ts"];

type PickOne = <T>(from: readonly T[]) => T;

/** Picks repeatably. */
function createPick(seed: number): PickOne {
	const below = randomFrom(seed);
	return (from) => from[below(from.length)] as never;
}

describe("a gate that looked at folders before", () => {
	const now = Date.now;
	let root = "";
	beforeEach(() => {
		root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-folders-")));
		mkdirSync(join(root, "ws", "a", "b", "c"), { recursive: true });
		mkdirSync(join(root, "elsewhere"));
		// Folders that have just changed are looked at again anyway.
		Date.now = () => now() + 60_000;
	});
	afterEach(() => {
		Date.now = now;
		rmSync(root, { recursive: true, force: true });
	});

	it("sees a repository that is made piece by piece, and one that goes", async () => {
		const { old, fresh } = gates();
		const folder = join(root, "ws", "a");
		const kinds = async (gate = old) =>
			Promise.all((["read", "write"] as const).map(async (use) => (await gate.path("a/b/c/a.ts", use)).guarded?.kind));
		assert.deepEqual(await kinds(), [undefined, undefined]);
		for (const name of ["objects", "refs", "HEAD"]) {
			await nextTick();
			mkdirSync(join(folder, name));
			assert.deepEqual(await kinds(), await kinds(fresh()), name);
		}
		assert.deepEqual(await kinds(), ["git folder", "git folder"]);
		await nextTick();
		rmSync(join(folder, "HEAD"), { recursive: true });
		assert.deepEqual(await kinds(), [undefined, undefined]);
	});

	it("decides as one that looks for the first time, whatever happens to the folders", async () => {
		const pick = createPick(20_261);
		const kinds = new Set<string>();
		const { old, fresh } = gates();
		for (let step = 0; step < STEPS; step += 1) {
			await nextTick();
			const done = change(pick);
			const path = pick(["a/b/c/a.ts", "a/b/a.ts", "a/b/c/HEAD", "a/objects/x", "a/b", "b2/c/a.ts"]);
			const use = pick(USES);
			const fact = await old.path(path, use);
			assert.deepEqual(fact, await fresh().path(path, use), `step ${step}: ${done}, then ${use} ${path}`);
			kinds.add(fact.guarded?.kind ?? "none");
		}
		assert.ok(kinds.has("git folder") && kinds.has("none"), [...kinds].join());
	});

	function gates() {
		const folders = () => [{ name: "ws", path: join(root, "ws") }];
		const disk = createWorkspaceFiles(folders);
		const fresh = () => createGate({ disk, folders, storage: [join(root, "storage")], parser: "" });
		return { old: fresh(), fresh };
	}

	/** Makes, removes, moves or replaces one thing. */
	function change(pick: PickOne): string {
		const folder = join(root, "ws", pick(["", "a", "a/b", "a/b/c"]));
		const path = join(folder, pick(NAMES));
		const [what, act] = pick<[string, () => void]>([
			["make", () => mkdirSync(path)],
			["write", () => writeFileSync(path, "x")],
			["remove", () => rmSync(path, { recursive: true })],
			["link", () => symlinkSync(join(root, "elsewhere"), path)],
			["move away", () => renameSync(join(root, "ws", "a", "b"), join(root, "ws", "b2"))],
			["move back", () => renameSync(join(root, "ws", "b2"), join(root, "ws", "a", "b"))],
			["swap for a link", () => swap(join(root, "ws", "a"), join(root, "elsewhere", "a"), true)],
			["swap back", () => swap(join(root, "elsewhere", "a"), join(root, "ws", "a"), false)],
		]);
		try {
			act();
			return `${what} ${path}`;
		} catch {
			return "nothing";
		}
	}

	/** Moves a folder, and leaves a link to it or takes the link away. */
	function swap(from: string, to: string, leave: boolean): void {
		if (!leave) unlinkSync(to);
		renameSync(from, to);
		if (leave) symlinkSync(to, from);
	}

	/** Resolves once the file system's clock has moved, so that the next change has another time. */
	async function nextTick(): Promise<void> {
		const probe = join(root, "probe");
		const timeOf = () => {
			writeFileSync(probe, "x");
			return lstatSync(probe).mtimeMs;
		};
		const before = timeOf();
		while (timeOf() === before) await new Promise((resolve) => setImmediate(resolve));
	}
});
