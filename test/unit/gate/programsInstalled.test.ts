// Tests the program tables against the installed programs: missing or differing flags fail.

// `LIST_FLAGS=1 npm run unit -- gate/programsInstalled` prints the flags that the tables lack.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProgramFlavor } from "../../../src/core/ports/workspace/programs.ts";
import type { TablesByFlavor } from "../../../src/gate/programs/assessByTable.ts";
import { builtins } from "../../../src/gate/programs/builtins.ts";
import { readOnlyProgramTables } from "../../../src/gate/programs/lookup.ts";
import { writingProgramTables } from "../../../src/gate/programs/movers.ts";
import { JQ_FLAGS } from "../../../src/gate/programs/readers/jq.ts";
import { findTests } from "../../../src/gate/programs/readers/search.ts";
import { commandWrapperFlags } from "../../../src/gate/programs/unwrapCommand.ts";
import { complaints, documented, flagsOf, said } from "./installedFlags.ts";

const runners = Object.fromEntries(
	Object.entries(commandWrapperFlags).map(([name, flags]) => [name, { gnu: { flags, operands: "none" } } satisfies TablesByFlavor]),
);
const tables: Readonly<Record<string, TablesByFlavor>> = { ...readOnlyProgramTables, ...writingProgramTables, ...runners };

/** Which family the programs of this machine are of; each other one is left unchecked, and said to be. */
const HERE: ProgramFlavor = process.platform === "linux" ? "gnu" : "bsd";

/** Where the programs of those names are; absent for what is not installed. */
function installed(names: readonly string[]): Map<string, string> {
	const script = 'for name; do printf "%s %s\n" "$name" "$(type -P "$name")"; done';
	const lines = execFileSync("bash", ["-c", script, "bash", ...names], { encoding: "utf8" })
		.trim()
		.split("\n");
	return new Map(lines.map((line) => line.split(" ") as [string, string]).filter(([, path]) => path !== ""));
}

describe("the programs of this machine", () => {
	const folder = mkdtempSync(join(tmpdir(), "troupe-flags-"));
	after(() => rmSync(folder, { recursive: true, force: true }));

	const paths = installed([...Object.keys(tables), "find", "jq"]);
	const programs = Object.entries(tables).flatMap(([program, byFlavor]) => {
		const table = byFlavor[HERE];
		const path = paths.get(program);
		return table && path !== undefined ? [{ program, path, flags: table.flags }] : [];
	});

	it("have every flag of their table, and take a value where the table says so", async () => {
		assert.ok(programs.length > 30, `only ${programs.length} programs are installed`);
		const all = programs.flatMap(({ program, path, flags }) => flagsOf(flags).map((flag) => ({ program, path, flag })));
		assert.deepEqual(await complaints(folder, all), []);
		const unchecked = ["gnu", "bsd", "busybox"].filter((flavor) => flavor !== HERE);
		const missing = Object.keys(tables).filter((program) => !programs.some((checked) => checked.program === program));
		console.log(`      not checked here: ${unchecked.join(", ")}; of ${HERE}: ${missing.join(" ")}`);
	});

	it("would be caught with a flag they lack, or one that takes no value", async () => {
		const sort = { program: "sort", path: paths.get("sort") ?? "" };
		const flags = [
			{ ...sort, flag: { name: "--frobnicate", kind: "alone" } },
			{ ...sort, flag: { name: "-n", kind: "takes" } },
			{ ...sort, flag: { name: "-k", kind: "alone" } },
		] as const;
		assert.deepEqual(await complaints(folder, flags), [
			"sort lacks --frobnicate",
			"sort takes no value for -n",
			"sort wants a value for -k",
		]);
	});

	it("know every test of find and every flag of jq", async function () {
		if (HERE !== "gnu") return this.skip();
		const { alone, takes } = findTests.gnu;
		const [lonely, hungry] = [alone.split(" "), takes.split(" ")];
		const answers = await said(
			folder,
			[...lonely, ...hungry].map((word) => `${paths.get("find")} . ${word}`),
		);
		const wants = (index: number) => /(?:missing|invalid) argument|needs an argument/.test(answers[index] ?? "");
		assert.deepEqual(
			answers.flatMap((text) => /unknown predicate.*/.exec(text)?.[0] ?? []),
			[],
		);
		assert.deepEqual(
			lonely.filter((_, index) => wants(index)),
			[],
		);
		assert.deepEqual(
			hungry.filter((_, index) => !wants(lonely.length + index)),
			[],
		);
		const flags = await said(
			folder,
			[...JQ_FLAGS].map((flag) => `${paths.get("jq")} ${flag} .`),
		);
		assert.deepEqual(
			flags.filter((text) => /unknown arguments/i.test(text)),
			[],
		);
	});

	it("have flags that no table knows, which can be listed", async () => {
		const found = await documented(folder, programs);
		const listed = programs.flatMap(({ program, flags }, index) => {
			const known = new Set(flagsOf(flags).map(({ name }) => name));
			const rest = found[index]?.filter((name) => !known.has(name)) ?? [];
			return rest.length === 0 ? [] : `${program}: ${rest.join(" ")}`;
		});
		assert.ok(HERE !== "gnu" || listed.some((line) => /^sort: .*--output/.test(line)));
		if (process.env["LIST_FLAGS"]) console.log(listed.sort().join("\n"));
	});
});

describe("the builtins of the installed bash", () => {
	it("are all in the table", () => {
		const names = execFileSync("bash", ["-c", "compgen -b"], { encoding: "utf8" }).trim().split("\n");
		assert.ok(names.length > 50);
		assert.deepEqual(
			names.filter((name) => !Object.hasOwn(builtins, name)),
			[],
		);
	});
});
