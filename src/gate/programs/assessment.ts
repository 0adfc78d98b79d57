// Types for assessing a command by its words only, before any disk access.

import type { PathUse } from "../../core/ports/tool.ts";
import type { ProgramFlavor } from "../../core/ports/workspace/programs.ts";
import type { Permission } from "../../core/role.ts";

/** The part of a folder that an operand covers. */
export type PathExtent =
	/** Everything below it, including hidden files: the default unless a program is known to print only names. */
	| { kind: "tree"; follow?: boolean; skips?(name: string, folder: boolean): boolean }
	/** The names in it, and nothing else. */
	| { kind: "names"; follow?: boolean }
	/** The files that ripgrep itself would read there, given its flags. */
	| { kind: "ripgrep"; flags: readonly string[] }
	/** The folder itself, and nothing else. */
	| { kind: "itself" };

/** A path operand and how it is used. */
export interface Operand {
	word: string;
	use: PathUse;
	/** `tree` if absent. */
	reach?: PathExtent;
	/** The operand exists only if this is a folder: copied files go into a folder, or replace a file. */
	within?: string;
	/** Source of a copy or move: everything below `from` is created below `word`. */
	from?: string;
}

/** Files that a standing approval is bound to because they define what runs; the code that they run is not included. */
export interface ApprovalBinding {
	/** Distinguishes kinds of bindings in the hash: "package.json", "make". */
	kind: string;
	/** Folder to search from, relative to the working directory; the working directory itself if absent. */
	from?: string;
	/**
	 * File names of which the nearest one, searching upward, counts, in order of preference within a folder. The search ends at the
	 * workspace folder. A missing file is a definition, too: creating one invalidates the approval.
	 */
	nearest?: readonly string[];
	/** File names that count in every parent folder; those that do not exist are ignored. */
	upwards?: readonly string[];
	/** Words that may be paths: `nearest` and `upwards` are also searched from their folders. */
	beside?: readonly string[];
	/** Files by path, relative to the working directory: `node x.js` is bound to x.js. */
	files?: readonly string[];
	/**
	 * All files with these names in the workspace folder: `pnpm -r test` runs scripts of all of them. `*.x` matches an extension, `x/`
	 * everything in folders of that name.
	 */
	everywhere?: readonly string[];
	/** Folder names that `everywhere` skips besides those of installed packages: build output. */
	leaves?: readonly string[];
	/** Extracts the part of a file that defines the command, and further files relative to it; the whole file if absent. */
	read?(text: string, name: string): { defines: string; also?: readonly string[] } | undefined;
}

/** Checks that git must answer before one of its commands is allowed. */
export interface GitChecks {
	/** Value of `-C`, if given. */
	folder?: string;
	/** Parts of the repository's configuration that matter; for `read`, those that hardened git still follows. */
	use: "read" | "change" | "network";
	/** Set if the command may print file content: git is asked first which files it would print. */
	content?: GitContent;
	/** Arguments of a command that prints addresses, which may contain credentials. */
	addresses?: readonly string[];
	/** The remote that it connects to; "" for the default one, `--all` for all. */
	remote?: string;
	/** It enters submodules, whose own configuration matters. */
	submodules?: boolean;
	/** Lowercase keys whose values are files that it reads, relative to the top of the work tree. */
	namedFiles?: readonly string[];
	/** Names of the hooks that it would run. */
	hooks?: readonly string[];
}

/** The arguments of a command that prints file content, as far as they select the files. */
export interface GitContent {
	kind: "log" | "show" | "diff" | "grep" | "object" | "stash" | "status";
	/** Flags with attached values, as passed to git; undefined if their order relative to other arguments matters. */
	flags: readonly string[] | undefined;
	/** Words before `--`, or all words without it: revisions, objects, paths. */
	operands: readonly string[];
	/** Words after `--`; absent without it. */
	paths?: readonly string[];
	/** It prints no content of commits, only of other objects that an argument may name. */
	commitsAreFine?: true;
}

export interface Assessment {
	/** Reason why it requires approval even if a user's rule allows the program. */
	always?: string;
	/** Reason why it requires approval in every mode; a rule that names the program still allows it. */
	asks?: string;
	/** It only reads and prints: it runs without approval if its operands may be read. */
	reads?: true;
	/** Set with `reads`: it is read-only only inside the read sandbox, because the repository may decide what runs (`X --version`). */
	sandboxed?: true;
	/**
	 * The class of commands that a standing approval would cover: program and subcommand. If absent, none is offered unless `line` is set.
	 */
	class?: string;
	/** The program or this use of it is unknown: a standing approval covers exactly this line, bound to the program's file. */
	line?: true;
	/** Files that the class is bound to; all bindings must be readable. */
	bindings?: readonly ApprovalBinding[];
	/** Permissions beyond ExecuteCommands: WriteFiles for programs known to write, Network for programs that connect. */
	permissions?: readonly Permission[];
	/** It deletes files, which requires approval regardless of standing approvals. */
	deletes?: true;
	operands: readonly Operand[];
	git?: GitChecks;
	/** Its approval includes network access, because it serves or downloads. */
	network?: true;
	/** It downloads missing dependencies if it can, and works without the network if nothing is missing: `cargo build`. */
	fetches?: true;
	/** Assesses it again with the project's files; the result replaces this assessment. */
	later?(project: ProjectFiles): Promise<Assessment>;
	/** It prints only names or its own text, whatever arguments it receives from elsewhere (`xargs`, an expansion). */
	anyWords?: true;
}

/** Files around the working directory, never above the workspace folder. */
export interface ProjectFiles {
	/** Text of the nearest file with one of these names, searching upward; undefined if there is none or it cannot be read. */
	nearest(names: readonly string[]): Promise<{ name: string; text: string } | undefined>;
	/** Resolves to true if this relative path exists in the folder or in one of its parents. */
	upwards(path: string): Promise<boolean>;
	/** Names in the folder itself. */
	names(): Promise<readonly string[]>;
}

/** A command to assess; `unknown` marks words that only the shell can resolve. */
export interface Invocation {
	/** The program's bare name comes first. */
	words: readonly string[];
	flavor: ProgramFlavor;
	/** Indices of words with unknown text: `$?`, `$PATH`. They are in `words` as written. */
	unknown: ReadonlySet<number>;
}

export type Assessor = (call: Invocation) => Assessment;

/** Maps program names to their assessors. Each file has one such table; `lookup.ts` combines them. */
export type AssessorTable = Readonly<Record<string, Assessor>>;
