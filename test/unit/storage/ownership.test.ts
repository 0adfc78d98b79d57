// One host has a session, and a host that is gone has none.
import assert from "node:assert/strict";
import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StorageError } from "../../../src/core/ports/sessions.ts";
import { nodeFileSystem } from "../../../src/storage/fileSystem.ts";
import { createSessionLock } from "../../../src/storage/sessions/sessionLock.ts";
import { buildWriter, cleanUp, folderOf, linesUntil, newFolder, openStore, startWriter, summary, userEvent } from "./support.ts";

describe("a session", () => {
	cleanUp();

	async function oneSession() {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("one"));
		return { root, store, owner: join(folderOf(root, "one"), "owner.json") };
	}

	it("belongs to one store at a time, in one process too, and is free when given back", async () => {
		const { root, store, owner } = await oneSession();
		const other = openStore(root);
		assert.deepEqual(await Promise.all([store.own("one"), store.own("one")]), [true, true]);
		assert.deepEqual([await other.own("one"), store.isHeld("one"), other.isHeld("one")], [false, true, false]);
		await other.release("one");
		assert.equal(await other.own("one"), false);
		await store.release("one");
		assert.deepEqual([await other.own("one"), await store.own("one")], [true, false]);
		await other.close();
		assert.equal(await store.own("one"), true);
		assert.deepEqual(Object.keys(JSON.parse(await readFile(owner, "utf8")) as object).sort(), ["host", "nonce", "pid", "start"]);
	});

	it("is given up by a host that can do without it when another asks, and kept by one that cannot", async () => {
		const { root, store, owner } = await oneSession();
		const other = openStore(root);
		await store.own("one");
		assert.equal(await other.own("one", "ask"), false);
		assert.equal(store.isHeld("one"), true);
		store.onWanted((sessionId) => void store.release(sessionId));
		assert.equal(await other.own("one", "ask"), true);
		assert.deepEqual([store.isHeld("one"), other.isHeld("one"), await store.own("one")], [false, true, false]);
		assert.deepEqual((await readdir(join(owner, ".."))).includes("wanted"), false);
	}).timeout(15_000);

	it("that runs elsewhere is not cleared, archived or deleted from here", async () => {
		const { root, store } = await oneSession();
		await store.append("one", userEvent(1));
		await store.own("one");
		const other = openStore(root);
		const busy = (error: unknown) => error instanceof StorageError && error.code === "EBUSY" && /another window/.test(error.message);
		await assert.rejects(other.clear("one"), busy);
		await assert.rejects(other.archive("one"), busy);
		await assert.rejects(other.delete("one"), busy);
		assert.equal((await store.read("one")).events.length, 1);
	});

	it("of a process that lives is taken by nobody; of one that was killed, by the next who asks", async () => {
		const { root, store } = await oneSession();
		const script = await buildWriter(await newFolder());
		const child = startWriter(script, { root, sessionId: "one", name: "k", count: 1_000_000, first: 1, own: true });
		assert.deepEqual((await linesUntil(child, (_, count) => count === 3))[0], "own true");
		// Silence alone is not death while the process can be asked.
		await utimes(join(folderOf(root, "one"), "owner.json"), 1, 1);
		assert.equal(await store.own("one"), process.platform !== "linux");
		child.kill("SIGKILL");
		await child.ended;
		assert.equal(await store.own("one"), true);
	});

	it("is free when its owner's pid is another process now, its file is damaged, or a host that cannot be asked went silent", async () => {
		const { root, store, owner } = await oneSession();
		await store.own("one");
		const self = JSON.parse(await readFile(owner, "utf8")) as Record<string, unknown>;
		await store.release("one");
		const attempts: [object | string, Date, boolean][] = [
			[{ ...self, nonce: "x", pid: process.ppid, start: "1" }, new Date(), process.platform === "linux"],
			[{ ...self, nonce: "x", pid: 4_194_399 }, new Date(), true],
			["{", new Date(), true],
			["", new Date(), true],
			[{ ...self, nonce: "x", host: "elsewhere" }, new Date(), false],
			[{ ...self, nonce: "x", host: "elsewhere" }, new Date(Date.now() - 6_000), true],
			[{ ...self, nonce: "x", host: "elsewhere" }, new Date(Date.now() + 60_000), true],
		];
		for (const [content, time, free] of attempts) {
			await writeFile(owner, typeof content === "string" ? content : JSON.stringify(content));
			await utimes(owner, time, time);
			const taker = openStore(root);
			assert.equal(await taker.own("one"), free, JSON.stringify(content));
			await taker.release("one");
		}
	});

	it("of a dead owner goes to one of many who ask at the same instant, every time", async () => {
		const { root, owner } = await oneSession();
		const dead = JSON.stringify({ pid: 4_194_399, start: "1", host: "gone", nonce: "dead" });
		for (let round = 0; round < 20; round++) {
			await writeFile(owner, dead);
			await utimes(owner, 1, 1);
			const takers = Array.from({ length: 4 }, () => createSessionLock(nodeFileSystem, () => assert.fail("lost")));
			const taken = await Promise.all(takers.map((taker) => taker.acquire(folderOf(root, "one"))));
			assert.equal(taken.filter(Boolean).length, 1);
			await Promise.all(takers.map((taker) => taker.close()));
			assert.deepEqual(await readdir(folderOf(root, "one")), ["session.json"]);
		}
	});

	it("that another host took while ours was silent is known to be lost", async () => {
		const { root } = await oneSession();
		const folder = folderOf(root, "one");
		const other = createSessionLock(nodeFileSystem, () => undefined);
		await other.acquire(folder);
		const theirs = await readFile(join(folder, "owner.json"), "utf8");
		await other.close();
		let mine: ReturnType<typeof createSessionLock> | undefined;
		const lost = new Promise<string>((resolve) => {
			mine = createSessionLock(nodeFileSystem, resolve);
		});
		assert.equal(await mine?.acquire(folder), true);
		await writeFile(join(folder, "owner.json"), theirs);
		// The heartbeat does not keep a process alive; waiting for it here does.
		const alive = setInterval(() => undefined, 1_000);
		assert.equal(await lost, folder);
		clearInterval(alive);
		assert.equal(mine?.isHeld(folder), false);
		await mine?.close();
		assert.equal(await readFile(join(folder, "owner.json"), "utf8"), theirs);
	});

	it("is not kept from its next owner by a lock that a dead process left", async () => {
		const { store, owner } = await oneSession();
		await writeFile(`${owner}.lock`, "");
		assert.equal(await store.own("one"), true);
		assert.deepEqual((await readdir(join(owner, ".."))).sort(), ["owner.json", "session.json"]);
	});
});
