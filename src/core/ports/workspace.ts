// The port to a workspace's files, commands and language services.

// Paths are absolute and already checked by the gate.
import type { Attachment, FileChange } from "../events.ts";

export interface WorkspaceFolder {
	name: string;
	path: string;
}

export interface FileStat {
	type: "file" | "directory" | "other";
	/** Bytes. */
	size: number;
	/** Milliseconds since the epoch. */
	mtime: number;
	/** Names the file has on disk. */
	links: number;
}

/** What a file was when it was read; a write carries it back and is refused when the file has moved on. */
export interface FileVersion {
	size: number;
	mtime: number;
	/** SHA-256 of the bytes. */
	hash: string;
}

export interface Disk {
	/** Undefined when there is nothing; links are not followed. */
	lstat(path: string): Promise<(FileStat & { link?: string }) | undefined>;
	/** Undefined when it leads nowhere. Throws on a ring of links. */
	realpath(path: string): Promise<string | undefined>;
	/** At most `limit` bytes of a small file, undefined when it cannot be read. */
	peek(path: string, limit: number): Promise<Uint8Array | undefined>;
	/** Entries of a folder, unsorted. Where it is missing, what lies below a folder counts as unknown. */
	list?(path: string): Promise<{ name: string; type: FileStat["type"]; link: boolean }[]>;
	/**
	 * Everything below a folder, links not followed, until a bound is reached. `enter` false leaves a folder's content out.
	 * Undefined where something could not be seen or a bound was reached.
	 */
	walk?(folder: string, options: WalkOptions): Promise<WalkEntry[] | undefined>;
	/** What these paths are, links not followed; what is not there is left out. */
	inspect?(paths: readonly string[]): Promise<WalkEntry[]>;
}

export interface WalkOptions {
	/** Entries at most. */
	entries: number;
	/** Milliseconds at most. */
	time: number;
	enter(name: string, path: string): boolean;
}

export interface WalkEntry {
	path: string;
	type: FileStat["type"];
	/** It is a symbolic link. */
	link: boolean;
	/** Names the file has on disk; 1 for what is no file. */
	links: number;
}

export interface SearchQuery {
	pattern: string;
	/** Absolute folder or file to look in; every folder of the workspace when absent. */
	under?: string;
	glob?: string;
	/** The pattern is a plain string, not a regular expression. */
	literal?: boolean;
	ignoreCase?: boolean;
	/** Context lines on either side of a match. */
	context?: number;
	limit: number;
}

export interface SearchMatch {
	path: string;
	/** From 1. */
	line: number;
	text: string;
	/** A line of context around a match. */
	context?: boolean;
}

export interface SearchResult {
	matches: SearchMatch[];
	/** Stopped at the limit. */
	more: boolean;
	/** No more than so many files were looked at, and there are more. */
	bounded?: number;
}

export interface RunOptions {
	cwd: string;
	signal: AbortSignal;
	/** Milliseconds after which it is ended, in the background too; without it, it ends by itself, by the signal, or with the host. */
	timeout?: number;
	/** Milliseconds after which it goes on in the background. */
	patience?: number;
	/** Returns at once with a handle; the process lives until it ends, is cancelled or the host stops. */
	background?: boolean;
	/** The tool call it belongs to: names its terminal. */
	call?: string;
	/** Called once when the process has ended, in the background too. */
	onEnd?: (result: RunResult) => void;
	/** Raw output as it comes, for the eye only. */
	onOutput?: (chunk: string) => void;
	/** Variables of this command alone. */
	env?: Readonly<Record<string, string>>;
	/** ASCII texts that must not be seen in its output. */
	secrets?: readonly string[];
	/**
	 * It goes ahead unasked because it only reads: git is hardened, and it has 10 minutes and 2 GB at most. So has what is
	 * confined to reading.
	 */
	reads?: true;
	/** How it is kept in; runs with the person's own rights when absent. */
	confine?: SandboxRestrictions;
	/** Milliseconds it has waited for the person so far: they count into neither `timeout` nor `patience`. */
	waited?: () => number;
}

export interface RunResult {
	/** Id under which the whole output is kept. */
	id: string;
	/** Absent when killed or still running. */
	exitCode?: number;
	signal?: string;
	/** Set where it was kept in. `touched`: protected places that are there since, or are others than before. */
	confined?: Pick<SandboxRestrictions, "kind" | "network"> & { touched: readonly string[] };
	/** Why it ended, where it did not end by itself. */
	stopped?: "cancelled" | "timeout" | "prompt";
	running?: boolean;
	/** At most 32 KB: head and tail around a line that counts the omitted bytes; escape sequences removed. */
	output: string;
	/** Bytes the command wrote in all. */
	bytes: number;
	/** Milliseconds. */
	duration: number;
}

export interface OutputPage {
	text: string;
	/** Bytes in all so far. */
	bytes: number;
	/** Where the next page starts; absent at the end. */
	next?: number;
	running: boolean;
	exitCode?: number;
}

export interface Diagnostic {
	path: string;
	line: number;
	severity: "error" | "warning" | "info" | "hint";
	message: string;
	source?: string;
}

export interface SymbolMatch {
	name: string;
	kind: string;
	path: string;
	line: number;
	/** Last line, where it is known. */
	end?: number;
}

/** A change to one file that the workspace carries out and reports. */
export type FileEdit =
	| { path: string; action: "create"; content: Uint8Array }
	| { path: string; action: "update"; content: Uint8Array; base: FileVersion }
	| { path: string; action: "delete"; base?: FileVersion }
	| { path: string; action: "rename"; to: string; content?: Uint8Array; base?: FileVersion };

/** The file is not what it was when it was read, or the path leads elsewhere than when it was judged. */
export class FileConflict extends Error {
	override readonly name = "FileConflict";
}

export interface Workspace extends Disk {
	folders(): readonly WorkspaceFolder[];
	/** A stable identity that grants are bound to. */
	identity(): string;
	stat(path: string): Promise<FileStat | undefined>;
	/** Bytes of a file or of a part of it; what an editor holds unsaved comes first. Throws with a sentence for the model. */
	read(path: string, range?: { offset: number; length: number }): Promise<Uint8Array>;
	version(path: string): Promise<FileVersion | undefined>;
	/** Entries of a folder, unsorted. */
	list(path: string): Promise<{ name: string; type: FileStat["type"]; link: boolean }[]>;
	/**
	 * Files that match, ignored ones left out, links not followed. Paths are relative to `under`; without it to the
	 * workspace folder, with its name first where there are several.
	 */
	find(
		glob: string | readonly string[],
		options: { under?: string; limit: number; signal: AbortSignal },
	): Promise<{ paths: string[]; more: boolean; bounded?: number }>;
	search(query: SearchQuery, signal: AbortSignal): Promise<SearchResult>;
	/**
	 * All of the edits or none. `real` maps each path to where the gate saw it lead: the write goes there or is refused
	 * with FileConflict. Returns what changed, save participants included; pre-images are kept as blobs.
	 */
	apply(edits: readonly FileEdit[], real: ReadonlyMap<string, string>): Promise<FileChange[]>;
	/** What `apply` would change, without writing anything; nothing is kept. */
	preview(edits: readonly FileEdit[]): Promise<FileChange[]>;
	/** Puts the bytes back that were there before a change, and tells what that changed; throws FileConflict when the file has moved on since. */
	undo(change: FileChange): Promise<FileChange>;
	/** Whether an editor holds text of the file that is not saved. */
	unsaved?(path: string): boolean;
	/** Why no command can run here, a sentence for the model; undefined, or absent, where they can. */
	commands?(): string | undefined;
	run(command: string, options: RunOptions): Promise<RunResult>;
	output(id: string, offset: number): Promise<OutputPage>;
	/** Takes a picture of the workspace; the returned function tells what has changed since. */
	watch(): Promise<() => Promise<FileChange[]>>;
	/** The commit HEAD points at, undefined outside git. */
	commit(): Promise<string | undefined>;
	diagnostics(path?: string): Promise<Diagnostic[]>;
	symbols(query: string, signal: AbortSignal): Promise<SymbolMatch[]>;
}

/** What editors hold of files. Unsaved text comes first, and a change to it goes through its editor. */
export interface OpenBuffers {
	/** Bytes a dirty document would be saved as; undefined when the file is clean or not open. */
	dirty(path: string): Uint8Array | undefined;
	/** Why a file cannot be written beside its editor (a notebook, for example). */
	refusal(path: string): string | undefined;
	/** Replaces a dirty document's text through its editor, saves it, and resolves when it is on disk. */
	replace(path: string, content: Uint8Array): Promise<void>;
}

/** Which family of tools a program belongs to: their flags differ. */
export type ProgramFlavor = "gnu" | "bsd" | "busybox";

export interface ResolvedProgram {
	/** Absolute, as the clean PATH has it. */
	path: string;
	/** Where it really is, links followed. */
	real: string;
	flavor: ProgramFlavor;
	/** It is found only where the workspace or an agent may put files: running it asks, and the card names the file. */
	inWorkspace?: true;
}

export interface ProgramLimits {
	/** Milliseconds; 300 when absent. */
	time?: number;
	/** Bytes of output; 4 MiB when absent. More counts as no answer. */
	bytes?: number;
	signal?: AbortSignal;
}

/** What a program said. `code` is its exit code. */
export interface ProgramOutput {
	code: number;
	output: Uint8Array;
}

export interface HostPrograms {
	/** By its bare name, along the clean PATH; found once and remembered. Undefined where there is none. */
	find(name: string): Promise<ResolvedProgram | undefined>;
	/**
	 * Asks our own hardened git. Undefined when there is none, when it is too old to be hardened (2.39.4 and 2.31 are the
	 * floors), or when it takes too long or says too much.
	 */
	git(folder: string, words: readonly string[], limits?: ProgramLimits): Promise<ProgramOutput | undefined>;
	/** Asks ripgrep, without any configuration of its own. Undefined as for git. */
	ripgrep(folder: string, words: readonly string[], limits?: ProgramLimits): Promise<ProgramOutput | undefined>;
}

/** How a command is kept in: what it may write, and whether it has a network. */
export interface SandboxRestrictions {
	/** `read`: the disk cannot be written and there is no network. `workspace`: the workspace can be written, protected places in it cannot. */
	kind: "read" | "workspace";
	network: boolean;
	/** Absolute paths that cannot be read: protected files that the turn's walk has found. */
	masked: readonly string[];
	/** Of `workspace`: git's own folder can be written, too, hooks and configuration excepted. For git's own commands only. */
	repository?: true;
}

/** Why no bash runs commands. `setting`: what the setting names cannot be started. `none`: there is none in any known place. */
export type MissingShellReason = "setting" | "none";

export interface VirtualFileStat extends Pick<FileStat, "type" | "size" | "mtime"> {
	/** Where it leads cannot be seen. */
	link: boolean;
}

/** Rejects with an error whose `code` is that of Node's: ENOENT, EEXIST, EISDIR, ENOTDIR, EACCES. */
export interface VirtualFileSystem {
	/** Undefined when there is nothing. */
	stat(path: string): Promise<VirtualFileStat | undefined>;
	readFile(path: string): Promise<Uint8Array>;
	/** Creates the file or replaces its content; its folder is there. */
	writeFile(path: string, content: Uint8Array): Promise<void>;
	/** Names as the file system gives them. */
	readDirectory(path: string): Promise<{ name: string; type: FileStat["type"]; link: boolean }[]>;
	/** With the folders above it. */
	createDirectory(path: string): Promise<void>;
	/** `trash` where the file system has one. */
	delete(path: string, trash: boolean): Promise<void>;
	/** Rejects with EEXIST where the target is there. */
	rename(from: string, to: string): Promise<void>;
}

export interface UserTerminal {
	/**
	 * Puts the line at the prompt of a terminal in that folder, not run: that is for the person to do. Resolves with what was
	 * run there next; undefined when the terminal was closed, or the signal ended the wait. Rejects with a sentence for the
	 * person where no terminal tells what it runs.
	 */
	type(line: string, cwd: string, signal: AbortSignal): Promise<TerminalRun | undefined>;
}

/** A line that the person has run. */
export interface TerminalRun {
	line: string;
	/** Resolves when it has ended or its terminal was closed. Never rejects. */
	ended: Promise<{ output: string; exitCode?: number }>;
}

/** Whether it can be typed at a prompt as it stands: nothing in it runs it, hides a part of it or is expanded there. */
export function canTypeInTerminal(line: string): boolean {
	return line === line.trim() && line !== "" && line.length <= LONGEST && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}!]|\\$/u.test(line);
}

const LONGEST = 1_000;

export interface EditorFacts {
	/** Of the editor that was used last; undefined where there is none. Without a selection `text` is "". */
	selection(): { path: string; lines: [number, number]; text: string } | undefined;
	/** Files in editors, the one used last first; absolute. */
	open(): readonly string[];
	/** What terminals have shown since the extension started, the newest last, without escape sequences; "" for nothing. */
	terminal(): string;
	/**
	 * What differs from the last commit, staged or not, in files that `shown` lets through. Undefined outside git;
	 * `hidden` counts the files left out.
	 */
	changes(shown: (path: string) => Promise<boolean>): Promise<{ diff: string; untracked: string[]; hidden: number } | undefined>;
}

/** One line of the list that opens at an @. */
export interface MentionSuggestion {
	kind: Attachment["kind"];
	/** What stands in the message when it is chosen: "@src/cart.ts", "@problems". */
	insert: string;
	label: string;
	/** The folder it lies in, or what it brings. */
	detail: string;
	/** Characters of the label that matched, for the eye. */
	marks?: number[];
	/** Choosing it goes on with the list: a folder's files, an address to type. */
	more?: boolean;
}
