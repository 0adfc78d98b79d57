// Tests exclusions of recursive searches against the real grep, and the ripgrep flags passed to its file list.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { PathExtent } from "../../../src/gate/programs/assessment.ts";
import { call, judged } from "./judged.ts";

function reachOf(line: string, flavor: "gnu" | "bsd" = "gnu"): PathExtent | undefined {
	return judged(call(line, flavor))?.operands.at(-1)?.reach;
}

describe("grep -r", () => {
	const folder = mkdtempSync(join(tmpdir(), "troupe-grep-"));
	const files = [
		"a.ts",
		"b.js",
		".env",
		"x.env",
		".env.ts",
		"ts",
		"a.ts.bak",
		"node_modules/m.ts",
		"src/node_modules/.env",
		"src/a.ts",
		"src/.env",
		"a*b.ts",
		"aXb.ts",
	];
	before(() => {
		for (const file of files) {
			mkdirSync(join(folder, dirname(file)), { recursive: true });
			writeFileSync(join(folder, file), "needle\n");
		}
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	const flags = [
		...[
			"--include=*.ts",
			"--include=*",
			"--include=.env",
			"--include=*.t?",
			"--include=[.]env",
			"--exclude=*.env",
			"--exclude=.env*",
			"--exclude=.*",
		],
		...[
			"--exclude-dir=node_modules",
			"--exclude-dir=node_modules/",
			"--exclude-dir=src*",
			"--exclude-dir=.",
			"--exclude=*.ts --include=*.ts",
		],
		...[
			"--include=*.ts --exclude=a*",
			"--exclude=a*b.ts",
			"--include=*.ts --include=*.env",
			"--exclude-dir=*",
			"--include=a*s",
			"--exclude=src/.env",
			"--include=\\*.ts",
		],
	];

	it("is never thought to leave out a file that it reads", () => {
		let left = 0;
		for (const flag of flags) {
			const words = ["-rl", "needle", ...flag.split(" "), "."];
			const read = run(folder, words);
			const reach = judged({ words: ["grep", ...words], flavor: "gnu", unknown: new Set() })?.operands.at(-1)?.reach;
			const skips = reach?.kind === "tree" ? reach.skips : undefined;
			const skipped = (file: string) => skips?.(basename(file), false) || parents(file).some((name) => skips?.(name, true));
			assert.deepEqual(
				read.filter((file) => skipped(file)),
				[],
				flag,
			);
			left += files.filter((file) => skipped(file)).length;
		}
		assert.ok(left > 30, `only ${left} files are left out`);
	});

	it("leaves nothing out for certain where programs differ", () => {
		for (const line of [
			"grep -r x --include='[.]env' .",
			"grep -r x --include='*.t?' .",
			"grep -r x --include='*.ts' --exclude='a*' .",
			"grep x --include='*.ts' f",
		]) {
			const reach = reachOf(line);
			assert.ok(reach?.kind === "tree" && !reach.skips?.(".env", false), line);
		}
		const bsd = reachOf("grep -r x --include='a*s' .", "bsd");
		assert.ok(bsd?.kind === "tree" && !bsd.skips);
	});
});

function run(folder: string, words: readonly string[]): string[] {
	try {
		return execFileSync("grep", words, { cwd: folder, encoding: "utf8" }).trim().split("\n");
	} catch {
		return [];
	}
}

function parents(file: string): string[] {
	const names = file.replace(/^\.\//, "").split("/");
	return names.slice(0, -1);
}

describe("rg", () => {
	it("has the flags that choose its files handed on, in their order", () => {
		assert.deepEqual(reachOf("rg -n -uu -g '*.ts' --glob='!x' --hidden -t ts needle src"), {
			kind: "ripgrep",
			flags: ["-u", "-u", "-g", "*.ts", "--glob=!x", "--hidden", "-t", "ts"],
		});
	});

	it("reads the current folder without a path, and takes a pattern from a flag", () => {
		assert.deepEqual(
			judged(call("rg -e x -e y"))?.operands.map(({ word }) => word),
			["."],
		);
		assert.deepEqual(
			judged(call("rg -f pats src"))?.operands.map(({ word }) => word),
			["pats", "src"],
		);
	});
});
