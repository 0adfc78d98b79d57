// A program as it is about to be started, and the port that keeps one in.
import type { Confinement } from "../../core/hostPrograms.ts";

export interface Start {
	/** Absolute. */
	file: string;
	args: readonly string[];
	env: Record<string, string>;
	cwd: string;
	/** Bytes that it reads from the descriptors 3, 4 and so on. */
	inputs?: readonly Uint8Array[];
	/** Called once, when nothing of it runs any more. */
	ended?(): Promise<void>;
}

export interface Confining {
	/** The same program, kept in. Throws ToolProblem where that cannot be done: then it must not be started. */
	confine(start: Start, confinement: Confinement): Promise<Start>;
}
