// The port to a workspace's files, commands, and language services.

// Paths are absolute and already checked by the gate.
import type { Attachment, FileChange } from "../events.ts";
import { hasHidden } from "../hiddenText.ts";

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
	/** Number of hard links. */
	links: number;
}

/** A file's state when it was read. A write passes it back and is refused if the file has changed since. */
export interface FileVersion {
	size: number;
	mtime: number;
	/** SHA-256 of the bytes. */
	hash: string;
}

export interface Disk {
	/** Returns undefined if nothing exists there; links are not followed. */
	lstat(path: string): Promise<(FileStat & { link?: string }) | undefined>;
	/** Returns undefined if the target does not exist. Throws on a link cycle. */
	realpath(path: string): Promise<string | undefined>;
	/** Reads at most `limit` bytes of a small file; undefined if it cannot be read. */
	peek(path: string, limit: number): Promise<Uint8Array | undefined>;
	/** Entries of a folder, unsorted. If this method is absent, a folder's content counts as unknown. */
	list?(path: string): Promise<{ name: string; type: FileStat["type"]; link: boolean }[]>;
	/**
	 * Lists everything below a folder without following links, up to the limits. If `enter` returns false, a folder's content is
	 * skipped. Returns undefined if something could not be read or a limit was reached.
	 */
	walk?(folder: string, options: WalkOptions): Promise<WalkEntry[] | undefined>;
	/** Returns the types of these paths without following links; omits paths that do not exist. */
	inspect?(paths: readonly string[]): Promise<WalkEntry[]>;
}

export interface WalkOptions {
	/** Maximum number of entries. */
	entries: number;
	/** Maximum time in milliseconds. */
	time: number;
	enter(name: string, path: string): boolean;
}

export interface WalkEntry {
	path: string;
	type: FileStat["type"];
	/** It is a symbolic link. */
	link: boolean;
	/** Number of hard links; 1 for anything but a file. */
	links: number;
}

export interface SearchQuery {
	pattern: string;
	/** Absolute folder or file to search; every workspace folder if absent. */
	under?: string;
	glob?: string;
	/** The pattern is a plain string, not a regular expression. */
	literal?: boolean;
	ignoreCase?: boolean;
	/** Context lines before and after each match. */
	context?: number;
	limit: number;
}

export interface SearchMatch {
	path: string;
	/** From 1. */
	line: number;
	text: string;
	/** A context line around a match. */
	context?: boolean;
}

export interface SearchResult {
	matches: SearchMatch[];
	/** The search stopped at the limit. */
	more: boolean;
	/** Set if more files exist than this number, which were searched. */
	bounded?: number;
}

export interface RunOptions {
	cwd: string;
	signal: AbortSignal;
	/** Milliseconds after which it is terminated, also in the background. Without it, it ends by itself, by the signal, or with the host. */
	timeout?: number;
	/** Milliseconds after which it continues in the background. */
	patience?: number;
	/** Returns immediately with an id; the process runs until it ends, is cancelled, or the host stops. */
	background?: boolean;
	/** The tool call that it belongs to, used as its terminal's name. */
	call?: string;
	/** Called once when the process has ended, also in the background. */
	onEnd?: (result: RunResult) => void;
	/** Raw output as it arrives, for display only. */
	onOutput?: (chunk: string) => void;
	/** Environment variables for this command only. */
	env?: Readonly<Record<string, string>>;
	/** ASCII strings that must not appear in its output. */
	secrets?: readonly string[];
	/**
	 * It runs without approval because it is read-only: git is hardened, and the limits are 10 minutes and 2 GB. The same applies
	 * to commands confined to reading.
	 */
	reads?: true;
	/** Sandbox restrictions; if absent, it runs with the user's own rights. */
	confine?: SandboxRestrictions;
	/** Milliseconds spent waiting for the user so far, which count toward neither `timeout` nor `patience`. */
	waited?: () => number;
}

export interface RunResult {
	/** Id under which the complete output is stored. */
	id: string;
	/** Absent if it was killed or is still running. */
	exitCode?: number;
	signal?: string;
	/** Set if it ran in a sandbox. `touched`: protected paths that were created or changed. */
	confined?: Pick<SandboxRestrictions, "kind" | "network"> & { touched: readonly string[] };
	/** Why it was terminated, if it did not end by itself. */
	stopped?: "cancelled" | "timeout" | "prompt";
	running?: boolean;
	/** At most 32 KB: head and tail around a line with the number of omitted bytes; escape sequences removed. */
	output: string;
	/** Total bytes that the command wrote. */
	bytes: number;
	/** Milliseconds. */
	duration: number;
}

export interface OutputPage {
	text: string;
	/** Total bytes so far. */
	bytes: number;
	/** Offset of the next page; absent at the end. */
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
	/** Last line, if known. */
	end?: number;
}

/** A change to one file that the workspace performs and reports. */
export type FileEdit =
	| { path: string; action: "create"; content: Uint8Array; executable?: true }
	| { path: string; action: "update"; content: Uint8Array; base: FileVersion }
	/** `trash`: into the trash where there is one, where what is written to it meanwhile goes too. */
	| { path: string; action: "delete"; base?: FileVersion; trash?: true }
	| { path: string; action: "rename"; to: string; content?: Uint8Array; base?: FileVersion };

/** The file has changed since it was read, or the path resolves to another location than when it was checked. */
export class FileConflict extends Error {
	override readonly name = "FileConflict";
}

export interface Workspace extends Disk {
	folders(): readonly WorkspaceFolder[];
	/**
	 * Folders in Troupe's storage whose files tools change without naming paths, such as memory. Display paths in them begin with the
	 * folder's name. None if absent.
	 */
	keptFolders?(): readonly WorkspaceFolder[];
	/** A stable identity that approvals are bound to. */
	identity(): string;
	stat(path: string): Promise<FileStat | undefined>;
	/** Reads a file or a part of it; unsaved editor content takes precedence. Throws with a sentence for the model. */
	read(path: string, range?: { offset: number; length: number }): Promise<Uint8Array>;
	version(path: string): Promise<FileVersion | undefined>;
	/** Entries of a folder, unsorted. */
	list(path: string): Promise<{ name: string; type: FileStat["type"]; link: boolean }[]>;
	/**
	 * Matching files, without ignored ones; links are not followed. Paths are relative to `under`, or otherwise to the workspace
	 * folder, prefixed with its name if there are several.
	 */
	find(
		glob: string | readonly string[],
		options: { under?: string; limit: number; signal: AbortSignal },
	): Promise<{ paths: string[]; more: boolean; bounded?: number }>;
	search(query: SearchQuery, signal: AbortSignal): Promise<SearchResult>;
	/**
	 * Applies all edits or none. `real` maps each path to the location that the gate resolved: the write goes there or is refused
	 * with FileConflict. Returns what changed, including changes by save participants; previous content is stored as blobs.
	 */
	apply(edits: readonly FileEdit[], real: ReadonlyMap<string, string>): Promise<FileChange[]>;
	/** The changes that `apply` would make, without writing or storing anything. */
	preview(edits: readonly FileEdit[]): Promise<FileChange[]>;
	/** Restores the bytes from before a change and returns the resulting change; throws FileConflict if the file has changed since. */
	undo(change: FileChange): Promise<FileChange>;
	/** Whether an editor has unsaved text of the file. */
	unsaved?(path: string): boolean;
	/** Why commands cannot run here, as a sentence for the model; undefined or absent if they can. */
	commands?(): string | undefined;
	run(command: string, options: RunOptions): Promise<RunResult>;
	output(id: string, offset: number): Promise<OutputPage>;
	/** Takes a snapshot of the workspace; the returned function lists the changes since. */
	watch(): Promise<() => Promise<FileChange[]>>;
	/** The commit that HEAD points to; undefined outside git. */
	commit(): Promise<string | undefined>;
	diagnostics(path?: string): Promise<Diagnostic[]>;
	symbols(query: string, signal: AbortSignal): Promise<SymbolMatch[]>;
}

/** Open documents. Unsaved text takes precedence over the disk, and a change to it goes through its editor. */
export interface OpenBuffers {
	/** Bytes that a dirty document would be saved as; undefined if the file is clean or not open. */
	dirty(path: string): Uint8Array | undefined;
	/** Why a file cannot be written directly while it is open in an editor (a notebook, for example). */
	refusal(path: string): string | undefined;
	/** Replaces a document's text through its editor, unsaved. */
	setText(path: string, content: Uint8Array): Promise<void>;
	/** Resolves once the document is on disk; rejects if it stays unsaved. */
	save(path: string): Promise<void>;
}

/** The tool family that a program belongs to, since flags differ between families. */
export type ProgramFlavor = "gnu" | "bsd" | "busybox";

export interface ResolvedProgram {
	/** Absolute path as found on the clean PATH. */
	path: string;
	/** Its location with links resolved. */
	real: string;
	flavor: ProgramFlavor;
	/** It was found only where the workspace or an agent can write files: running it requires approval, and the request names the file. */
	inWorkspace?: true;
}

export interface ProgramLimits {
	/** Milliseconds; 300 if absent. */
	time?: number;
	/** Bytes of output; 4 MiB if absent. If there is more, the result is undefined. */
	bytes?: number;
	signal?: AbortSignal;
}

/** A program's output. `code` is its exit code. */
export interface ProgramOutput {
	code: number;
	output: Uint8Array;
}

export interface HostPrograms {
	/** Finds a program by its bare name on the clean PATH and caches the result. Returns undefined if there is none. */
	find(name: string): Promise<ResolvedProgram | undefined>;
	/**
	 * Runs our hardened git. Returns undefined if there is none, if it is too old to be hardened (minimum 2.39.4 and 2.31), or if
	 * it exceeds the limits.
	 */
	git(folder: string, words: readonly string[], limits?: ProgramLimits): Promise<ProgramOutput | undefined>;
	/** Runs ripgrep without any configuration. Returns undefined in the same cases as `git`. */
	ripgrep(folder: string, words: readonly string[], limits?: ProgramLimits): Promise<ProgramOutput | undefined>;
}

/** The sandbox for a command: what it may write, and whether it has network access. */
export interface SandboxRestrictions {
	/** `read`: nothing on disk can be written and there is no network. `workspace`: the workspace can be written, except protected paths. */
	kind: "read" | "workspace";
	network: boolean;
	/** Absolute paths that cannot be read: protected files found during the turn. */
	masked: readonly string[];
	/** For `workspace`: git's own folder can be written too, except hooks and configuration. For git commands only. */
	repository?: true;
}

/** Why no bash can run commands. `setting`: the configured program cannot be started. `none`: bash was not found. */
export type MissingShellReason = "setting" | "none";

export interface VirtualFileStat extends Pick<FileStat, "type" | "size" | "mtime"> {
	/** A link whose target cannot be determined. */
	link: boolean;
}

/** Methods reject with an error whose `code` is a Node.js code: ENOENT, EEXIST, EISDIR, ENOTDIR, EACCES. */
export interface VirtualFileSystem {
	/** Returns undefined if nothing exists there. */
	stat(path: string): Promise<VirtualFileStat | undefined>;
	readFile(path: string): Promise<Uint8Array>;
	/** Creates the file or replaces its content; its folder must exist. */
	writeFile(path: string, content: Uint8Array): Promise<void>;
	/** Names as the file system reports them. */
	readDirectory(path: string): Promise<{ name: string; type: FileStat["type"]; link: boolean }[]>;
	/** Creates missing parent folders, too. */
	createDirectory(path: string): Promise<void>;
	/** Uses the trash if `trash` is set and the file system has one. */
	delete(path: string, trash: boolean): Promise<void>;
	/** Rejects with EEXIST if the target exists. */
	rename(from: string, to: string): Promise<void>;
}

export interface UserTerminal {
	/**
	 * Types the line at a terminal prompt in that folder without running it; the user runs it. Resolves with the next command that
	 * is run there; undefined if the terminal was closed or the signal aborted. Rejects with a sentence for the user if no terminal
	 * reports what it runs.
	 */
	type(line: string, cwd: string, signal: AbortSignal): Promise<TerminalRun | undefined>;
}

/** A command line that the user ran. */
export interface TerminalRun {
	line: string;
	/** Resolves once it has ended or its terminal was closed. Never rejects. */
	ended: Promise<{ output: string; exitCode?: number }>;
}

/** Whether a line can be typed at a prompt unchanged: nothing in it would execute it, be invisible, or be expanded. */
export function canTypeInTerminal(line: string): boolean {
	return line === line.trim() && line !== "" && line.length <= LONGEST && !/!|\\$/.test(line) && !hasHidden(line, "selectors");
}

const LONGEST = 1_000;

export interface EditorFacts {
	/** Selection of the last used editor; undefined if there is none. Without a selection, `text` is "". */
	selection(): { path: string; lines: [number, number]; text: string } | undefined;
	/** Absolute paths of open files, last used first. */
	open(): readonly string[];
	/** Terminal output since activation, newest last, without escape sequences; "" if there is none. */
	terminal(): string;
	/** Uncommitted changes, staged or not, in files that `shown` accepts. Undefined outside git; `hidden` counts the omitted files. */
	changes(shown: (path: string) => Promise<boolean>): Promise<{ diff: string; untracked: string[]; hidden: number } | undefined>;
}

/** An entry of the completion list for @. */
export interface MentionSuggestion {
	kind: Exclude<Attachment["kind"], "conversation">;
	/** Text inserted into the message: "@src/cart.ts", "@problems". */
	insert: string;
	label: string;
	/** Its folder, or what it adds to the message. */
	detail: string;
	/** Indices of the label's matched characters, for highlighting. */
	marks?: number[];
	/** Choosing it keeps the list open: a folder's files, a URL to type. */
	more?: boolean;
}
