// Folders of sessions: one for each id on any disk, and a new beginning after a deletion.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StorageError } from "../../../src/core/ports/sessions.ts";
import { nodeFileSystem, type StorageFileSystem } from "../../../src/storage/fileSystem.ts";
import { nameFolder } from "../../../src/storage/sessions/sessionPaths.ts";
import { CREATED, cleanUp, folderOf, linesOf, newFolder, openStore, summary, taskSummary, userEvent } from "./support.ts";

describe("sessions", () => {
	cleanUp();

	it("of ids that differ by case alone, or are as long as may be, have a folder each, also where the disk does not tell case", async () => {
		const root = await newFolder();
		const long = "x".repeat(128);
		const uuid = "0b9fd2f0-6f0e-4a8c-9d3b-0123456789ab";
		const folderName = nameFolder("external-123");
		const ids = ["EXTERNAL-123", "external-123", long, uuid, uuid.toUpperCase(), "con", "CON", folderName, folderName.toUpperCase()];
		const store = openStore(root);
		for (const id of ids) {
			await store.create(summary(id));
			await store.append(id, userEvent(1, `words of ${id}`));
		}
		const names = await readdir(join(root, "sessions"));
		assert.equal(new Set(names.map((name) => name.toLowerCase())).size, ids.length);
		assert.equal(names.includes(uuid), true, "an id of our own names its folder as ever");
		assert.ok(
			names.every((name) => name === uuid || /^x-[0-9a-f]{32}$/.test(name)),
			names.join(),
		);
		const again = openStore(root);
		assert.deepEqual(
			(await again.list()).map(({ sessionId, lastSnippet }) => [sessionId, lastSnippet?.slice(0, 20)]).sort(),
			ids.map((id) => [id, `words of ${id}`.slice(0, 20)]).sort(),
		);
		assert.equal((await again.read("external-123")).events.length, 1);
		await again.update("external-123", { name: "lower" });
		await again.delete("EXTERNAL-123");
		assert.deepEqual(
			(await openStore(root).list()).filter(({ sessionId }) => /external/i.test(sessionId)).map(({ sessionId, name }) => [sessionId, name]),
			[["external-123", "lower"]],
		);
	});

	it("whose folder an earlier version named by the id are found there, and cannot be made again", async () => {
		const root = await newFolder();
		const folder = join(root, "sessions", "old-1");
		await mkdir(folder, { recursive: true });
		const { agentId, role, createdAt } = summary("old-1");
		await writeFile(join(folder, "session.json"), JSON.stringify({ agentId, role, createdAt }));
		await writeFile(join(folder, "current.jsonl"), `${JSON.stringify(userEvent(1))}\n`);
		const store = openStore(root);
		assert.deepEqual(
			(await store.list()).map(({ sessionId, messageCount }) => [sessionId, messageCount]),
			[["old-1", 1]],
		);
		await store.append("old-1", userEvent(2));
		await store.update("old-1", { name: "kept" });
		await assert.rejects(store.create(summary("old-1")), (error) => error instanceof StorageError && error.code === "EEXIST");
		assert.deepEqual(await readdir(join(root, "sessions")), ["old-1"]);
		assert.equal(await linesOf(join(folder, "current.jsonl")).then((lines) => lines.length), 2);
		assert.equal((JSON.parse(await readFile(join(folder, "session.json"), "utf8")) as { sessionId?: string }).sessionId, undefined);
	});

	it("of other ids than ours are archived, searched, locked, cleared and deleted in a folder of their own, also as tasks and in an older storage", async () => {
		const [before, root] = [await newFolder(), await newFolder()];
		const ids = ["Ticket-7", "ticket-7", "aux"];
		const old = openStore(before);
		await old.create(summary("Ticket-7"));
		await old.create(taskSummary("aux"));
		await old.close();
		const store = openStore(root, { additionalRoots: [before] });
		await store.create(summary("ticket-7"));
		for (const id of ids) {
			await store.append(id, userEvent(1, `${id} early`));
			const archive = await store.archive(id);
			await store.append(id, userEvent(2, `${id} late`, "e2"));
			assert.deepEqual([(await store.read(id, archive)).events.length, (await store.load(id)).state.messages], [1, 1]);
			assert.equal(await store.own(id), true);
			assert.equal(await openStore(root, { additionalRoots: [before] }).own(id), false);
			await store.saveCheckpoint(id, `half of ${id}`);
		}
		const found: string[] = [];
		for await (const { sessionId, text } of store.search(ids, "LATE", new AbortController().signal)) found.push(sessionId, text);
		assert.deepEqual(
			found,
			ids.flatMap((id) => [id, `${id} late`]),
		);
		assert.deepEqual(await Promise.all(ids.map((id) => store.checkpoint(id))), ["half of Ticket-7", "half of ticket-7", "half of aux"]);
		await store.clear("Ticket-7");
		assert.deepEqual(await store.archives("Ticket-7"), []);
		assert.equal((await store.archives("ticket-7")).length, 1);
		for (const id of ids) await store.delete(id);
		const folders = [join(before, "sessions"), join(before, "tasks"), join(root, "sessions")];
		assert.deepEqual(await Promise.all(folders.map((folder) => readdir(folder))), [[], ["pending.json"], []]);
	});

	it("whose folder an earlier version named by the id are not taken for another id on a disk that ignores case", async () => {
		const root = await newFolder();
		const folder = join(root, "sessions", "ABC");
		await mkdir(folder, { recursive: true });
		await writeFile(join(folder, "current.jsonl"), `${JSON.stringify(userEvent(1))}\n`);
		const ignoringCase = (path: unknown) => String(path).replace(/(?<=sessions\/)abc(?=$|\/)/, "ABC");
		const files: StorageFileSystem = {
			...nodeFileSystem,
			stat: ((path: unknown) => nodeFileSystem.stat(ignoringCase(path))) as StorageFileSystem["stat"],
			open: (path, ...rest) => nodeFileSystem.open(ignoringCase(path), ...rest),
		};
		const store = openStore(root, { files });
		assert.equal((await store.read("abc")).events.length, 0);
		await store.create(summary("abc"));
		assert.deepEqual((await store.list()).map(({ sessionId, messageCount }) => [sessionId, messageCount]).sort(), [
			["ABC", 1],
			["abc", 0],
		]);
	});

	it("begin fresh in what is left of a deleted one, whose archives stay", async () => {
		const root = await newFolder();
		const store = openStore(root);
		for (const id of ["one", "two"]) {
			await store.create(summary(id, { name: "Earlier", role: "actor" }));
			await store.append(id, userEvent(1));
			await store.archive(id);
			await store.append(id, userEvent(1, "again", "again"));
			await store.saveCheckpoint(id, "half");
			await store.post(id, { id: "m", at: CREATED, from: {}, message: { text: "for the deleted one" } });
			for (const file of ["session.json", "current.jsonl"]) await rm(join(folderOf(root, id), file));
		}
		const again = openStore(root);
		assert.deepEqual(await again.list(), []);
		const [archive] = await again.archives("one");
		const made = await Promise.allSettled([again.create(summary("one")), openStore(root).create(summary("one"))]);
		assert.deepEqual(made.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
		assert.deepEqual(await again.list(), [summary("one")]);
		assert.deepEqual((await readdir(folderOf(root, "one"))).sort(), [archive, "session.json"]);
		assert.deepEqual([await again.inbox("one"), await again.checkpoint("one"), (await again.read("one")).events], [[], undefined, []]);
		assert.equal((await again.read("one", archive)).events.length, 1);
		await again.create(taskSummary("two"));
		assert.deepEqual([(await again.list()).length, (await again.list("task")).length], [1, 1]);
		assert.equal((await openStore(root).load("two")).state.messages, 0);
	});

	it("are created once by many windows at the same instant", async () => {
		const root = await newFolder();
		const made = await Promise.allSettled(
			Array.from({ length: 8 }, (_, place) => openStore(root).create(summary("one", { name: `window ${place}` }))),
		);
		const winner = made.findIndex(({ status }) => status === "fulfilled");
		assert.equal(made.filter(({ status }) => status === "fulfilled").length, 1);
		for (const result of made) if (result.status === "rejected") assert.equal(result.reason.code, "EEXIST");
		assert.deepEqual(
			(await openStore(root).list()).map(({ name }) => name),
			[`window ${winner}`],
		);
		assert.deepEqual(await readdir(folderOf(root, "one")), ["session.json"]);
	});

	it("are found where they live when an emptied folder of the same id is in a newer storage", async () => {
		const [before, root] = [await newFolder(), await newFolder()];
		await openStore(before).create(summary("one", { name: "kept" }));
		await mkdir(folderOf(root, "one"), { recursive: true });
		const store = openStore(root, { additionalRoots: [before] });
		await store.append("one", userEvent(1));
		assert.equal((await openStore(before).read("one")).events.length, 1);
		await assert.rejects(store.create(summary("one")), (error) => error instanceof StorageError && error.code === "EEXIST");
		assert.deepEqual(
			(await store.list()).map(({ name }) => name),
			["kept"],
		);
	});

	it("whose folder holds the name of another's hash, but not its id, keep that name", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("one"));
		await writeFile(
			join(folderOf(root, "one"), "session.json"),
			JSON.stringify({ sessionId: "two", agentId: "default", role: "planner", createdAt: CREATED }),
		);
		assert.deepEqual(
			(await openStore(root).list()).map(({ sessionId }) => sessionId),
			[nameFolder("one")],
		);
		assert.equal(
			await openStore(root)
				.create(summary("two"))
				.then(() => "made"),
			"made",
		);
	});
});
