// Tests the tables of git flags against the installed git.

// A flag that git lacks fails the test; flags that the tables lack can be listed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { subcommands } from "../../../../src/gate/git/git.ts";
import { flagNames } from "../../../../src/gate/git/historyFlags.ts";
import { type Fixture, fixture } from "./repositories.ts";

/** Flags that came with a later git than the oldest one that is used at all (2.39), by the version that brought them. */
const newer: Readonly<Record<string, string>> = {
	"--default-prefix": "2.41",
	"--omit-empty": "2.41",
	"show-ref --exists": "2.43",
	"show-ref --branches": "2.46",
	"ls-remote --branches": "2.46",
	"ls-remote -b": "2.46",
	"push --branches": "2.47",
	"for-each-ref --exclude": "2.42",
	"--no-diff-merges": "2.29",
};

/** Here an unknown flag goes through, or every subcommand of theirs has flags of its own. */
const silent = new Set(["rev-parse", "var", "stash", "worktree", "remote", "rebase", "submodule"]);

/** These take the next word if there is one; the tables take it for an operand, which is judged alike. */
const lastWord = new Set(["--contains", "--no-contains", "--merged", "--no-merged"]);

const ONE = "--zzz-one";
const TWO = "--zzz-two";
const complaint = /unknown option|unknown switch|unrecognized argument|invalid option|unknown flag/;

describe("the tables of git's flags", () => {
	let at: Fixture;
	before(() => {
		at = fixture();
	});
	after(() => at.dispose());

	function said(...words: string[]): string {
		const env = { ...process.env, GIT_EDITOR: "true", GIT_ALLOW_PROTOCOL: "", GIT_CONFIG_NOSYSTEM: "1" };
		return spawnSync("git", words, { cwd: at.ws, env, encoding: "utf8", input: "", timeout: 20_000 }).stderr;
	}

	/** Whether git knows the flag, and, as far as it says, whether it takes the next word for its value. */
	function tried(name: string, flag: string): { known: boolean; takesNext?: boolean } {
		const lines = said(name, flag, ONE, TWO).split("\n");
		const told = lines.find((line) => complaint.test(line)) ?? "";
		if (told.includes(ONE.slice(2))) return { known: true, takesNext: false };
		if (told.includes(TWO.slice(2))) return { known: true, takesNext: true };
		if (told.includes(flag.replace(/^-+/, ""))) return { known: [`${flag}=1`, "HEAD"].some((more) => !complains(name, flag, more)) };
		if (lines.some((line) => line.includes(ONE))) return { known: true, takesNext: true };
		return {
			known: [[], ["HEAD"], [`${flag}=1`, "HEAD"]].some(
				(more) => !said(name, ...(more[0] === `${flag}=1` ? [] : [flag]), ...more).startsWith("usage:"),
			),
		};
	}

	function complains(name: string, flag: string, more: string): boolean {
		return complaint.test(said(name, ...(more.startsWith(flag) ? [more] : [flag, more])));
	}

	for (const [name, { flags }] of Object.entries(subcommands)) {
		if (silent.has(name)) continue;
		it(`are right about ${name}`, function () {
			this.timeout(60_000);
			const wrong: string[] = [];
			const version = /\d+\.\d+/.exec(spawnSync("git", ["--version"], { encoding: "utf8" }).stdout)?.[0] ?? "";
			const takesNext = new Set(flagNames({ text: flags.text ?? "", reads: flags.reads ?? "" }));
			for (const flag of flagNames(flags)) {
				const found = tried(name, flag);
				const late = newer[flag] ?? newer[`${name} ${flag}`];
				if (!found.known && !(late !== undefined && older(version, late))) wrong.push(`${flag} is unknown`);
				if (!found.known || found.takesNext === undefined) continue;
				if (found.takesNext !== takesNext.has(flag) && !lastWord.has(flag))
					wrong.push(`${flag} ${found.takesNext ? "takes" : "does not take"} the next word`);
			}
			assert.deepEqual(wrong, []);
		});
	}
});

function older(version: string, than: string): boolean {
	const [one = 0, other = 0] = [version, than].map((text) => Number(text.split(".")[0]) * 1000 + Number(text.split(".")[1]));
	return one < other;
}
