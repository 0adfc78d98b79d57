// search_code, search_symbol, get_diagnostics: the form of their answers, and what they keep to themselves.
import assert from "node:assert/strict";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toolAliases } from "../../../src/tools/builtinTools.ts";
import { type Bench, bench, benchOn, problemOf } from "./support.ts";

let here: Bench;
beforeEach(async () => {
	here = await bench();
});
afterEach(() => rm(here.root, { recursive: true }));

async function put(path: string, content: string): Promise<void> {
	await mkdir(join(here.root, path, ".."), { recursive: true });
	await writeFile(join(here.root, path), content);
}

describe("search_code", () => {
	it("shows one match a line, and at last how many there are", async () => {
		await put("src/a.ts", "formatPrice(1)\nother\nformatPrice(2)\n");
		await put("src/b.ts", "const x = formatPrice;\n");
		assert.deepEqual(await here.call("search_code", { pattern: "formatPrice" }), {
			output: "src/a.ts:1:formatPrice(1)\nsrc/a.ts:3:formatPrice(2)\nsrc/b.ts:1:const x = formatPrice;\n[3 matches in 2 files]",
			view: { kind: "text", figure: "3 lines · 2 files" },
		});
	});

	it("notes the files it showed, as a part of what a plan rests on", async () => {
		await put("src/a.ts", "hit\n");
		await put("src/b.ts", "nothing\n");
		await here.call("search_code", { pattern: "hit" });
		assert.deepEqual([...here.shown], [join(here.root, "src/a.ts")]);
	});

	it("marks lines of context, narrows by path and glob, and takes plain text", async () => {
		await put("src/a.ts", "one\na.b\nthree\n");
		await put("src/a.md", "a.b\naxb\n");
		assert.equal(
			(await here.call("search_code", { pattern: "a.b", glob: "*.ts", context: 1 })).output,
			"src/a.ts-1-one\nsrc/a.ts:2:a.b\nsrc/a.ts-3-three\n[1 matches in 1 files]",
		);
		assert.equal(
			(await here.call("search_code", { pattern: "a.b", path: "src/a.md", literal: true })).output,
			"src/a.md:1:a.b\n[1 matches in 1 files]",
		);
	});

	it("says that nothing was found", async () => {
		await put("a.ts", "one\n");
		assert.equal((await here.call("search_code", { pattern: "zwei" })).output, "[0 matches in 0 files]");
	});

	it("stops at 200 matches and says so", async () => {
		await put("a.ts", "hit\n".repeat(1_000));
		const lines = (await here.call("search_code", { pattern: "hit" })).output.split("\n");
		assert.deepEqual(lines.slice(199), [
			"a.ts:200:hit",
			"[more matches than are shown; narrow with path or glob]",
			"[200 matches in 1 files]",
		]);
	});

	it("stays within 32 KB and cuts long lines", async () => {
		await put("a.ts", `${"hit".repeat(1_000)}\n`.repeat(150));
		const { output } = await here.call("search_code", { pattern: "hit" });
		assert.ok(Buffer.byteLength(output) <= 32 * 1024);
		assert.match(output, /^a\.ts:1:(hit)+ … \[2400 more characters\]\n/);
	});

	it("never shows a protected file, and counts the same whether it would match or not", async () => {
		await put("a.ts", "hit\n");
		await put(".env", "SECRET=canary-1\n");
		const found = (await here.call("search_code", { pattern: "canary-1" })).output;
		const missed = (await here.call("search_code", { pattern: "canary-2" })).output;
		assert.equal(found, "[1 protected files not searched]\n[0 matches in 0 files]");
		assert.equal(missed, found);
		assert.equal((await here.call("search_code", { pattern: "canary", glob: "*.ts" })).output, "[0 matches in 0 files]");
	});

	it("counts every kind of protected file it did not search, whatever holds it", async () => {
		const secrets = [
			".env",
			".env.local",
			".htpasswd",
			".pypirc",
			"_netrc",
			".vault-token",
			".yarnrc.yml",
			"id_ed25519",
			"a.pem",
			"b.kdbx",
			"c.ppk",
		];
		for (const name of secrets) await put(name, "hit\n");
		for (const name of [".ssh/config", ".ssh/keys/id_rsa", "deep/.aws/credentials", "deep/.netrc"]) await put(name, "hit\n");
		for (const name of ["environment.ts", "credentials", "keys/readme.md"]) await put(name, "hit\n");
		const found = (await here.call("search_code", { pattern: "hit" })).output.split("\n");
		assert.deepEqual(found.slice(0, 3).sort(), ["credentials:1:hit", "environment.ts:1:hit", "keys/readme.md:1:hit"]);
		assert.deepEqual(found.slice(3), ["[15 protected files not searched]", "[3 matches in 3 files]"]);
	});

	it("shows what may be shown although protected files alone would fill the limit", async () => {
		await put(".env", "hit\n".repeat(5_000));
		await put("z.ts", "hit\n");
		assert.equal(
			(await here.call("search_code", { pattern: "hit" })).output,
			"z.ts:1:hit\n[1 protected files not searched]\n[1 matches in 1 files]",
		);
	});

	it("searches a protected file that the call names, for the person allowed it", async () => {
		await put(".env", "SECRET=1\n");
		assert.equal((await here.call("search_code", { pattern: "SECRET", path: ".env" })).output, ".env:1:SECRET=1\n[1 matches in 1 files]");
	});

	it("searches an allowed folder elsewhere, but not the secrets in it", async () => {
		const inner = join(here.root, "inner");
		await put("inner/a.ts", "");
		await put("outer/b.ts", "hit\n");
		await put("outer/.env", "hit\n");
		const { output } = await benchOn([inner]).call("search_code", { pattern: "hit", path: join(here.root, "outer") });
		assert.equal(output, `${here.root}/outer/b.ts:1:hit\n[1 protected files not searched]\n[1 matches in 1 files]`);
	});

	it("searches an allowed folder that is protected itself, but not the keys in it", async () => {
		await put(".ssh/config", "hit\n");
		await put(".ssh/id_rsa", "hit\n");
		const { output } = await here.call("search_code", { pattern: "hit", path: ".ssh" });
		assert.equal(output, ".ssh/config:1:hit\n[1 protected files not searched]\n[1 matches in 1 files]");
	});

	it("names files as the call did, though a link led elsewhere", async () => {
		await put("src/a.ts", "hit\n");
		await symlink("src", join(here.root, "lib"));
		assert.equal((await here.call("search_code", { pattern: "hit", path: "lib" })).output, "lib/a.ts:1:hit\n[1 matches in 1 files]");
	});

	it("hands on what is wrong with an expression", async () => {
		await put("a.ts", "");
		assert.match((await problemOf(here.call("search_code", { pattern: "(" }))).message, /Invalid regular expression/);
	});

	it("answers to grep as well", () => assert.deepEqual(toolAliases, { grep: "search_code" }));
});

describe("the language services' tools", () => {
	it("list symbols and problems by place, without protected files", async () => {
		const a = join(here.root, "a.ts");
		const secret = join(here.root, ".env");
		const bench = benchOn([here.root], {
			symbols: [
				{ name: "formatPrice", kind: "function", path: a, line: 3 },
				{ name: "formatSecret", kind: "variable", path: secret, line: 1 },
			],
			diagnostics: [
				{ path: a, line: 7, severity: "warning", message: "unused" },
				{ path: a, line: 9, severity: "error", message: "not\n  assignable" },
				{ path: secret, line: 1, severity: "error", message: "canary" },
			],
		});
		assert.deepEqual(await bench.call("search_symbol", { query: "format" }), {
			output: "a.ts:3: function formatPrice",
			view: { kind: "text", figure: "1 symbol" },
		});
		assert.deepEqual(await bench.call("get_diagnostics", {}), {
			output: "a.ts:9: error: not assignable\na.ts:7: warning: unused",
			view: { kind: "text", figure: "2 problems" },
		});
		assert.equal((await bench.call("search_symbol", { query: "zzz" })).output.startsWith("No symbol matches zzz."), true);
		assert.equal((await benchOn([here.root]).call("get_diagnostics", {})).output, "No problems reported.");
	});
});
