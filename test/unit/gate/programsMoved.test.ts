// Generated copies and moves that really run: every path that comes to be, changes or goes was judged as written.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import type { Operand } from "../../../src/gate/programs/assessment.ts";
import { writingProgramTables } from "../../../src/gate/programs/movers.ts";
import { flagsOf } from "./installedFlags.ts";
import { judged, kindOf } from "./judged.ts";

const LINES = Number(process.env["GENERATED_LINES"] ?? 12);
const FILES = ["f", "g", "a/x", "a/y/z", "b/x", "b/a/old", "c.md"];

function random(seed: number): <Item>(list: readonly Item[]) => Item {
	let state = seed;
	return (list) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return list[Math.floor((state / 2 ** 32) * list.length)] as never;
	};
}

function lineOf(program: string, pick: ReturnType<typeof random>): string[] {
	const flags = flagsOf(writingProgramTables[program]?.gnu?.flags ?? {}).filter(
		({ name }) => !/-(?:help|version|interactive)$|^-i$/.test(name),
	);
	const values: Record<string, readonly string[]> = {
		"-t": ["b", "a", "new"],
		"--target-directory": ["b", "a"],
		"-m": ["755", "u+x"],
		"--mode": ["700"],
		"-S": [".md", "~"],
		"--suffix": [".md"],
		"--backup": ["simple", "numbered", "existing"],
		"-r": ["f"],
		"--reference": ["f"],
	};
	const words = Array.from({ length: pick([0, 0, 1, 2, 3]) }, () => {
		const { name, kind } = pick(flags);
		if (kind === "alone") return [name];
		const value = pick(values[name] ?? ["x"]);
		if (kind === "optional") return [pick([name, `${name}=${value}`])];
		return name.startsWith("--") ? [`${name}=${value}`] : pick([[name, value], [`${name}${value}`]]);
	});
	const mode = program === "chmod" ? [pick(["644", "u+x", "go-w", "755"])] : [];
	const places = ["f", "g", "a", "b", "a/", "a/.", "new", "new/deep", "a/x", "b/a", "c.md", "..", "./b", "a/y"];
	const operands = Array.from({ length: pick([1, 2, 2, 2, 3]) }, () => pick(places));
	return [program, ...words.flat(), ...mode, ...operands];
}

type State = Map<string, string>;

function state(folder: string): State {
	const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
	return new Map(
		names.map((name) => {
			const { mode, size } = statSync(join(folder, name));
			const isFile = statSync(join(folder, name)).isFile();
			return [name, isFile ? `${mode} ${size} ${readFileSync(join(folder, name), "utf8")}` : `folder ${mode}`];
		}),
	);
}

/** Paths are relative to `in`; what lies outside begins with `..`. */
function covered(path: string, operands: readonly Operand[], had: State): boolean {
	return operands.some(({ word, use, reach, from }) => {
		if (use === "read") return false;
		const target = posix.normalize(word).replace(/\/$/, "");
		if (path === target) return true;
		// Folders on the way to a target come to be with it.
		if (!had.has(path) && target.startsWith(`${path}/`)) return true;
		if (!inside(path, target)) return false;
		if (reach?.kind === "tree") return true;
		if (from === undefined) return false;
		const rest = target === "." ? path : path.slice(target.length + 1);
		const source = posix.normalize(`${from}/${rest}`).replace(/^\.\.\/in(?:\/|$)/, "");
		return source === "" || had.has(source) || [...had.keys()].some((name) => name.startsWith(`${source}/`));
	});
}

function inside(path: string, folder: string): boolean {
	return folder === "." || folder === ".." || path.startsWith(`${folder}/`);
}

describe("a generated copy or move", function () {
	this.timeout(600_000);
	if (process.platform !== "linux") return;
	const outer = mkdtempSync(join(tmpdir(), "troupe-moves-"));
	const fixture = join(outer, "fixture");
	before(() => {
		for (const file of FILES) {
			mkdirSync(join(fixture, "in", dirname(file)), { recursive: true });
			writeFileSync(join(fixture, "in", file), `${file}\n`);
		}
	});
	after(() => rmSync(outer, { recursive: true, force: true }));

	it("changes nothing that was not judged as written", () => {
		const pick = random(5);
		const wrong: string[] = [];
		let changed = 0;
		for (const program of Object.keys(writingProgramTables)) {
			for (let count = 0; count < LINES; count++) {
				const words = lineOf(program, pick);
				const judgement = judged({ words, flavor: "gnu", unknown: new Set() });
				if (!judgement || !kindOf(judgement).startsWith("class")) continue;
				const world = join(outer, "world");
				cpSync(fixture, world, { recursive: true });
				const before = state(join(world, "in"));
				run(join(world, "in"), words);
				const after = state(join(world, "in"));
				const others = readdirSync(world).filter((name) => name !== "in");
				const paths = [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
				const outside = others.flatMap((name) => [`../${name}`]);
				const uncovered = [...paths, ...outside].filter((path) => !covered(path, judgement.operands, before));
				changed += paths.length;
				if (uncovered.length > 0) wrong.push(`${words.join(" ")}: ${uncovered.join(", ")}`);
				rmSync(world, { recursive: true, force: true });
			}
		}
		assert.deepEqual(wrong, []);
		assert.ok(changed > 30, `only ${changed} paths were changed`);
	});
});

function run(folder: string, words: readonly string[]): void {
	try {
		execFileSync(words[0] as string, words.slice(1), { cwd: folder, stdio: "ignore", timeout: 5_000 });
	} catch {
		// Many of them are wrong in themselves; what they did before they noticed counts as well.
	}
}
