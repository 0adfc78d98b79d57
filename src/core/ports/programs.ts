// The port that starts programs without a shell.

// A file, arguments, a minimal environment, and termination of the whole process tree.

/** The complete start configuration: nothing is added except the marker that identifies its processes. */
export interface ProgramStart {
	/** Absolute, so neither the PATH nor the current folder decides what runs. */
	file: string;
	args: readonly string[];
	/** Absolute. */
	cwd: string;
	env: Readonly<Record<string, string>>;
}

/** Callbacks for one program; none is called after `closed`. */
export interface ProgramListener {
	started?(): void;
	/** It could not be started; nothing runs. */
	failed(error: Error): void;
	output(bytes: Uint8Array): void;
	errors?(bytes: Uint8Array): void;
	/** One of its pipes broke. */
	broken?(error: Error): void;
	/** Its main process exited with a code or by a signal. Child processes may still write. */
	exited(status: { code: number | null; signal: string | null }): void;
	/** No more output follows. */
	closed(): void;
}

export interface RunningProgram {
	/** True if it accepts input. */
	readonly writable: boolean;
	/** Bytes written that it has not read yet. */
	readonly unread: number;
	write(text: string): void;
	/** Closes its standard input; most servers exit on this. */
	closeInput(): void;
	pause(): void;
	resume(): void;
	/** Closes its pipes and ends its whole process tree, even if the main process has already exited. */
	end(): Promise<void>;
}

export interface ProgramHost {
	/** Environment for programs: a short allowlist of variables without our keys and tokens, a clean PATH, and the given variables. */
	environment(own: Readonly<Record<string, string>>): Promise<Record<string, string>>;
	/** Absolute path of the first such program on that PATH outside workspace control. */
	findProgram(name: string, path: string): Promise<string | undefined>;
	isExecutable(file: string): Promise<boolean>;
	/** Throws if it cannot be started at all; later failures go to the listener. */
	start(program: ProgramStart, listener: ProgramListener): RunningProgram;
}
