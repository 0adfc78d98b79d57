// A transcript that is replaced at one stroke: the old one under the time, the new one in its place.
import assert from "node:assert/strict";
import { link, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import { nodeFileSystem } from "../../../src/storage/fileSystem.ts";
import { cleanUp, failingFiles, newFolder, openStore, summary, transcriptOf, userEvent } from "./support.ts";

const now = () => new Date("2025-03-04T05:06:07.000Z");
const NAME = "2025-03-04-050607.jsonl";
const begin = (archive: string): TranscriptEvent[] => [userEvent(1, `after ${archive}`, "new")];

describe("a transcript that is archived with a new beginning", () => {
	cleanUp();

	async function written(files = nodeFileSystem) {
		const root = await newFolder();
		const store = openStore(root, { now, files });
		await store.create(summary("one"));
		for (let seq = 1; seq <= 3; seq += 1) await store.append("one", userEvent(seq));
		return { root, store };
	}
	const old = [userEvent(1), userEvent(2), userEvent(3)];

	it("goes on with what follows, and both can be read", async () => {
		const { store, root } = await written();
		assert.equal(await store.archive("one", begin), NAME);
		await store.append("one", userEvent(2, "goes on", "next"));
		const expected = [userEvent(1, `after ${NAME}`, "new"), userEvent(2, "goes on", "next")];
		assert.deepEqual((await store.read("one")).events, expected);
		assert.deepEqual((await store.read("one", NAME)).events, old);
		assert.deepEqual((await openStore(root).read("one")).events, expected);
		assert.equal((await store.list())[0]?.messageCount, 2);
	});

	it("is copied where the disk knows no second names", async () => {
		const files = { ...nodeFileSystem, link: async () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTSUP" })) };
		const { store } = await written(files);
		assert.equal(await store.archive("one", begin), NAME);
		assert.deepEqual((await store.read("one", NAME)).events, old);
		assert.equal((await store.read("one")).events.length, 1);
	});

	for (const call of ["open", "rename", "sync"] as const) {
		it(`stays as it is when ${call} fails`, async () => {
			const failing = failingFiles(call, (path) => path.includes("current.jsonl"));
			const { store } = await written(failing.files);
			failing.code = "ENOSPC";
			await assert.rejects(store.archive("one", begin), /archive the session/);
			failing.code = undefined;
			assert.deepEqual((await store.read("one")).events, old);
			assert.deepEqual(await store.archives("one"), []);
			await store.append("one", userEvent(4));
			assert.equal((await store.read("one")).events.length, 4);
		});
	}

	it("has one archive though a crash had left it a second name before", async () => {
		const { store, root } = await written();
		const current = transcriptOf(root, "one");
		await link(current, join(dirname(current), "2025-03-04-050600.jsonl"));
		assert.equal(await store.archive("one", begin), NAME);
		assert.deepEqual(await store.archives("one"), [NAME]);
		assert.deepEqual((await store.read("one", NAME)).events, old);
	});

	it("leaves nothing else in its folder", async () => {
		const { store, root } = await written();
		await store.archive("one", begin);
		const names = await readdir(dirname(transcriptOf(root, "one")));
		assert.deepEqual(names.sort(), [NAME, "current.jsonl", "session.json"].sort());
	});
});
