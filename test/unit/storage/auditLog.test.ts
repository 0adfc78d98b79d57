// Tests the audit log: what is on a line, several windows, rotation, equal refusals, and a disk that fails.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mock } from "node:test";
import { fileURLToPath } from "node:url";
import { AUDIT_FILE, type AuditEntry } from "../../../src/core/ports/audit.ts";
import { createAuditLog } from "../../../src/storage/auditLog.ts";
import { nodeFileSystem, type StorageFileSystem } from "../../../src/storage/fileSystem.ts";
import { cleanUp, failingFiles, linesOf, newFolder } from "./support.ts";

const writer = join(dirname(fileURLToPath(import.meta.url)), "auditWriter.program.mjs");

function entry(more: Partial<AuditEntry> = {}): AuditEntry {
	return {
		at: "2025-01-01T00:00:00.000Z",
		kind: "call",
		caller: { session: "s1", agent: "troupe", call: "c1", role: "planner" },
		target: { agent: "release-notes", session: "s2" },
		chain: ["troupe", "release-notes"],
		ceiling: ["ReadFiles"],
		summary: "Draft the notes",
		decision: "allowed",
		...more,
	};
}

const refusal = (more: Partial<AuditEntry> = {}) => entry({ kind: "refusal", decision: "refused", reason: "Too deep", ...more });

async function read(folder: string, file = AUDIT_FILE): Promise<AuditEntry[]> {
	return (await linesOf(join(folder, file))).map((line) => JSON.parse(line) as AuditEntry);
}

describe("the audit log", () => {
	cleanUp();

	const logged: string[] = [];
	const open = (folder: string, options: Partial<Parameters<typeof createAuditLog>[0]> = {}) =>
		createAuditLog({ folder, log: (line) => logged.push(line), ...options });

	beforeEach(() => logged.splice(0));

	it("keeps every entry on a line of its own, in a file that only the user may read", async () => {
		const folder = join(await newFolder(), "not", "there");
		const audit = open(folder);
		const entries = [entry(), entry({ kind: "answer", status: "done", tokens: 12 }), refusal({ summary: "a\nb" })];
		for (const one of entries) await audit.record(one);
		assert.deepEqual(await read(folder), entries);
		assert.deepEqual(await readdir(folder), [AUDIT_FILE]);
		if (process.platform !== "win32") assert.equal((await stat(join(folder, AUDIT_FILE))).mode & 0o777, 0o600);
		await open(folder).record(entry());
		assert.equal((await read(folder)).length, 4);
	});

	it("keeps the first 500 characters of what it was for, without hidden characters", async () => {
		const folder = await newFolder();
		await open(folder).record(entry({ summary: `\u202eDo\u{e0041} it 👩\u200d💻 ${"é".repeat(10_000_000)}` }));
		const [found] = await read(folder);
		assert.equal(found?.summary.length, 500);
		assert.ok(found.summary.startsWith("Do it 👩\u200d💻 éé"));
		await open(folder).record(entry({ summary: `${"a".repeat(499)}👩` }));
		assert.equal((await read(folder))[1]?.summary, "a".repeat(499));
	});

	it("has no line over 8 KB, whatever is in an entry", async () => {
		const folder = await newFolder();
		const long = "\\价\n".repeat(100_000);
		const all = Array.from({ length: 5_000 }, () => long);
		await open(folder).record(
			refusal({
				at: long,
				caller: { session: long, agent: long, call: long, role: long },
				target: { agent: long, session: long },
				chain: all,
				ceiling: all,
				summary: long,
				reason: long,
				status: long,
			}),
		);
		const [line = ""] = await linesOf(join(folder, AUDIT_FILE));
		assert.ok(Buffer.byteLength(line) < 8_192 && line.length > 500, `${Buffer.byteLength(line)} bytes`);
		assert.equal((JSON.parse(line) as AuditEntry).decision, "refused");
	});

	it("begins a new file when one is full, and keeps three older ones", async () => {
		const folder = await newFolder();
		const audit = open(folder, { fileBytes: 1_000 });
		for (let index = 0; index < 40; index += 1) await audit.record(entry({ tokens: index }));
		assert.deepEqual((await readdir(folder)).sort(), ["audit.1.jsonl", "audit.2.jsonl", "audit.3.jsonl", AUDIT_FILE].sort());
		const files = ["audit.3.jsonl", "audit.2.jsonl", "audit.1.jsonl", AUDIT_FILE];
		const tokens = (await Promise.all(files.map((file) => read(folder, file)))).flat().map((one) => one.tokens);
		assert.deepEqual(
			tokens,
			tokens.map((_, index) => 40 - tokens.length + index),
		);
		assert.ok(tokens.length >= 9);
		for (const file of files) assert.ok((await stat(join(folder, file))).size <= 1_000);
	});

	it("loses and mixes nothing of two windows that write and rotate at once", async function () {
		this.timeout(30_000);
		const folder = await newFolder();
		const orders = { folder, count: 60, fileBytes: 10_000 };
		const children = ["one", "two"].map((name) =>
			spawn(process.execPath, [writer, JSON.stringify({ ...orders, name })], { stdio: ["ignore", "ignore", "inherit"] }),
		);
		const codes = await Promise.all(children.map((child) => once(child, "close")));
		assert.deepEqual(
			codes.map(([code]) => code as unknown),
			[0, 0],
		);
		const files = ["audit.3.jsonl", "audit.2.jsonl", "audit.1.jsonl", AUDIT_FILE];
		const names = (await readdir(folder)).sort();
		const entries = (await Promise.all(files.filter((file) => names.includes(file)).map((file) => read(folder, file)))).flat();
		for (const name of ["one", "two"]) {
			const calls = entries.filter(({ caller }) => caller.agent === name).map(({ caller }) => Number(caller.call));
			assert.deepEqual(
				calls,
				calls.map((_, index) => index),
			);
			assert.equal(calls.length, 60);
		}
		assert.ok(names.includes("audit.1.jsonl") && names.every((name) => files.includes(name)), names.join());
	});

	it("loses nothing where several windows find a file full at the same moment", async () => {
		for (let round = 0; round < 10; round += 1) {
			const folder = await newFolder();
			const windows = Array.from({ length: 4 }, () => open(folder, { fileBytes: 4_000 }));
			// 12 entries to a file, and four files.
			for (let index = 0; index < 10; index += 1) await Promise.all(windows.map((audit, tokens) => audit.record(entry({ tokens }))));
			const names = await readdir(folder);
			const entries = (await Promise.all(names.map((name) => read(folder, name)))).flat();
			assert.equal(entries.length, 40, `round ${round}: ${names.join()}`);
		}
		assert.deepEqual(logged, []);
	});

	it("begins a new line after one that a crash cut off", async () => {
		const folder = await newFolder();
		await open(folder).record(entry());
		await appendFile(join(folder, AUDIT_FILE), '{"at":"2025');
		await open(folder).record(entry({ tokens: 2 }));
		const lines = await linesOf(join(folder, AUDIT_FILE));
		assert.equal(lines.length, 3);
		assert.equal((JSON.parse(lines[2] as string) as AuditEntry).tokens, 2);
	});

	describe("equal refusals within a minute", () => {
		beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
		afterEach(() => mock.timers.reset());

		it("are one line and their count, which is written when the minute is over", async () => {
			const folder = await newFolder();
			const audit = open(folder);
			for (let index = 0; index < 6; index += 1)
				await audit.record(refusal({ at: `at ${index}`, caller: { session: "s1", agent: "troupe", call: `c${index}` } }));
			assert.equal((await read(folder)).length, 1);
			mock.timers.tick(60_000);
			await audit.record(refusal({ at: "later", caller: { session: "s1", agent: "troupe", call: "c9" } }));
			const found = (await read(folder)).map(({ at, count, caller }) => [at, count, caller.call]);
			assert.deepEqual(found, [
				["at 0", undefined, "c0"],
				["at 5", 5, "c5"],
				["later", undefined, "c9"],
			]);
		});

		it("are counted on, whatever else is recorded, and their count is one line", async () => {
			const folder = await newFolder();
			const audit = open(folder);
			for (const one of [refusal(), refusal(), refusal(), entry(), refusal(), refusal({ reason: "A ring" }), refusal({ reason: "A ring" })])
				await audit.record(one);
			await audit.close();
			assert.deepEqual(
				(await read(folder)).map(({ decision, reason, count }) => [decision, reason, count]),
				[
					["refused", "Too deep", undefined],
					["allowed", undefined, undefined],
					["refused", "A ring", undefined],
					["refused", "Too deep", 3],
					["refused", "A ring", 1],
				],
			);
		});

		it("are not those of another agent, with another target, or for another reason, nor is anything allowed", async () => {
			const folder = await newFolder();
			const audit = open(folder);
			const others = [
				refusal(),
				refusal({ caller: { session: "s1", agent: "other" } }),
				refusal({ target: { agent: "other" } }),
				refusal({ chain: ["a"] }),
				refusal({ summary: "Something else" }),
				refusal({ reason: "No such agent" }),
				entry(),
				entry(),
			];
			for (const one of others) await audit.record(one);
			assert.deepEqual(await read(folder), others);
		});

		it("of very many kinds are forgotten in order, with their counts", async () => {
			const folder = await newFolder();
			const audit = open(folder);
			for (let index = 0; index < 150; index += 1) await audit.record(refusal({ summary: String(index) }));
			await audit.record(refusal({ summary: "149" }));
			await audit.record(refusal({ summary: "0" }));
			await audit.close();
			const found = await read(folder);
			assert.equal(found.length, 152);
			assert.deepEqual(
				found.slice(-2).map(({ summary, count }) => [summary, count]),
				[
					["0", undefined],
					["149", 1],
				],
			);
		});
	});

	it("keeps what the disk refuses, says so in the log, and writes it once with the next entry", async () => {
		const folder = await newFolder();
		const disk = failingFiles("writeFile", (path) => path.endsWith(AUDIT_FILE));
		const audit = open(folder, { files: disk.files });
		await audit.record(entry({ tokens: 1 }));
		disk.code = "ENOSPC";
		await audit.record(entry({ tokens: 2 }));
		await audit.record(entry({ tokens: 3 }));
		assert.equal(logged.length, 2);
		assert.match(logged.at(-1) ?? "", /2 entries are kept in memory.*ENOSPC/);
		disk.code = undefined;
		await audit.close();
		assert.deepEqual(
			(await read(folder)).map(({ tokens }) => tokens),
			[1, 2, 3],
		);
	});

	it("removes the half of a line that reached the disk before it failed", async () => {
		const folder = await newFolder();
		let full = true;
		const openFile: StorageFileSystem["open"] = async (path, ...rest) => {
			const handle = await nodeFileSystem.open(path, ...rest);
			const whole = handle.writeFile.bind(handle);
			if (full && String(path).endsWith(AUDIT_FILE))
				handle.writeFile = async (text) => {
					await whole(String(text).slice(0, 40));
					throw Object.assign(new Error("full"), { code: "ENOSPC" });
				};
			return handle;
		};
		const audit = open(folder, { files: { ...nodeFileSystem, open: openFile } });
		await audit.record(entry({ tokens: 1 }));
		full = false;
		await audit.record(entry({ tokens: 2 }));
		assert.deepEqual(
			(await read(folder)).map(({ tokens }) => tokens),
			[1, 2],
		);
	});

	it("never rejects where it can't write at all", async () => {
		const folder = await newFolder();
		await writeFile(join(folder, "file"), "");
		await open(join(folder, "file", "below")).record(entry());
		await mkdir(join(folder, AUDIT_FILE));
		await open(folder).record(entry());
		assert.equal(logged.length, 2);
		if (process.platform === "win32" || process.getuid?.() === 0) return;
		const closed = join(folder, "closed");
		await mkdir(closed);
		await chmod(closed, 0o500);
		await open(closed).record(entry());
		assert.equal(logged.length, 3);
	});
});
