// Tests generated lines of every installed read-only program: they change nothing and print only files they may read.

// Lines that are assessed as reading really run. `GENERATED_LINES=100` sets the number of lines for each program.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Operand } from "../../../src/gate/programs/assessment.ts";
import { readOnlyProgramTables } from "../../../src/gate/programs/lookup.ts";
import { flagsOf } from "./installedFlags.ts";
import { judged, kindOf } from "./judged.ts";

/** They wait, or would change this machine if a table were wrong. */
const LEFT_OUT = new Set("date hostname sleep tail free env printenv".split(" "));
const SECRET = "canary-c0ffee";
/** `GENERATED_LINES=100` runs as many of each program. */
const LINES = Number(process.env["GENERATED_LINES"] ?? 8);

function random(seed: number): <Item>(list: readonly Item[]) => Item {
	let state = seed;
	return (list) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return list[Math.floor((state / 2 ** 32) * list.length)] as never;
	};
}

/** A line of a program's own flags, attached or apart, with values that may be files, and files behind. */
function lineOf(program: string, pick: ReturnType<typeof random>): string[] {
	const flags = flagsOf(readOnlyProgramTables[program as keyof typeof readOnlyProgramTables]?.gnu?.flags ?? {});
	const values = ["1", "2", "x", "secret", "d", "f", ",", "0", "d/in", "1,2", "s/o/x/", "{print}", "%s"];
	const words = Array.from({ length: pick([0, 1, 2, 3, 4]) }, () => {
		if (flags.length === 0) return [];
		const { name, kind } = pick(flags);
		if (name.endsWith("-help") || name.endsWith("-version")) return [];
		if (kind === "alone") return [name];
		const value = pick(values);
		const joined = name.startsWith("--") ? `${name}=${value}` : `${name}${value}`;
		return kind === "optional" ? [pick([name, joined])] : pick([[name, value], [joined]]);
	});
	const operands = Array.from({ length: pick([0, 1, 1, 2, 3]) }, () => pick(["f", "g", "d", "x", "f", "out", ".", "link", "-"]));
	return [program, ...words.flat(), ...operands];
}

/** The secret may be printed where it was judged to be read: by its name, through the link, or with all that is below a folder. */
function mayPrint(operands: readonly Operand[]): boolean {
	return operands.some(({ word, reach }) => {
		if (["secret", "link"].includes(word)) return true;
		return word === "." && reach?.kind !== "names" && reach?.kind !== "itself";
	});
}

function state(folder: string): string[] {
	const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
	return names.map((name) => `${name} ${statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), "latin1") : ""}`);
}

describe("a generated command line that is judged to read", function () {
	this.timeout(600_000);
	if (process.platform !== "linux") return;
	const outer = mkdtempSync(join(tmpdir(), "troupe-lines-"));
	const folder = join(outer, "in");
	before(() => {
		mkdirSync(join(folder, "d"), { recursive: true });
		for (const name of ["f", "g", "d/in"]) writeFileSync(join(folder, name), `one ${name}\ntwo\n1 2\n`);
		writeFileSync(join(folder, "secret"), `${SECRET}\n`);
		symlinkSync("secret", join(folder, "link"));
	});
	after(() => rmSync(outer, { recursive: true, force: true }));

	it("changes nothing, and prints nothing of a file that it was not judged to read", () => {
		const pick = random(3);
		const lines: { words: string[]; may: boolean }[] = [];
		for (const program of Object.keys(readOnlyProgramTables).filter((name) => !LEFT_OUT.has(name))) {
			for (let count = 0; count < LINES; count++) {
				const words = lineOf(program, pick);
				const judgement = judged({ words, flavor: "gnu", unknown: new Set() });
				if (judgement && kindOf(judgement) === "reads") lines.push({ words, may: mayPrint(judgement.operands) });
			}
		}
		assert.ok(lines.length > 300, `only ${lines.length} lines`);
		const before = state(folder);
		const list = join(outer, "lines");
		writeFileSync(list, lines.map(({ words }) => `${words.length}\0${words.join("\0")}\0`).join(""));
		const loop =
			'while IFS= read -r -d "" count; do words=(); for ((i=0;i<count;i++)); do IFS= read -r -d "" word; words+=("$word"); done; ' +
			'timeout 2 "${words[@]}" 2>&1 </dev/null | head -c 20000 | tr -d "\\036"; printf "\\036"; done < "$1"';
		const out = execFileSync("bash", ["-c", loop, "bash", list], { cwd: folder, encoding: "latin1", maxBuffer: 512_000_000 });
		const said = out.split("\x1e");
		const leaks = lines.filter(({ may }, index) => !may && said[index]?.includes(SECRET));
		assert.deepEqual(
			leaks.map(({ words }) => words.join(" ")),
			[],
		);
		assert.ok(
			lines.some(({ may }, index) => may && said[index]?.includes(SECRET)),
			"nothing was printed at all",
		);
		assert.deepEqual(state(folder), before);
	});
});
