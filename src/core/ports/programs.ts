// The port that starts programs without a shell.

// A file, a list of arguments, a small environment, and an end for the whole process tree.

/** What is started, whole: nothing is added to it but the mark by which its processes are found again. */
export interface ProgramStart {
	/** Absolute: no PATH and no current folder decides what runs. */
	file: string;
	args: readonly string[];
	/** Absolute. */
	cwd: string;
	env: Readonly<Record<string, string>>;
}

/** Hears of one program; nothing more once it has closed. */
export interface ProgramListener {
	started?(): void;
	/** It could not be started: nothing runs. */
	failed(error: Error): void;
	output(bytes: Uint8Array): void;
	errors?(bytes: Uint8Array): void;
	/** One of its pipes broke. */
	broken?(error: Error): void;
	/** Its first process has ended: with a code, or by a signal. What that one started may still write. */
	exited(status: { code: number | null; signal: string | null }): void;
	/** Nothing comes any more. */
	closed(): void;
}

export interface RunningProgram {
	/** Whether it takes input. */
	readonly writable: boolean;
	/** Bytes that wait to be read by it. */
	readonly unread: number;
	write(text: string): void;
	/** Says that nothing more comes: most programs that serve end by this. */
	closeInput(): void;
	pause(): void;
	resume(): void;
	/** Lets go of its pipes and ends its whole tree of processes, also where the first has ended by itself. */
	end(): Promise<void>;
}

export interface ProgramHost {
	/** What programs get to know: a short list of variables, never our keys and tokens, and those given; a clean PATH, too. */
	environment(own: Readonly<Record<string, string>>): Promise<Record<string, string>>;
	/** Absolute path of the first such program on that PATH that no workspace decides. */
	findProgram(name: string, path: string): Promise<string | undefined>;
	isExecutable(file: string): Promise<boolean>;
	/** Throws where it cannot be started at all; what fails later is told to the listener. */
	start(program: ProgramStart, listener: ProgramListener): RunningProgram;
}
