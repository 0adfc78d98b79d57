// Tests disk failures, injected and real: pending writes stay in memory, and nothing is lost or duplicated.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StorageError } from "../../../src/core/ports/sessions.ts";
import {
	buildWriter,
	type Call,
	cleanUp,
	failingFiles,
	folderOf,
	linesOf,
	linesUntil,
	newFolder,
	openStore,
	range,
	startWriter,
	summary,
	summaryOf,
	transcriptOf,
	userEvent,
} from "./support.ts";

describe("a disk that refuses", () => {
	cleanUp();

	const calls: [Call, string][] = [
		["open", "EACCES"],
		["write", "ENOSPC"],
		["datasync", "EIO"],
		["sync", "EROFS"],
		["rename", "ENOSPC"],
		["writeFile", "ENOSPC"],
		["mkdir", "EROFS"],
	];

	for (const [call, code] of calls) {
		it(`at ${call} (${code}) keeps the events in memory, says so, and writes them in order when it gives in`, async () => {
			const root = await newFolder();
			await openStore(root).create(summary("one"));
			// Blobs and folders are made for big events alone; only the transcript's own calls matter for small ones.
			const failing = failingFiles(call, (path) => !path.startsWith("/proc"));
			const store = openStore(root, { files: failing.files });
			const health: string[] = [];
			store.onHealth(({ ok, message }) => health.push(ok ? "ok" : (message as string)));
			failing.code = code;
			const big = "rename writeFile mkdir".includes(call) ? "long ".repeat(30_000) : "";
			for (const seq of range(3)) {
				await assert.rejects(
					store.append("one", userEvent(seq, `text ${seq} ${big}`)),
					(error) =>
						error instanceof StorageError &&
						error.code === code &&
						error.kept &&
						/kept in memory.*leave this window open/s.test(error.message),
				);
				assert.equal(store.pendingWrites("one"), seq);
			}
			assert.match(health.at(-1) ?? "", /3 events of this session are kept in memory/);
			if (call === "open") await assert.rejects(store.read("one"), StorageError);
			else assert.deepEqual(summaryOf(await store.read("one")).seqs, [1, 2, 3], "what waits is part of the session");
			failing.code = undefined;
			await store.append("one", userEvent(4));
			assert.deepEqual([store.pendingWrites("one"), health.at(-1)], [0, "ok"]);
			const { events, damaged } = await openStore(root).read("one");
			assert.deepEqual(
				[summaryOf({ events, damaged }), (events[2] as { text: string }).text],
				[{ seqs: range(4), damaged: 0 }, `text 3 ${big}`],
			);
			assert.equal((await linesOf(transcriptOf(root, "one"))).length, 4, "nothing was written twice");
		});
	}

	it("is tried again without anyone asking", async () => {
		const root = await newFolder();
		const failing = failingFiles("write");
		const store = openStore(root, { files: failing.files });
		await store.create(summary("one"));
		const well = new Promise<void>((resolve) => store.onHealth(({ ok }) => (ok ? resolve() : undefined)));
		failing.code = "ENOSPC";
		await assert.rejects(store.append("one", userEvent(1)), /The disk is full\. 1 event/);
		failing.code = undefined;
		await Promise.all([well, new Promise((resolve) => setImmediate(resolve))]);
		assert.deepEqual(summaryOf(await openStore(root).read("one")), { seqs: [1], damaged: 0 });
	});

	it("that cannot even take a half-written record back loses and doubles nothing", async () => {
		const root = await newFolder();
		await openStore(root).create(summary("one"));
		const failing = failingFiles("write");
		const stubborn = failingFiles("truncate");
		const store = openStore(root, {
			files: {
				...failing.files,
				open: async (...given) => {
					const handle = await failing.files.open(...given);
					const cut = handle.truncate.bind(handle);
					handle.truncate = async (size) => {
						if (stubborn.code) throw Object.assign(new Error("injected"), { code: stubborn.code });
						await cut(size);
					};
					return handle;
				},
			},
		});
		await store.append("one", userEvent(1));
		failing.code = "EIO";
		stubborn.code = "EIO";
		await assert.rejects(store.append("one", userEvent(2)), StorageError);
		failing.code = undefined;
		stubborn.code = undefined;
		await store.append("one", userEvent(3));
		assert.deepEqual(summaryOf(await openStore(root).read("one")), { seqs: [1, 2, 3], damaged: 0 });
	});

	it("does not change what an update, a new session or an archive would have changed", async () => {
		const root = await newFolder();
		const failing = failingFiles("rename");
		const store = openStore(root, { files: failing.files });
		await store.create(summary("one", { name: "Cart" }));
		await store.append("one", userEvent(1));
		failing.code = "ENOSPC";
		const full = (error: unknown) => error instanceof StorageError && error.code === "ENOSPC" && /unchanged/.test(error.message);
		await assert.rejects(store.update("one", { name: "x" }), full);
		await assert.rejects(store.create(summary("two")), full);
		await assert.rejects(store.archive("one"), full);
		failing.code = undefined;
		assert.deepEqual(
			(await store.list()).map(({ sessionId, name, messageCount }) => [sessionId, name, messageCount]),
			[["one", "Cart", 1]],
		);
		assert.deepEqual(
			(await readdir(folderOf(root, "one"))).filter((name) => name.startsWith(".")),
			[],
		);
	});

	it("to the very end costs what it never took, and the log says so", async () => {
		const root = await newFolder();
		const failing = failingFiles("write");
		const lines: string[] = [];
		const store = openStore(root, { files: failing.files, log: (line) => lines.push(line) });
		await store.create(summary("one"));
		failing.code = "ENOSPC";
		await assert.rejects(store.append("one", userEvent(1)), StorageError);
		await store.close();
		assert.match(lines.join("\n"), /1 events of session one could not be written/);
	});

	it("because a folder became a file is a sentence, not a crash", async () => {
		const root = await newFolder();
		await writeFile(join(root, "sessions"), "in the way");
		const store = openStore(root);
		await assert.rejects(store.create(summary("one")), StorageError);
		await assert.rejects(store.append("one", userEvent(1)), (error) => error instanceof StorageError && error.code === "ENOTDIR");
		assert.deepEqual(await store.list(), []);
	});

	it("for real, by a limit on the size of a file: whole lines on disk, the rest in memory, all of it once the limit goes", async function () {
		this.timeout(60_000);
		if (!hasPrlimit()) this.skip();
		const root = await newFolder();
		const script = await buildWriter(await newFolder());
		await openStore(root).create(summary("one"));
		const orders = { root, sessionId: "one", name: "f", count: 20, first: 1, size: 5_000 };
		const child = startWriter(script, orders, 'ulimit -S -f 48; exec "$@"');
		const lines = await linesUntil(child, (line) => line.startsWith("pending"));
		const refused = lines.filter((line) => line.startsWith("refused"));
		assert.ok(refused.length > 5 && refused.every((line) => line.includes(" EFBIG ")), lines.join("\n"));
		assert.equal(lines.at(-1), `pending ${refused.length}`);
		const { size } = await stat(transcriptOf(root, "one"));
		assert.ok(size <= 48 * 1024);
		assert.deepEqual(summaryOf(await openStore(root).read("one")), { seqs: range(20 - refused.length), damaged: 0 });
		execFileSync("prlimit", ["--pid", String(child.pid), "--fsize=unlimited"]);
		assert.deepEqual(await linesUntil(child, (line) => line === "done"), ["healthy 0", "done"]);
		await child.ended;
		assert.deepEqual(summaryOf(await openStore(root).read("one")), { seqs: range(20), damaged: 0 });
	});
});

function hasPrlimit(): boolean {
	try {
		execFileSync("prlimit", ["--version"], { stdio: "ignore" });
		return process.platform === "linux";
	} catch {
		return false;
	}
}
