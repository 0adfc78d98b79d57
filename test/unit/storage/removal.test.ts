// Tests Clear and Delete: removed data and blobs are gone, and other sessions' blobs stay.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BlobRef, FileChange, TranscriptEvent } from "../../../src/core/events.ts";
import { createBlobs } from "../../../src/storage/blobs.ts";
import { nameFolder } from "../../../src/storage/sessions/sessionPaths.ts";
import { cleanUp, failingFiles, folderOf, linesOf, newFolder, openStore, summary, transcriptOf, userEvent } from "./support.ts";

const LONG = 100_000;

async function kept(root: string): Promise<string[]> {
	return (await readdir(join(root, "blobs")).catch(() => [])).sort();
}

/** As after a while: nobody is just about to name these blobs. */
async function age(root: string): Promise<void> {
	for (const name of await kept(root)) await utimes(join(root, "blobs", name), 1, 1);
}

async function keep(root: string, text: string): Promise<BlobRef> {
	return { blob: await createBlobs(join(root, "blobs")).put(Buffer.from(text)), size: text.length };
}

function changeEvent(seq: number, changes: FileChange[]): TranscriptEvent {
	const base = { id: `c${seq}`, seq, at: "2025-01-02T00:00:00.000Z", by: "host" as const };
	return { ...base, type: "result", call: "c", status: "ok", output: "done", view: { kind: "change", changes } };
}

function change(before: BlobRef, path = "a.ts"): FileChange {
	return { path, action: "update", diff: "", added: 1, removed: 1, before, after: "" };
}

describe("a session that is removed", () => {
	cleanUp();

	for (const how of ["delete", "clear"] as const) {
		it(`takes along what only it names: long messages, images, what files were before (${how})`, async () => {
			const root = await newFolder();
			const store = openStore(root);
			await store.create(summary("one"));
			await store.append("one", userEvent(1, "archived ".repeat(LONG)));
			await store.archive("one");
			await store.append("one", userEvent(1, "secret ".repeat(LONG), "again"));
			await store.append("one", { ...userEvent(2), type: "user", text: "look", images: [await keep(root, "an image")] });
			await store.append("one", changeEvent(3, [change(await keep(root, "the file before"))]));
			assert.equal((await kept(root)).length, 4);
			await age(root);
			await store[how]("one");
			assert.deepEqual([await kept(root), await readdir(join(root, "sessions"))], [[], how === "clear" ? [nameFolder("one")] : []]);
		});
	}

	it("leaves what another session names, in its transcript or its archives, in this storage or an older one", async () => {
		const [root, before] = [await newFolder(), await newFolder()];
		const names = ["current", "archived", "older"];
		const blobs = await Promise.all(names.map((name) => keep(root, name)));
		const old = openStore(before);
		await old.create(summary("older"));
		await old.append("older", changeEvent(1, [change(blobs[2] as BlobRef)]));
		const store = openStore(root, { additionalRoots: [before] });
		for (const id of ["one", "current", "archived"]) await store.create(summary(id));
		await store.append(
			"one",
			changeEvent(
				1,
				[...blobs, await keep(root, "its own")].map((blob) => change(blob)),
			),
		);
		await store.append("current", changeEvent(1, [change(blobs[0] as BlobRef)]));
		await store.append("archived", changeEvent(1, [change(blobs[1] as BlobRef)]));
		await store.archive("archived");
		await age(root);
		await store.delete("one");
		assert.deepEqual(await kept(root), blobs.map(({ blob }) => blob).sort());
		for (const id of names) await store.clear(id);
		assert.deepEqual(await kept(root), []);
	});

	it("leaves what a part of another's event names that was itself too long for a line", async () => {
		const root = await newFolder();
		const store = openStore(root);
		const shared = await keep(root, "shared");
		const many = (prefix: string) => Array.from({ length: 1_500 }, (_, place) => change(shared, `${prefix}/${place}.ts`));
		for (const id of ["one", "two"]) {
			await store.create(summary(id));
			await store.append(id, changeEvent(1, many(id)));
			assert.doesNotMatch((await linesOf(transcriptOf(root, id)))[0] ?? "", new RegExp(shared.blob));
		}
		await age(root);
		await store.delete("one");
		assert.equal((await kept(root)).length, 2);
		assert.ok((await kept(root)).includes(shared.blob));
		await store.delete("two");
		assert.deepEqual(await kept(root), []);
	});

	it("is not held by a text that only quotes a hash", async () => {
		const root = await newFolder();
		const store = openStore(root);
		const before = await keep(root, "secret");
		for (const id of ["one", "two"]) await store.create(summary(id));
		await store.append("one", changeEvent(1, [change(before)]));
		await store.append("two", userEvent(1, `what is {"blob":"${before.blob}"} and ${before.blob}?`));
		await age(root);
		await store.delete("one");
		assert.deepEqual(await kept(root), []);
	});

	it("leaves a blob that somebody has only just put, and takes it when nobody came to name it", async () => {
		const root = await newFolder();
		let heard = () => {};
		const gone = new Promise<void>((resolve) => {
			heard = resolve;
		});
		const store = openStore(root, { blobGracePeriod: 300, log: (line) => line.includes("is gone") && heard() });
		await store.create(summary("one"));
		await store.append("one", changeEvent(1, [change(await keep(root, "just put"))]));
		await store.delete("one");
		const [left = ""] = await readdir(join(root, "sessions"));
		assert.deepEqual([(await kept(root)).length, await readdir(join(root, "sessions", left))], [1, ["blobs.jsonl"]]);
		await gone;
		assert.deepEqual([await kept(root), await readdir(join(root, "sessions"))], [[], []]);
	});

	it("does not take what was put again since, though it was old", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("one"));
		await store.append("one", changeEvent(1, [change(await keep(root, "the same"))]));
		await age(root);
		await keep(root, "the same");
		await store.delete("one");
		assert.equal((await kept(root)).length, 1);
	});

	it("leaves what an event names that still waits for the disk", async () => {
		const root = await newFolder();
		const failing = failingFiles("open", (path) => path.includes(nameFolder("two")));
		const store = openStore(root, { files: failing.files });
		const shared = await keep(root, "shared");
		for (const id of ["one", "two"]) await store.create(summary(id));
		await store.append("one", changeEvent(1, [change(shared)]));
		await age(root);
		failing.code = "ENOSPC";
		await assert.rejects(store.append("two", changeEvent(1, [change(shared)])));
		failing.code = undefined;
		await store.delete("one");
		assert.deepEqual(await kept(root), [shared.blob]);
	});

	it("leaves every blob when another session cannot be read, and takes them at the next start", async () => {
		const root = await newFolder();
		const failing = failingFiles("open", (path) => path.includes(nameFolder("two")));
		const lines: string[] = [];
		const store = openStore(root, { files: failing.files, log: (line) => lines.push(line) });
		for (const id of ["one", "two"]) await store.create(summary(id));
		await store.append("one", userEvent(1, "secret ".repeat(LONG)));
		await store.append("two", userEvent(1));
		await age(root);
		failing.code = "EIO";
		await store.delete("one");
		assert.equal((await kept(root)).length, 1);
		assert.match(lines.join(), /will be removed at the next start.*EIO/);
		await openStore(root).recover();
		assert.deepEqual([await kept(root), await readdir(join(root, "sessions"))], [[], [nameFolder("two")]]);
	});

	it("is removed by the next window when this one died in the middle", async () => {
		const root = await newFolder();
		const store = openStore(root);
		for (const id of ["one", "two"]) await store.create(summary(id));
		const long = "secret ".repeat(LONG);
		await store.append("one", userEvent(1, long));
		await store.append("two", userEvent(1, `${long}!`));
		await age(root);
		const sessions = join(root, "sessions");
		// A deletion that had only taken the folder away, and a clearing that had not even come that far.
		await mkdir(join(sessions, ".removed-01"));
		await writeFile(join(sessions, ".removed-01", "current.jsonl"), await readFile(transcriptOf(root, "one")));
		await store.append("one", userEvent(2));
		await mkdir(join(folderOf(root, "two"), ".removed-02"));
		await writeFile(join(folderOf(root, "two"), ".removed-02", "current.jsonl"), await readFile(transcriptOf(root, "two")));
		await utimes(join(folderOf(root, "two"), ".removed-02"), 1, 1);
		await writeFile(transcriptOf(root, "two"), "");
		await openStore(root).recover();
		const hash = createHash("sha256").update(JSON.stringify(long)).digest("hex");
		assert.deepEqual(await kept(root), [hash]);
		assert.deepEqual(
			[(await readdir(sessions)).sort(), await readdir(folderOf(root, "two"))],
			[["one", "two"].map(nameFolder).sort(), ["current.jsonl", "session.json"]],
		);
	});

	it("leaves nothing in its folder but who it is", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("one"));
		await store.own("one");
		await store.append("one", userEvent(1));
		for (const name of ["current.jsonl.corrupt", "notes.txt", "streaming.txt"]) await writeFile(join(folderOf(root, "one"), name), "x");
		await store.clear("one");
		assert.deepEqual((await readdir(folderOf(root, "one"))).sort(), ["owner.json", "session.json"]);
	});

	it("stays whole when it cannot be cleared", async () => {
		const root = await newFolder();
		const failing = failingFiles("rename", (path) => path.endsWith("current.jsonl"));
		const store = openStore(root, { files: failing.files });
		await store.create(summary("one"));
		await store.append("one", userEvent(1));
		await store.archive("one");
		await store.append("one", userEvent(1, "again", "again"));
		const before = (await readdir(folderOf(root, "one"))).sort();
		failing.code = "EPERM";
		await assert.rejects(store.clear("one"), /unchanged/);
		assert.deepEqual((await readdir(folderOf(root, "one"))).sort(), before);
	});
});
