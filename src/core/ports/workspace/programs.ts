// The port to programs on this computer that Troupe itself runs.

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
