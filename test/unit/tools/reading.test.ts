// read_file, list_directory, find_files, get_file_info: what they show, how much at once, and what they leave out.
import assert from "node:assert/strict";
import { mkdir, open, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { PNG } from "../../fakes/pictures.ts";
import { type Bench, bench, benchOn, problemOf } from "./support.ts";

let here: Bench;
beforeEach(async () => {
	here = await bench();
});
afterEach(() => rm(here.root, { recursive: true }));

async function put(path: string, content: string | Uint8Array): Promise<void> {
	await mkdir(join(here.root, path, ".."), { recursive: true });
	await writeFile(join(here.root, path), content);
}

function numbered(count: number): string {
	return Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");
}

describe("read_file", () => {
	it("shows every line behind its number", async () => {
		await put("src/a.ts", "one\r\n\ttwo\n\nfour");
		assert.deepEqual(await here.call("read_file", { path: "src/a.ts" }), {
			output: "1\tone\n2\t\ttwo\n3\t\n4\tfour",
			view: { kind: "file", path: "src/a.ts", line: 1, figure: "4 lines" },
		});
	});

	it("hands on an image, and says why one cannot be shown", async () => {
		await put("logo.png", PNG);
		await put("text.gif", "GIF89a is how these files begin.");
		const { output, images, view } = await here.call("read_file", { path: "logo.png" });
		assert.equal(output, `[image, attached: image/png, 3 × 2, ${PNG.length} bytes]`);
		assert.deepEqual(
			images?.map((bytes) => Buffer.from(bytes)),
			[PNG],
		);
		assert.deepEqual(view, { kind: "file", path: "logo.png", figure: "3 × 2" });
		assert.ok(here.read.has(join(here.root, "logo.png")));
		const { message } = await problemOf(here.call("read_file", { path: "text.gif" }));
		assert.equal(
			message,
			"text.gif is an image that cannot be shown (it is cut or damaged). Make a smaller copy and read that, or ask the person.",
		);
	});

	it("notes the version it read, so that a later change is noticed", async () => {
		await put("a.ts", "one\n");
		await here.call("read_file", { path: "a.ts" });
		assert.equal(here.read.get(join(here.root, "a.ts"))?.hash, (await here.workspace.version(join(here.root, "a.ts")))?.hash);
	});

	it("says how a part goes on", async () => {
		await put("a.txt", numbered(10));
		assert.equal(
			(await here.call("read_file", { path: "a.txt", start: 3, end: 4 })).output,
			"3\tline 3\n4\tline 4\n[lines 3-4 of 10; go on with start=5]",
		);
		assert.equal((await here.call("read_file", { path: "a.txt", start: 10 })).output, "10\tline 10\n[lines 10-10 of 10]");
	});

	it("ends a page after 2,000 lines", async () => {
		await put("a.txt", "x\n".repeat(5_000));
		const { output } = await here.call("read_file", { path: "a.txt" });
		assert.equal(output.split("\n").length, 2_001);
		assert.match(output, /\n\[lines 1-2000 of 5000; go on with start=2001\]$/);
	});

	it("ends a page after 32 KB, and its pages together are the file", async () => {
		await put("a.txt", numbered(20_000));
		const lines: string[] = [];
		for (let start: number | undefined = 1; start !== undefined; ) {
			const { output } = await here.call("read_file", { path: "a.txt", start });
			assert.ok(Buffer.byteLength(output) <= 32 * 1024);
			const page = output.split("\n");
			start = Number(/go on with start=(\d+)/.exec(page.at(-1) ?? "")?.[1]) || undefined;
			lines.push(...page.slice(0, -1).map((line) => line.replace(/^\d+\t/, "")));
		}
		assert.equal(lines.map((line) => `${line}\n`).join(""), numbered(20_000));
	});

	it("cuts a long line between characters and says by how much", async () => {
		await put("a.txt", `${"x".repeat(1_999)}\u{1F600}${"y".repeat(100)}\nnext\n`);
		assert.equal((await here.call("read_file", { path: "a.txt" })).output, `1\t${"x".repeat(1_999)} … [102 more characters]\n2\tnext`);
	});

	it("reads text with a byte order mark, in UTF-16 too", async () => {
		await put("a.txt", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("zügig\r\n日本\r\n", "utf16le")]));
		assert.equal((await here.call("read_file", { path: "a.txt" })).output, "1\tzügig\n2\t日本");
		await put("b.txt", Buffer.from([0xef, 0xbb, 0xbf, 0x61]));
		assert.equal((await here.call("read_file", { path: "b.txt" })).output, "1\ta");
	});

	it("shows what is nearly text, and says that it cannot be edited", async () => {
		await put("a.txt", Buffer.from([0x63, 0xe9, 0x0a]));
		assert.match((await here.call("read_file", { path: "a.txt" })).output, /^1\tc\uFFFD\n\[some bytes are not text/);
	});

	it("refuses binary files with their size, folders, and what is not there", async () => {
		await put("a.bin", new Uint8Array(1_234));
		await mkdir(join(here.root, "src"));
		assert.match((await problemOf(here.call("read_file", { path: "a.bin" }))).message, /binary file of 1,234 bytes/);
		assert.match((await problemOf(here.call("read_file", { path: "src" }))).message, /is a folder. Use list_directory/);
		assert.match((await problemOf(here.call("read_file", { path: "no.ts" }))).message, /There is no no.ts. Look for it with find_files/);
	});

	it("says that an empty file is empty, and that a line lies behind the end", async () => {
		await put("a.txt", "");
		await put("b.txt", "one\n");
		assert.equal((await here.call("read_file", { path: "a.txt" })).output, "[the file is empty]");
		assert.match((await problemOf(here.call("read_file", { path: "b.txt", start: 5 }))).message, /has 1 line; line 5 was not reached/);
	});

	it("reads the first page of a file of 10 GB without reading the rest", async () => {
		const path = join(here.root, "huge.log");
		await put("huge.log", numbered(20_000));
		const handle = await open(path, "r+");
		await handle.truncate(10 * 1024 ** 3);
		await handle.close();
		let bytes = 0;
		const read = here.workspace.read;
		const counting = {
			...here.workspace,
			read: async (file: string, range?: { offset: number; length: number }) => {
				const chunk = await read(file, range);
				bytes += chunk.length;
				return chunk;
			},
			version: () => assert.fail("hashing 10 GB takes minutes"),
		};
		const { output } = await here.call("read_file", { path: "huge.log" }, { workspace: counting });
		assert.match(output, /^1\tline 1\n/);
		assert.match(output, /\n\[lines 1-(\d+) of \d+\+; go on with start=\d+\]$/);
		assert.ok(bytes <= 1024 * 1024, `read ${bytes} bytes`);
		const far = await problemOf(here.call("read_file", { path: "huge.log", start: 30_000 }, { workspace: counting }));
		assert.match(far.message, /line 30000 was not reached/);
		assert.ok(bytes <= 70 * 1024 * 1024, `read ${bytes} bytes`);
	});

	it("shows the beginning of a line that does not end", async () => {
		await put("endless.txt", "x".repeat(70 * 1024 * 1024));
		const { output } = await here.call("read_file", { path: "endless.txt" });
		assert.match(output, /^1\tx{2000} … \[\d+ more characters\]\n\[line 1 does not end within/);
	});
});

describe("list_directory", () => {
	it("lists folders first, both sorted, and counts what is protected", async () => {
		for (const path of ["b/x", "a/x", "z.ts", "A.ts", ".env", ".git/config"]) await put(path, "");
		assert.deepEqual(await here.call("list_directory", { path: "." }), {
			output: "a/\nb/\nA.ts\nz.ts\n[2 protected entries not shown]",
			view: { kind: "text", figure: "4 entries" },
		});
	});

	it("shows a protected folder to a call that the person allowed", async () => {
		await put(".git/config", "");
		assert.equal((await here.call("list_directory", { path: ".git" })).output, "config");
	});

	it("tells files from folders and says when there is nothing", async () => {
		await put("a.ts", "");
		await mkdir(join(here.root, "empty"));
		assert.equal((await here.call("list_directory", { path: "empty" })).output, "[the folder is empty]");
		assert.match((await problemOf(here.call("list_directory", { path: "a.ts" }))).message, /is a file. Use read_file/);
	});
});

describe("find_files", () => {
	it("lists matching paths, and counts protected ones without naming them", async () => {
		for (const path of ["src/a.ts", "src/b/c.ts", "src/d.md", "keys/x.pem"]) await put(path, "");
		assert.equal((await here.call("find_files", { glob: "**/*.ts" })).output, "src/a.ts\nsrc/b/c.ts");
		assert.equal((await here.call("find_files", { glob: "**/*", path: "src" })).output, "src/a.ts\nsrc/b/c.ts\nsrc/d.md");
		assert.equal((await here.call("find_files", { glob: "*.pem" })).output, "[1 protected entries not shown]");
	});

	it("says how many more there are", async () => {
		for (let index = 0; index < 520; index += 1) await put(`many/${String(index).padStart(3, "0")}.ts`, "");
		const lines = (await here.call("find_files", { glob: "many/*.ts" })).output.split("\n");
		assert.equal(lines.length, 501);
		assert.equal(lines.at(-1), "[20 more]");
	});

	it("puts the folder's name first where there are several", async () => {
		const other = await bench();
		await put("a.ts", "");
		await writeFile(join(other.root, "b.ts"), "");
		const both = benchOn([here.root, other.root]);
		const expected = [`${basename(here.root)}/a.ts`, `${basename(other.root)}/b.ts`].sort();
		assert.equal((await both.call("find_files", { glob: "*.ts" })).output, expected.join("\n"));
		await rm(other.root, { recursive: true });
	});
});

describe("get_file_info", () => {
	it("tells size, lines, encoding and line ends", async () => {
		await put("a.ts", "one\r\ntwo\r\n");
		const { output } = await here.call("get_file_info", { path: "a.ts" });
		assert.match(output, /^path: a.ts\ntype: file\nsize: 10 bytes\nmodified: \d{4}-\S+Z\nlines: 2\nencoding: UTF-8\nline ends: CRLF$/);
	});

	it("tells where a link leads", async () => {
		await put("a.ts", "one\n");
		await symlink("a.ts", join(here.root, "b.ts"));
		assert.match((await here.call("get_file_info", { path: "b.ts" })).output, /^leads to: a.ts$/m);
	});
});
