// Reading: ranges of files of any size, unsaved text first, and sentences where there is nothing to read.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, truncateSync } from "node:fs";
import { ToolError } from "../../../src/core/ports/tool.ts";
import { bytes, type Place, place, sha256 } from "./support.ts";

describe("reading the disk", () => {
	let at: Place;
	const unsaved = new Map<string, Uint8Array>();
	beforeEach(() => {
		at = place({
			buffers: {
				dirty: (path) => unsaved.get(path),
				refusal: () => undefined,
				setText: async () => undefined,
				save: async () => undefined,
			},
		});
	});
	afterEach(() => at.dispose());

	it("gives the first page of a file of 10 GB without reading the rest", async () => {
		const path = at.put("huge.bin", "begin");
		truncateSync(path, 10 * 1024 ** 3);
		const before = process.memoryUsage.rss();
		const page = await at.machine.read(path, { offset: 0, length: 32_768 });
		const version = await at.machine.version(path);
		assert.deepEqual([page.length, Buffer.from(page.subarray(0, 5)).toString()], [32_768, "begin"]);
		assert.deepEqual([version?.size, version?.hash.length], [10 * 1024 ** 3, 64]);
		await assert.rejects(at.machine.read(path), /too many to read at once/);
		assert.ok(process.memoryUsage.rss() - before < 50 * 1024 * 1024);
	});

	it("gives parts, and less at the end", async () => {
		const path = at.put("a.txt", "0123456789");
		assert.equal(Buffer.from(await at.machine.read(path, { offset: 3, length: 4 })).toString(), "3456");
		assert.equal(Buffer.from(await at.machine.read(path, { offset: 8, length: 4 })).toString(), "89");
		assert.equal((await at.machine.read(path, { offset: 20, length: 4 })).length, 0);
	});

	it("puts what an editor holds unsaved first", async () => {
		const path = at.put("a.txt", "disk");
		unsaved.set(path, bytes("unsaved"));
		assert.equal(Buffer.from(await at.machine.read(path)).toString(), "unsaved");
		assert.equal(Buffer.from(await at.machine.read(path, { offset: 2, length: 3 })).toString(), "sav");
		assert.equal((await at.machine.version(path))?.hash, sha256("unsaved"));
	});

	it("says what is wrong and what to do when there is nothing to read", async () => {
		mkdirSync(at.path("folder"));
		execFileSync("mkfifo", [at.path("pipe")]);
		await assert.rejects(at.machine.read(at.path("missing")), ToolError);
		await assert.rejects(at.machine.read(at.path("folder")), ToolError);
		await assert.rejects(at.machine.read(at.path("pipe")), /neither a file nor a folder/);
		assert.deepEqual([await at.machine.version(at.path("missing")), await at.machine.stat(at.path("missing"))], [undefined, undefined]);
	});

	it("tells links, their targets and the number of names", async () => {
		const path = at.put("a.txt", "abc");
		linkSync(path, at.path("b.txt"));
		symlinkSync(path, at.path("link"));
		symlinkSync(at.path("nowhere"), at.path("broken"));
		symlinkSync(at.path("ring"), at.path("ring"));
		const link = await at.machine.lstat(at.path("link"));
		assert.deepEqual([link?.type, link?.link], ["other", path]);
		assert.equal((await at.machine.lstat(path))?.links, 2);
		assert.equal(await at.machine.realpath(at.path("link")), path);
		assert.equal(await at.machine.realpath(at.path("broken")), undefined);
		await assert.rejects(at.machine.realpath(at.path("ring")), /ELOOP/);
		assert.deepEqual(
			(await at.machine.list(at.folder)).sort((one, other) => (one.name < other.name ? -1 : 1)),
			[
				{ name: "a.txt", type: "file", link: false },
				{ name: "b.txt", type: "file", link: false },
				{ name: "broken", type: "other", link: true },
				{ name: "link", type: "file", link: true },
				{ name: "ring", type: "other", link: true },
			],
		);
	});

	it("peeks at no more than asked, and at nothing where nothing is", async () => {
		const path = at.put("a.txt", "0123456789");
		assert.equal(Buffer.from((await at.machine.peek(path, 4)) ?? []).toString(), "0123");
		assert.equal(await at.machine.peek(at.path("missing"), 4), undefined);
	});
});

describe("the commit", () => {
	it("is the one HEAD points at, and nothing outside git or before the first", async () => {
		const at = place();
		const git = (...words: string[]) =>
			execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...words], { cwd: at.folder, encoding: "utf8" }).trim();
		assert.equal(await at.machine.commit(), undefined);
		git("init", "-q");
		assert.equal(await at.machine.commit(), undefined);
		at.put("a.txt", "a");
		git("add", ".");
		git("commit", "-q", "-m", "a");
		assert.equal(await at.machine.commit(), git("rev-parse", "HEAD"));
		await at.dispose();
	});
});
