// Holds programs to one start: no other file makes a process.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startProgram } from "../../../src/platform/programs/startProgram.ts";

/** Modules by which Node makes processes; a type alone makes none. */
const MAKES = /^\s*(?:import|export)\s+(?!type\b)(?!\{(?:\s*type\s+\w+\s*,?)+\})[^;]*from\s+"node:(?:child_process|cluster)"/m;
const OTHERWISE =
	/require\(\s*["'](?:node:)?(?:child_process|cluster)|import\(\s*["'](?:node:)?(?:child_process|cluster)|process\.binding|new\s[\w.]*(?:Shell|Process)Execution\(|createTerminal\(\s*\{[^}]*shellPath/;

function makesProcesses(text: string): boolean {
	return MAKES.test(text) || OTHERWISE.test(text);
}

describe("a process", () => {
	it("is made in one file of the sources and nowhere else", () => {
		const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
		assert.ok(files.length > 100);
		const makers = files.filter((name) => makesProcesses(readFileSync(join("src", name), "utf8")));
		assert.deepEqual(
			makers.map((name) => name.replaceAll("\\", "/")),
			["platform/programs/startProgram.ts"],
		);
	});

	it("is seen however it is made", () => {
		for (const text of [
			'import { spawn } from "node:child_process";',
			'import { type ChildProcess, execFile } from "node:child_process";',
			'import * as children from "node:child_process";',
			'const { spawn } = await import("child_process");',
			'require("node:child_process")',
			'import cluster from "node:cluster";',
		])
			assert.ok(makesProcesses(text), text);
		for (const text of [
			'import type { ChildProcess } from "node:child_process";',
			'import { type ChildProcess, type ChildProcessWithoutNullStreams } from "node:child_process";',
		])
			assert.ok(!makesProcesses(text), text);
	});

	it("is not made of a name that a PATH or a folder would have to find", () => {
		for (const file of ["git", "./git", "../git", ""]) {
			assert.throws(() => startProgram({ file, args: [], cwd: "/", env: {} }, "output"), /not an absolute path/);
		}
	});
});
