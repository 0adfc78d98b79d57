// The files that this change touches: committed since its base, or not committed yet.

// CHANGE_BASE names the base. Without it, the base is where the branch left origin/main; on main itself, which lands as a whole,
// it is whatever was committed within a day of the last commit.
import { execFileSync } from "node:child_process";
import { root } from "../install.mjs";

/** Milliseconds. */
const DAY = 24 * 60 * 60 * 1_000;

/** Paths from the root. Undefined where git can't tell: then anything may have changed. */
export function findChangedFiles() {
	try {
		const lines = [...listCommitted(), ...git("diff", "--name-only", "HEAD"), ...git("ls-files", "--others", "--exclude-standard")];
		return new Set(lines);
	} catch {
		return undefined;
	}
}

function listCommitted() {
	// Of a new branch or tag, CI names a base of zeros.
	const named = /[^0]/.test(process.env.CHANGE_BASE ?? "") ? process.env.CHANGE_BASE : undefined;
	const base = named ?? findBranchBase();
	if (base) return git("diff", "--name-only", `${base}...HEAD`);
	const last = new Date(git("log", "-1", "--format=%cI")[0]).getTime();
	return git("log", `--since=${new Date(last - DAY).toISOString()}`, "--name-only", "--format=");
}

function findBranchBase() {
	try {
		const [base] = git("merge-base", "origin/main", "HEAD");
		return base === git("rev-parse", "HEAD")[0] ? undefined : base;
	} catch {
		return undefined;
	}
}

function git(...words) {
	const output = execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
	return output.split("\n").filter((line) => line !== "");
}
