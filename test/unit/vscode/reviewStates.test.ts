// Tests which files under review are read again.
import assert from "node:assert/strict";
import type { FileUnderReview } from "../../../src/sessions/pendingChanges.ts";
import { ReviewStates } from "../../../src/vscode/review/reviewStates.ts";
import { createDeferred } from "../../fakes/deferred.ts";

const blob = (name: string) => ({ blob: name, size: 1 });

function underReview(path: string, after = "new"): FileUnderReview {
	const facts = { path, absolute: `/w/${path}`, original: blob("old"), after, at: "1", until: after, added: 1, removed: 1, turns: ["t"] };
	return { ...facts, sessions: [{ id: "s", path }] };
}

describe("files under review", () => {
	const disk = new Map<string, string>();
	let read: string[];
	let states: ReviewStates;
	let now: number;

	beforeEach(() => {
		read = [];
		disk.clear();
		for (const name of ["a", "b", "c"]) disk.set(`/w/${name}`, "new");
		now = 0;
		states = new ReviewStates(
			async (path) => {
				read.push(path);
				const hash = disk.get(path);
				return hash === undefined ? undefined : { hash };
			},
			() => now,
		);
	});

	const files = () => ["a", "b", "c"].map((name) => underReview(name));
	const shown = async (list: readonly FileUnderReview[]) =>
		[...(await states.read(list)).values()].map(({ path, state }) => `${path} ${state}`);

	it("are read once while nothing is heard of them", async () => {
		assert.deepEqual(await shown(files()), ["a changed", "b changed", "c changed"]);
		assert.deepEqual(await shown(files()), ["a changed", "b changed", "c changed"]);
		assert.equal(read.length, 3);
	});

	it("are read again when a session changes one", async () => {
		await states.read(files());
		read = [];
		await states.read([underReview("a"), underReview("b", "newer"), underReview("c")]);
		assert.deepEqual(read, ["/w/b"]);
	});

	it("are read again when another program changes, restores or deletes one", async () => {
		await states.read(files());
		disk.set("/w/a", "old");
		disk.delete("/w/b");
		for (const path of ["/w/a", "/w/b"]) states.forget(path);
		assert.deepEqual(await shown(files()), ["b deleted", "c changed"]);
	});

	it("are heard of, too, when one was restored and is not shown", async () => {
		disk.set("/w/a", "old");
		assert.deepEqual(await shown(files()), ["b changed", "c changed"]);
		disk.set("/w/a", "new");
		assert.equal(states.forget("/w/a"), true);
		assert.deepEqual(await shown(files()), ["a changed", "b changed", "c changed"]);
		assert.equal(states.forget("/w/other"), false);
	});

	it("are read again some time later, though nothing was heard", async () => {
		await states.read(files());
		disk.set("/w/a", "old");
		now += 60_000;
		assert.deepEqual(await shown(files()), ["b changed", "c changed"]);
	});

	it("are all read again before a command acts on them", async () => {
		await states.read(files());
		disk.set("/w/c", "old");
		states.forgetAll();
		assert.deepEqual(await shown(files()), ["a changed", "b changed"]);
	});

	it("are read again if they change while they are read", async () => {
		const { until, open } = createDeferred();
		states = new ReviewStates(async (path) => {
			const hash = disk.get(path) ?? "";
			await until;
			return { hash };
		});
		const first = states.read(files());
		disk.set("/w/a", "old");
		states.forget("/w/a");
		open();
		await first;
		assert.deepEqual(await shown(files()), ["b changed", "c changed"]);
	});

	it("are read again after one could not be read", async () => {
		let fails = true;
		states = new ReviewStates(async () => {
			if (fails) throw new Error("The disk is gone.");
			return { hash: "new" };
		});
		await assert.rejects(states.read(files()), /The disk is gone/);
		fails = false;
		assert.equal((await shown(files())).length, 3);
	});
});
