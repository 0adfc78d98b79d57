// Sessions as the rest of Troupe sees them: created, renamed, archived, cleared, deleted, found again.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StorageError } from "../../../src/core/ports/sessions.ts";
import { readCachedList } from "../../../src/storage/sessions/sessionIndex.ts";
import { listStorages, nameFolder, rememberStorage } from "../../../src/storage/sessions/sessionPaths.ts";
import { CREATED, cleanUp, folderOf, newFolder, openStore, smallState, summary, taskSummary, transcriptOf, userEvent } from "./support.ts";

describe("sessions", () => {
	cleanUp();

	it("come back as they were written, in a new store", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("one", { name: "First", attributes: { color: "red" } }));
		await store.append("one", { id: "r", seq: 1, at: "2025-01-02T00:00:00.000Z", by: "person", type: "role", role: "actor" });
		await store.append("one", userEvent(2, "Rename   it\neverywhere"));
		await store.append("one", { ...userEvent(3), by: "model", type: "assistant", text: "Done." });
		const again = openStore(root);
		const { events, damaged } = await again.read("one");
		assert.deepEqual(
			[events.map(({ type, seq }) => [type, seq]), damaged],
			[
				[
					["role", 1],
					["user", 2],
					["assistant", 3],
				],
				0,
			],
		);
		assert.deepEqual(await again.list(), [
			{
				sessionId: "one",
				agentId: "default",
				name: "First",
				createdAt: CREATED,
				updatedAt: userEvent(3).at,
				lastSnippet: "Done.",
				messageCount: 2,
				attributes: { color: "red" },
				role: "actor",
			},
		]);
	});

	it("are private: files 0600, folders 0700", async () => {
		const root = join(await newFolder(), "storage");
		const store = openStore(root);
		await store.create(summary("one"));
		await store.own("one");
		await store.append("one", userEvent(1, "long ".repeat(30_000)));
		await store.saveCheckpoint("one", "half an ans");
		await store.list();
		await store.close();
		const names = await readdir(root, { recursive: true });
		assert.ok(names.length >= 7, names.join());
		for (const name of ["", ...names]) {
			const { mode } = await stat(join(root, name));
			assert.equal(mode & 0o077, 0, `${name} is open to others`);
		}
	});

	it("refuse ids that lead elsewhere, and touch nothing", async () => {
		const parent = await newFolder();
		const root = join(parent, "storage");
		const store = openStore(root);
		for (const id of ["../evil", "..", ".", "", "a/b", "a\\b", "a\0b", "ü", "x".repeat(129), "a b", "C:"]) {
			const refused = (work: Promise<unknown>) =>
				assert.rejects(work, (error) => error instanceof StorageError && error.code === "EINVAL", id);
			await refused(store.create(summary(id)));
			await refused(store.append(id, userEvent(1)));
			await refused(store.read(id));
			await refused(store.update(id, { name: "x" }));
			await refused(store.own(id));
			await refused(store.archive(id));
			await refused(store.clear(id));
			await refused(store.delete(id));
			await refused(store.saveCheckpoint(id, "x"));
		}
		assert.deepEqual(await readdir(parent), []);
	});

	it("do not follow a link in the place of a transcript or a session", async () => {
		const root = await newFolder();
		const outside = await newFolder();
		const store = openStore(root);
		await store.create(summary("one"));
		await writeFile(join(outside, "target"), "secret\n");
		await symlink(join(outside, "target"), transcriptOf(root, "one"));
		await symlink(outside, join(root, "sessions", "linked"));
		await assert.rejects(store.append("one", userEvent(1)), StorageError);
		assert.equal(await readFile(join(outside, "target"), "utf8"), "secret\n");
		assert.deepEqual((await readdir(outside)).sort(), ["target"]);
	});

	it("are renamed and pinned, and lose both again", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("one"));
		await store.update("one", { name: "Cart", pinnedAt: "2025-02-01T00:00:00.000Z" });
		assert.deepEqual(
			(await openStore(root).list()).map(({ name, pinnedAt }) => [name, pinnedAt]),
			[["Cart", "2025-02-01T00:00:00.000Z"]],
		);
		await store.update("one", { name: undefined, pinnedAt: "" });
		assert.deepEqual(await openStore(root).list(), [summary("one")]);
	});

	it("archive the transcript under the time and start empty, keeping role and agent", async () => {
		const root = await newFolder();
		const store = openStore(root, { now: () => new Date("2025-03-04T05:06:07.000Z") });
		await store.create(summary("one"));
		const texts = ["first", "second"];
		const names: string[] = [];
		for (const text of texts) {
			await store.append("one", { id: `r${text}`, seq: 1, at: CREATED, by: "person", type: "role", role: "actor" });
			await store.append("one", userEvent(2, text, text));
			names.push(await store.archive("one"));
		}
		assert.deepEqual(names, ["2025-03-04-050607.jsonl", "2025-03-04-050608.jsonl"]);
		assert.deepEqual(await store.archives("one"), names);
		assert.deepEqual(await store.read("one"), { events: [], damaged: 0 });
		const archived = [];
		for await (const event of store.stream("one", names[0])) archived.push(event);
		assert.deepEqual(archived.at(-1), userEvent(2, "first", "first"));
		assert.deepEqual(
			(await store.list()).map(({ role, messageCount, updatedAt }) => [role, messageCount, updatedAt]),
			[["actor", 0, userEvent(2).at]],
		);
		await assert.rejects(store.archive("one"), /no messages/);
		await assert.rejects(async () => {
			for await (const _ of store.stream("one", "../../index.json")) assert.fail("read something");
		}, StorageError);
	});

	it("clear history and archives but not who they are", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("one", { name: "Cart" }));
		await store.append("one", userEvent(1));
		await store.archive("one");
		await store.append("one", userEvent(1, "again", "again"));
		await store.saveCheckpoint("one", "half");
		await store.clear("one");
		assert.deepEqual(await readdir(folderOf(root, "one")), ["session.json"]);
		assert.deepEqual(
			(await store.list()).map(({ name, messageCount }) => [name, messageCount]),
			[["Cart", 0]],
		);
		await store.append("one", userEvent(1, "new", "new"));
		assert.equal((await store.read("one")).events.length, 1);
	});

	it("are gone once deleted, and writing to them says so instead of bringing them back", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("one"));
		await store.append("one", userEvent(1));
		await store.delete("one");
		await store.delete("one");
		assert.deepEqual([await store.list(), await readdir(join(root, "sessions"))], [[], []]);
		await assert.rejects(store.append("one", userEvent(2)), (error) => error instanceof StorageError && error.code === "ENOENT");
		await assert.rejects(store.update("one", { name: "x" }), StorageError);
		assert.deepEqual(await readdir(join(root, "sessions")), []);
	});

	it("are not created over each other", async () => {
		const store = openStore(await newFolder());
		await store.create(summary("one", { name: "mine" }));
		await assert.rejects(store.create(summary("one", { name: "other" })), StorageError);
		assert.equal((await store.list())[0]?.name, "mine");
	});

	it("keep the words of a streaming answer beside the transcript until they are an event", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("one"));
		await Promise.all([store.saveCheckpoint("one", "Hel"), store.saveCheckpoint("one", "Hello wor")]);
		assert.equal(await openStore(root).checkpoint("one"), "Hello wor");
		await Promise.all([store.saveCheckpoint("one", "Hello world"), store.saveCheckpoint("one", undefined)]);
		assert.equal(await openStore(root).checkpoint("one"), undefined);
		assert.deepEqual(await readdir(folderOf(root, "one")), ["session.json"]);
	});

	it("of an older storage of the same folder are listed, read and written where they are", async () => {
		const [global, before, after] = [await newFolder(), await newFolder(), await newFolder()];
		const old = openStore(before);
		await old.create(summary("old"));
		await old.append("old", userEvent(1));
		await rememberStorage(global, ["file:///shop"], before);
		await rememberStorage(global, ["file:///shop", "file:///tools"], after);
		await rememberStorage(global, ["file:///shop"], "/gone");
		assert.deepEqual(await listStorages(global, ["file:///shop"]), [before, after]);
		assert.deepEqual(await listStorages(global, ["file:///tools"]), [after]);
		assert.deepEqual(await listStorages(global, ["file:///other"]), []);
		const store = openStore(after, { additionalRoots: await listStorages(global, ["file:///shop", "file:///tools"]) });
		await store.create(summary("new"));
		await store.append("old", userEvent(2));
		assert.deepEqual(
			(await store.list()).map(({ sessionId, messageCount }) => [sessionId, messageCount]),
			[
				["old", 2],
				["new", 0],
			],
		);
		assert.equal((await openStore(before).read("old")).events.length, 2);
	});

	it("whose session.json is damaged may do the least", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("one", { role: "actor" }));
		await writeFile(join(folderOf(root, "one"), "session.json"), '{"agentId": "def');
		assert.deepEqual(
			(await store.list()).map(({ agentId, role }) => [agentId, role]),
			[["default", "planner"]],
		);
	});

	it("say who they are whatever their transcript says, and that nothing is known of older ones", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("one", { agentId: "reviewer", role: "planner" }));
		await writeFile(transcriptOf(root, "one"), "not a line\n");
		await mkdir(folderOf(root, "older"));
		await writeFile(transcriptOf(root, "older"), `${JSON.stringify(userEvent(1))}\n`);
		await store.create(summary("damaged", { agentId: "reviewer", role: "actor" }));
		await writeFile(join(folderOf(root, "damaged"), "session.json"), '{"agentId": "revi');
		assert.deepEqual(await Promise.all(["one", "older", "damaged", "none"].map((id) => store.identity(id))), [
			{ agentId: "reviewer", role: "planner" },
			undefined,
			{ agentId: "default", role: "planner" },
			undefined,
		]);
	});

	it("and tasks are listed by kind, read by id, and never share an id or their place in the editor's state", async () => {
		const root = await newFolder();
		const index = smallState();
		const store = openStore(root, { index });
		await store.create(summary("talk"));
		await store.create(taskSummary("work"));
		await writeFile(join(root, "tasks", "pending.json"), "{}");
		await store.append("work", userEvent(1, "in the background"));
		assert.deepEqual(
			(await store.list()).map(({ sessionId }) => sessionId),
			["talk"],
		);
		assert.deepEqual(
			(await store.list("task")).map(({ sessionId, kind, messageCount }) => [sessionId, kind, messageCount]),
			[["work", "task", 1]],
		);
		assert.equal(existsSync(join(root, "tasks", nameFolder("work"), "current.jsonl")), true);
		await assert.rejects(store.create(summary("work")), (error) => error instanceof StorageError && error.code === "EEXIST");
		await assert.rejects(store.create(taskSummary("talk")), (error) => error instanceof StorageError && error.code === "EEXIST");
		await store.close();
		assert.deepEqual(
			readCachedList(index.value).map(({ sessionId }) => sessionId),
			["talk"],
		);
		const again = openStore(root, { index });
		assert.equal((await again.load("work")).state.messages, 1);
		await again.delete("work");
		assert.deepEqual([await again.list("task"), (await again.list()).length], [[], 1]);
	});

	it("leave no leftovers of processes that died", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("one"));
		const folder = folderOf(root, "one");
		await mkdir(join(root, "blobs"));
		const living = join(folder, `.session.json.${process.pid}-aabbcc.tmp`);
		const old = join(folder, "owner.json.lock");
		const dead = [
			join(folder, ".session.json.4194399-aabbcc.tmp"),
			join(root, ".index.json.4194399-00.tmp"),
			join(root, "blobs", ".ab.4194399-00.tmp"),
		];
		for (const path of [living, old, ...dead]) await writeFile(path, "half");
		await utimes(old, 1, 1);
		await mkdir(join(root, "sessions", ".removed-00ff"));
		await openStore(root).recover();
		assert.deepEqual((await readdir(folder)).sort(), [`.session.json.${process.pid}-aabbcc.tmp`, "session.json"]);
		assert.deepEqual([await readdir(join(root, "blobs")), await readdir(join(root, "sessions"))], [[], [nameFolder("one")]]);
		assert.deepEqual((await readdir(root)).sort(), ["blobs", "sessions"]);
	});
});
