// A program as it is about to be started, and the port that keeps one in.
import type { SandboxRestrictions } from "../../core/ports/workspace.ts";
import type { ProgramLaunch } from "../programs/startProgram.ts";

export interface SandboxLaunch extends ProgramLaunch {
	/** Called once, when nothing of it runs any more: the protected places that are there since, or are other ones now. */
	afterExit?(): Promise<readonly string[]>;
}

export interface ProgramConfiner {
	/** The same program, kept in, with one stream of its two. Throws ToolProblem where that cannot be done: then it must not be started. */
	confine(start: SandboxLaunch, confinement: SandboxRestrictions): Promise<SandboxLaunch>;
}
