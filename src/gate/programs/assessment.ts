// Types for assessing a command by its words alone, before any disk access.

import type { PathUse } from "../../core/ports/tool.ts";
import type { ProgramFlavor } from "../../core/ports/workspace.ts";
import type { Permission } from "../../core/role.ts";

/** How much of a folder an operand that names one stands for. */
export type PathExtent =
	/** Everything below it, hidden files too: the default, for every program that is not known to print names only. */
	| { kind: "tree"; follow?: boolean; skips?(name: string, folder: boolean): boolean }
	/** Its names alone. */
	| { kind: "names"; follow?: boolean }
	/** The files that ripgrep itself would read there, by its own flags. */
	| { kind: "ripgrep"; flags: readonly string[] }
	/** The folder itself and nothing in it. */
	| { kind: "itself" };

/** A word that is a path, and what happens to what it names. */
export interface Operand {
	word: string;
	use: PathUse;
	/** `tree` when absent. */
	reach?: PathExtent;
	/** It comes to be only where this is a folder: copied files land in one, or take its name. */
	within?: string;
	/** Of a copy or move: everything below `from` is created anew below `word`. */
	from?: string;
}

/** What a lasting approval is bound to: files that define what will run, not the code that they run. */
export interface ApprovalBinding {
	/** Tells the kinds of binding apart in the hash: "package.json", "make". */
	kind: string;
	/** Folder to look from, relative to where the command runs; the folder itself when absent. */
	from?: string;
	/**
	 * File names of which the nearest upwards counts, in order of preference in one folder. The search ends at the workspace
	 * folder. No such file is a definition, too: one that comes later ends the approval.
	 */
	nearest?: readonly string[];
	/** File names that count in every folder upwards; nothing where there is none. */
	upwards?: readonly string[];
	/** Words that may be paths: `nearest` and `upwards` are looked for from their folders, too. */
	beside?: readonly string[];
	/** Files by path, relative to where the command runs: `node x.js` is bound to x.js. */
	files?: readonly string[];
	/**
	 * Every file of one of these names in the whole workspace folder: `pnpm -r test` runs scripts of all of them. `*.x` stands
	 * for all that end so, `x/` for all that lies in folders of that name.
	 */
	everywhere?: readonly string[];
	/** Names of folders that `everywhere` does not look into, beside those of installed packages: what builds put there. */
	leaves?: readonly string[];
	/** Takes from the bytes of a found file what defines the command, and further files by path relative to it; all of the bytes when absent. */
	read?(text: string, name: string): { defines: string; also?: readonly string[] } | undefined;
}

/** What has to be asked of git before one of its commands goes ahead. */
export interface GitChecks {
	/** Value of `-C`, absent without one. */
	folder?: string;
	/** What counts of the repository's configuration: of a command that only reads, what the hardened git would still follow. */
	use: "read" | "change" | "network";
	/** The command may print what is in files: the names it would print are asked for first. */
	content?: GitContent;
	/** Words of a command that prints addresses, which may hold credentials. */
	addresses?: readonly string[];
	/** The remote that it goes to; empty for the default one, `--all` for every one. */
	remote?: string;
	/** It enters submodules, whose own configuration counts. */
	submodules?: boolean;
	/** Keys, in lower case, whose values are files that it reads, seen from the top of the work tree. */
	namedFiles?: readonly string[];
	/** Names of hooks that it would run. */
	hooks?: readonly string[];
}

/** The words of a command that prints what is in files, as far as they decide which files those are. */
export interface GitContent {
	kind: "log" | "show" | "diff" | "grep" | "object" | "stash" | "status";
	/** Flags with their values attached, as git gets them; undefined where their order among the other words counts, too. */
	flags: readonly string[] | undefined;
	/** Words before `--`, or all of them without one: revisions, objects, paths. */
	operands: readonly string[];
	/** Words behind `--`; absent without one. */
	paths?: readonly string[];
	/** It prints no content of commits, only of other objects that a word may name. */
	commitsAreFine?: true;
}

export interface Assessment {
	/** Why it asks even where a rule of the person allows the program. */
	always?: string;
	/** Why it asks in every mode; a rule that names the program lets it go ahead. */
	asks?: string;
	/** It only reads and prints: as soon as its operands may be read it goes ahead unasked. */
	reads?: true;
	/** With `reads`: only in the read sandbox, for it may take the repository's word for what runs (`X --version`). */
	sandboxed?: true;
	/** What a lasting approval would cover: program and subcommand. None is offered where it is absent, unless `line` is set. */
	class?: string;
	/** No table knows the program, or not with these words: a lasting approval covers exactly this line, bound to the program's file. */
	line?: true;
	/** What a class is bound to; several must all be readable. */
	bindings?: readonly ApprovalBinding[];
	/** Beyond ExecuteCommands: WriteFiles of a program that is known to write, Network of one that goes out. */
	permissions?: readonly Permission[];
	/** It deletes: asks whatever was approved. */
	deletes?: true;
	operands: readonly Operand[];
	git?: GitChecks;
	/** Its approval covers the network, too: it serves, or fetches. */
	network?: true;
	/** It fetches what it lacks where it can, and works without the network where nothing is missing: `cargo build`. */
	fetches?: true;
	/** What it is in the light of the project's files: takes the place of this judgement. */
	later?(project: ProjectFiles): Promise<Assessment>;
	/** It prints no more than names or its own text, whatever words it gets from elsewhere (`xargs`, an expansion). */
	anyWords?: true;
}

/** What lies around the folder that a command runs in; never above the workspace folder. */
export interface ProjectFiles {
	/** Text of the nearest file upwards that has one of these names; undefined where there is none or it cannot be read. */
	nearest(names: readonly string[]): Promise<{ name: string; text: string } | undefined>;
	/** Whether something lies at this relative path in the folder or in one above it. */
	upwards(path: string): Promise<boolean>;
	/** Names in the folder itself. */
	names(): Promise<readonly string[]>;
}

/** A program by its words after the first; `unknown` tells the places of words that only the shell could know. */
export interface Invocation {
	/** The program's bare name first. */
	words: readonly string[];
	flavor: ProgramFlavor;
	/** Indices of words whose text is not known: `$?`, `$PATH`. Such a word stands in `words` as it is written. */
	unknown: ReadonlySet<number>;
}

export type Assessor = (call: Invocation) => Assessment;

/** Names of programs → how they are judged. One such table a file; `lookup.ts` puts them together. */
export type AssessorTable = Readonly<Record<string, Assessor>>;
