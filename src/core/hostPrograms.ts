// The port to the programs of this machine: where they are, and the two that are asked about a repository.

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
