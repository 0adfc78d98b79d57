// How long the room waits for a server, and how often it tries again. Milliseconds.

export interface McpPatience {
	/** From its start until its tools are listed. */
	start: number;
	/** For the person to say whether it may start, or to sign in. */
	person: number;
	/** For a call that shows no sign of life, and for one that does. */
	idleCall: number;
	wholeCall: number;
	/** Unused, until it is stopped. */
	unused: number;
	/** Between two lists of its tools, however often it says that they changed. */
	list: number;
	/** Before the nth start after a crash, from 0. */
	backoff(crashes: number): number;
	/** So many crashes within this time, and it stays off. */
	crashes: number;
	within: number;
}

export const PATIENCE: McpPatience = {
	start: 30_000,
	person: 120_000,
	idleCall: 60_000,
	wholeCall: 300_000,
	unused: 600_000,
	list: 1_000,
	backoff: (crashes) => 500 * 2 ** crashes,
	crashes: 5,
	within: 600_000,
};
