// Search in files and for files: by ripgrep with bounds, and by plain text where there is none.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../../../src/core/ports/tool.ts";
import type { SearchQuery } from "../../../src/core/ports/workspace/search.ts";
import { type Place, place } from "./support.ts";

const { signal } = new AbortController();

for (const ripgrep of [true, false]) {
	describe(ripgrep ? "search by ripgrep" : "search without ripgrep", () => {
		let at: Place;
		beforeEach(() => {
			at = ripgrep ? place() : place({ findRipgrep: async () => undefined });
			at.put("src/a.ts", "one\nformatPrice(1)\nthree\nfour\n");
			at.put("src/deep/b.tsx", "FORMATPRICE\n");
			at.put(".hidden/c.ts", "formatPrice\r\n");
			at.put(".git/config", "formatPrice\n");
		});
		afterEach(() => at.dispose());

		const search = async (query: Partial<SearchQuery>) => {
			const { matches, more } = await at.machine.search({ pattern: "formatPrice", limit: 100, ...query }, signal);
			return {
				more,
				matches: matches.map(({ path, line, text, context }) => `${path.slice(at.folder.length + 1)}:${line}${context ? "-" : ":"}${text}`),
			};
		};
		const find = (glob: string, limit = 100) => at.machine.find(glob, { limit, signal });

		it("finds lines, hidden files too, git's own never", async () => {
			assert.deepEqual(await search({}), { more: false, matches: [".hidden/c.ts:1:formatPrice", "src/a.ts:2:formatPrice(1)"] });
		});

		it("waits for no pipe, in a folder or by name", async () => {
			execFileSync("mkfifo", [at.path("src/pipe.ts")]);
			assert.deepEqual((await search({ under: at.path("src") })).matches, ["src/a.ts:2:formatPrice(1)"]);
			await assert.rejects(search({ under: at.path("src/pipe.ts") }), ToolError);
		});

		it("folds case, narrows by folder, file and glob, and shows context", async () => {
			assert.equal((await search({ ignoreCase: true })).matches.length, 3);
			assert.deepEqual((await search({ ignoreCase: true, glob: "*.tsx" })).matches, ["src/deep/b.tsx:1:FORMATPRICE"]);
			assert.deepEqual((await search({ ignoreCase: true, glob: "src/**/*.{ts,js}" })).matches, ["src/a.ts:2:formatPrice(1)"]);
			assert.deepEqual((await search({ under: at.path("src") })).matches, ["src/a.ts:2:formatPrice(1)"]);
			assert.deepEqual((await search({ under: at.path("src/a.ts"), context: 1 })).matches, [
				"src/a.ts:1-one",
				"src/a.ts:2:formatPrice(1)",
				"src/a.ts:3-three",
			]);
			await assert.rejects(search({ under: at.path("missing") }), ToolError);
		});

		it("takes a plain string as it stands", async () => {
			assert.deepEqual((await search({ pattern: "Price(1)", literal: true })).matches, ["src/a.ts:2:formatPrice(1)"]);
		});

		it("stops at the limit and says so", async () => {
			at.put("many.txt", "needle\n".repeat(5_000));
			const { matches, more } = await search({ pattern: "needle", limit: 10 });
			assert.deepEqual([matches.length, more], [10, true]);
			assert.deepEqual((await search({ pattern: "needle", limit: 5_000 })).more, false);
		});

		it("finds files by glob, at any depth where it has no slash", async () => {
			assert.deepEqual(await find("*.ts"), { paths: [".hidden/c.ts", "src/a.ts"], more: false });
			assert.deepEqual((await find("src/**")).paths, ["src/a.ts", "src/deep/b.tsx"]);
			assert.deepEqual((await find("src/")).paths, ["src/a.ts", "src/deep/b.tsx"]);
			assert.deepEqual((await find("!*.ts")).paths, ["src/deep/b.tsx"]);
			assert.deepEqual((await find("src/*.ts*")).paths, ["src/a.ts"]);
			assert.deepEqual((await find("**/*.{ts,tsx}", 2)).more, true);
			const under = await at.machine.find("*.ts", { under: at.path("src"), limit: 10, signal });
			assert.deepEqual(under.paths, ["a.ts"]);
			await assert.rejects(find("{a,b}".repeat(20)), /glob is empty, too long or has too many alternatives/);
		});

		it("does not follow links", async () => {
			writeFileSync(join(at.outside, "secret.ts"), "formatPrice\n");
			symlinkSync(at.outside, at.path("link"));
			symlinkSync(join(at.outside, "secret.ts"), at.path("direct.ts"));
			assert.equal((await search({})).matches.length, 2);
			assert.ok(!(await find("*.ts")).paths.some((path) => path.includes("secret")));
		});

		it("ends when it is cancelled", async () => {
			await assert.rejects(at.machine.search({ pattern: "formatPrice", limit: 1 }, AbortSignal.abort(new Error("stopped"))), /stopped/);
		});

		it("names the folder first where there are several", async () => {
			mkdirSync(join(at.outside, "src"));
			writeFileSync(join(at.outside, "src/d.ts"), "formatPrice\n");
			const folders = () => [
				{ name: "workspace", path: at.folder },
				{ name: "other", path: at.outside },
			];
			const both = ripgrep ? place({ folders }) : place({ folders, findRipgrep: async () => undefined });
			assert.deepEqual((await both.machine.find("src/*.ts", { limit: 9, signal })).paths, ["other/src/d.ts", "workspace/src/a.ts"]);
			assert.deepEqual((await both.machine.find("other/src/*.ts", { limit: 9, signal })).paths, ["other/src/d.ts"]);
			await both.dispose();
		});
	});
}

describe("search by ripgrep alone", () => {
	let at: Place;
	beforeEach(() => {
		at = place();
	});
	afterEach(() => at.dispose());

	it("leaves out what is ignored, even where a glob names it", async () => {
		at.put(".gitignore", "*.log\nbuild\n!kept.md\n");
		for (const name of ["a.log", "build/a.ts", "src/a.ts", "kept.md"]) at.put(name, "needle\n");
		for (const glob of ["*", "**", "**/*"]) {
			assert.deepEqual((await at.machine.find(glob, { limit: 99, signal })).paths, [".gitignore", "kept.md", "src/a.ts"]);
		}
		assert.deepEqual((await at.machine.find("*.{log,ts}", { limit: 99, signal })).paths, ["src/a.ts"]);
		const { matches } = await at.machine.search({ pattern: "needle", glob: "**/*.{ts,log}", limit: 99 }, signal);
		assert.deepEqual(matches, [{ path: at.path("src/a.ts"), line: 1, text: "needle" }]);
	});

	it("does not hold the host up with a pattern that explodes", async () => {
		at.put("evil.txt", `${"a".repeat(50_000)}!\n`);
		// In the host it would not end before the test's timeout.
		assert.deepEqual(await at.machine.search({ pattern: "(a+)+$", limit: 10 }, signal), { matches: [], more: false });
	});

	it("cuts long lines and skips binary files", async () => {
		at.put("long.txt", `${"x".repeat(100_000)}needle${"x".repeat(100_000)}\n`);
		at.put("binary.bin", Buffer.concat([Buffer.from("needle\n"), Buffer.alloc(100_000)]));
		at.put("zlast.txt", "needle\n");
		const { matches } = await at.machine.search({ pattern: "needle", limit: 10 }, signal);
		const [long, last] = matches.filter(({ path }) => !path.endsWith(".bin"));
		assert.ok(long && long.text.length < 700);
		assert.deepEqual(last, { path: at.path("zlast.txt"), line: 1, text: "needle" });
	});

	it("tells a pattern that is no regular expression from one without a match", async () => {
		at.put("a.txt", "a\n");
		await assert.rejects(at.machine.search({ pattern: "(", limit: 1 }, signal), /search failed: [\s\S]*unclosed group[\s\S]*literal/);
		assert.deepEqual(await at.machine.search({ pattern: "nowhere", limit: 1 }, signal), { matches: [], more: false });
	});

	it("takes patterns and names that look like options", async () => {
		at.put("-e", "--files\n");
		assert.deepEqual((await at.machine.search({ pattern: "--files", limit: 9 }, signal)).matches.length, 1);
		assert.deepEqual((await at.machine.search({ pattern: "--files", under: at.path("-e"), limit: 9 }, signal)).matches.length, 1);
	});
});

describe("search without ripgrep alone", () => {
	it("refuses regular expressions and says what works", async () => {
		const at = place({ findRipgrep: async () => undefined });
		await assert.rejects(at.machine.search({ pattern: "a.*b", limit: 1 }, signal), /ripgrep was not found.*literal/);
		await at.dispose();
	});
});
