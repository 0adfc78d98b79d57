// Shared tests of file operations for every workspace, on disk or virtual.
import assert from "node:assert/strict";
import { FileConflict, type FileVersion } from "../../../src/core/ports/workspace/files.ts";
import type { SearchQuery } from "../../../src/core/ports/workspace/search.ts";
import type { Workspace } from "../../../src/core/ports/workspace.ts";
import { bytes, sha256, straight } from "./support.ts";

export interface Ground {
	workspace: Omit<Workspace, "diagnostics" | "symbols">;
	/** The absolute path of a name in the workspace folder. */
	path(name: string): string;
	put(name: string, content: string): Promise<string>;
	/** Undefined where no such file is. */
	text(name: string): Promise<string | undefined>;
	dispose(): Promise<void>;
}

export function workspaceContract(kind: string, ground: () => Promise<Ground>): void {
	describe(`a workspace ${kind}`, () => {
		let at: Ground;
		const { signal } = new AbortController();
		const text = async (path: string, range?: { offset: number; length: number }) =>
			Buffer.from(await at.workspace.read(path, range)).toString();
		const base = async (path: string): Promise<FileVersion> => (await at.workspace.version(path)) ?? assert.fail(`${path} has no version`);
		const names = async (folder: string) => (await at.workspace.list(folder)).map(({ name, type }) => `${name} ${type}`).sort();

		beforeEach(async () => {
			at = await ground();
		});
		afterEach(() => at.dispose());

		it("reads whole files and parts of them, and knows their versions", async () => {
			const path = await at.put("src/a.txt", "0123456789");
			assert.equal(await text(path), "0123456789");
			assert.equal(await text(path, { offset: 3, length: 4 }), "3456");
			assert.equal(await text(path, { offset: 8, length: 4 }), "89");
			assert.equal(await text(path, { offset: 20, length: 4 }), "");
			const { size, hash } = await base(path);
			assert.deepEqual([size, hash], [10, sha256("0123456789")]);
			assert.deepEqual(Buffer.from((await at.workspace.peek(path, 4)) ?? []).toString(), "0123");
			assert.equal(await at.workspace.realpath(path), path);
			await at.put("src/a.txt", "other");
			assert.notEqual((await base(path)).hash, hash);
		});

		it("tells files from folders, and says what to do where nothing is", async () => {
			const path = await at.put("src/a.txt", "abc");
			const { type, size, links } = (await at.workspace.lstat(path)) ?? assert.fail();
			assert.deepEqual([type, size, links], ["file", 3, 1]);
			assert.equal((await at.workspace.stat(at.path("src")))?.type, "directory");
			for (const look of [at.workspace.stat, at.workspace.lstat, at.workspace.realpath, at.workspace.version]) {
				assert.equal(await look(at.path("missing")), undefined);
				assert.equal(await look(at.path("src/a.txt/below")), undefined);
			}
			assert.equal(await at.workspace.peek(at.path("missing"), 4), undefined);
			await assert.rejects(at.workspace.read(at.path("missing")), /^ToolError: missing does not exist.*find_files/);
			await assert.rejects(at.workspace.read(at.path("src")), /is a folder.*list_directory/);
			await at.put("src/deep/b.txt", "");
			assert.deepEqual(await names(at.path("src")), ["a.txt file", "deep directory"]);
		});

		it("finds files by globs, from the folder or from below it", async () => {
			for (const name of ["a.ts", "src/b.ts", "src/deep/c.tsx", "README.md"]) await at.put(name, "x");
			const find = (glob: string, under?: string, limit = 100) =>
				at.workspace.find(glob, { limit, signal, ...(under !== undefined && { under: at.path(under) }) });
			assert.deepEqual((await find("*.ts")).paths, ["a.ts", "src/b.ts"]);
			assert.deepEqual((await find("src/**/*.{ts,tsx}")).paths, ["src/b.ts", "src/deep/c.tsx"]);
			assert.deepEqual((await find("**/*.tsx", "src")).paths, ["deep/c.tsx"]);
			const { paths, more } = await find("*", undefined, 2);
			assert.deepEqual([paths.length, more], [2, true]);
			await assert.rejects(find("*", "missing"), /missing does not exist/);
		});

		it("searches text, by expressions and literally, in folders, files and globs", async () => {
			await at.put("src/a.ts", "one\nformatPrice(1)\nthree\nfour\n");
			await at.put("src/deep/b.tsx", "FORMATPRICE\n");
			await at.put(".hidden/c.ts", "formatPrice\r\n");
			const search = async (query: Partial<SearchQuery>) => {
				const { matches, more } = await at.workspace.search({ pattern: "formatPrice", limit: 100, ...query }, signal);
				const lines = matches.map(({ path, line, text: found, context }) => `${path}:${line}${context ? "-" : ":"}${found}`);
				return { more, lines: lines.map((line) => line.replace(at.path("").replace(/\/?$/, "/"), "")).sort() };
			};
			assert.deepEqual(await search({}), { more: false, lines: [".hidden/c.ts:1:formatPrice", "src/a.ts:2:formatPrice(1)"] });
			assert.deepEqual((await search({ pattern: "^format.rice\\(\\d\\)$" })).lines, ["src/a.ts:2:formatPrice(1)"]);
			assert.deepEqual((await search({ pattern: "Price(1)", literal: true })).lines, ["src/a.ts:2:formatPrice(1)"]);
			assert.equal((await search({ ignoreCase: true })).lines.length, 3);
			assert.deepEqual((await search({ ignoreCase: true, glob: "*.tsx" })).lines, ["src/deep/b.tsx:1:FORMATPRICE"]);
			assert.deepEqual((await search({ under: at.path("src") })).lines, ["src/a.ts:2:formatPrice(1)"]);
			assert.deepEqual((await search({ under: at.path("src/a.ts"), context: 1 })).lines, [
				"src/a.ts:1-one",
				"src/a.ts:2:formatPrice(1)",
				"src/a.ts:3-three",
			]);
			await at.put("many.txt", "needle\n".repeat(50));
			const { lines, more } = await search({ pattern: "needle", limit: 7 });
			assert.deepEqual([lines.length, more], [7, true]);
			await assert.rejects(search({ pattern: "(" }), /Correct the pattern/);
			await assert.rejects(search({ under: at.path("missing") }), /missing does not exist/);
		});

		it("changes, creates, deletes and renames in one go, byte for byte, and undoes it all", async () => {
			const [one, gone, from] = [await at.put("one.txt", "1\r\n"), await at.put("gone.txt", "2\n"), await at.put("from.txt", "3\n")];
			const [made, to] = [at.path("x/y/made.txt"), at.path("z/to.txt")];
			const edits = [
				{ path: one, action: "update", content: bytes("one\r\n"), base: await base(one) },
				{ path: gone, action: "delete" },
				{ path: made, action: "create", content: bytes("new\n") },
				{ path: from, action: "rename", to, content: bytes("three\n") },
			] as const;
			const seen = await at.workspace.preview(edits);
			assert.equal(await at.text("one.txt"), "1\r\n");
			const changes = await at.workspace.apply(edits, straight(one, gone, made, from, to));
			assert.deepEqual(
				changes.map(({ before: _, ...change }) => change),
				seen,
			);
			const after = await Promise.all(["one.txt", "gone.txt", "x/y/made.txt", "from.txt", "z/to.txt"].map((name) => at.text(name)));
			assert.deepEqual(after, ["one\r\n", undefined, "new\n", undefined, "three\n"]);
			assert.deepEqual(
				changes.map(({ action, added, removed, before }) => [action, added, removed, before?.size]),
				[
					["update", 1, 1, 3],
					["delete", 0, 1, 2],
					["create", 1, 0, undefined],
					["rename", 1, 1, 2],
				],
			);
			for (const change of changes) await at.workspace.undo(change);
			const again = await Promise.all(["one.txt", "gone.txt", "x/y/made.txt", "from.txt", "z/to.txt"].map((name) => at.text(name)));
			assert.deepEqual(again, ["1\r\n", "2\n", undefined, "3\n", undefined]);
		});

		it("changes nothing where one of several edits cannot be made", async () => {
			const [one, two] = [await at.put("one.txt", "1\n"), await at.put("two.txt", "2\n")];
			const old = await base(two);
			await at.put("two.txt", "somebody else\n");
			const change = at.workspace.apply(
				[
					{ path: one, action: "update", content: bytes("one\n"), base: await base(one) },
					{ path: two, action: "update", content: bytes("two\n"), base: old },
				],
				straight(one, two),
			);
			await assert.rejects(
				change,
				(error) => error instanceof FileConflict && /two\.txt has changed since.*Nothing was changed/.test(error.message),
			);
			assert.deepEqual([await at.text("one.txt"), await at.text("two.txt")], ["1\n", "somebody else\n"]);
			const there = at.workspace.apply([{ path: one, action: "create", content: bytes("x") }], straight(one));
			await assert.rejects(there, /one\.txt exists already/);
			const onto = at.workspace.apply([{ path: one, action: "rename", to: two }], straight(one, two));
			await assert.rejects(onto, /two\.txt exists already/);
			const elsewhere = at.workspace.apply([{ path: one, action: "delete" }], new Map([[one, two]]));
			await assert.rejects(elsewhere, /no longer leads where it did/);
		});

		it("refuses to undo where a file has moved on since", async () => {
			const one = await at.put("one.txt", "1\n");
			const [change] = await at.workspace.apply(
				[{ path: one, action: "update", content: bytes("one\n"), base: await base(one) }],
				straight(one),
			);
			await at.put("one.txt", "somebody else\n");
			await assert.rejects(at.workspace.undo(change ?? assert.fail()), (error) => error instanceof FileConflict);
			assert.equal(await at.text("one.txt"), "somebody else\n");
		});
	});
}
