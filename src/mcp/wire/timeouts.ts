// How long the room waits for a server, and how often it tries again. Milliseconds.

export interface McpTimeouts {
	/** From its start until its tools are listed. */
	start: number;
	/** For the person to say whether it may start, or to sign in. */
	userAction: number;
	/** For a call that shows no sign of life, and for one that does. */
	idleCall: number;
	totalCall: number;
	/** Unused, until it is stopped. */
	idleShutdown: number;
	/** Between two lists of its tools, however often it says that they changed. */
	listInterval: number;
	/** Before the nth start after a crash, from 0. */
	restartDelay(maxCrashes: number): number;
	/** So many crashes within this time, and it stays off. */
	crashes: number;
	crashWindow: number;
}

export const DEFAULT_TIMEOUTS: McpTimeouts = {
	start: 30_000,
	userAction: 120_000,
	idleCall: 60_000,
	totalCall: 300_000,
	idleShutdown: 600_000,
	listInterval: 1_000,
	restartDelay: (crashes) => 500 * 2 ** crashes,
	crashes: 5,
	crashWindow: 600_000,
};
