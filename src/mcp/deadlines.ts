// Timeouts and shared requests for MCP servers.
import { t } from "../shared/l10n.ts";

const TIMEOUT = "REQUEST_TIMEOUT";

/** It took longer than `time` in milliseconds: `code` as the protocol's library has it. */
export class RequestTimeoutError extends Error {
	readonly code = TIMEOUT;
	constructor(time: number) {
		super(t("no response within {0} seconds", Math.ceil(time / 1_000)));
	}
}

/** Ours, or the library's own. */
export function isRequestTimeout(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === TIMEOUT;
}

/** Aborts after a time in milliseconds, which stands still while something else is waited for. */
export function createDeadline(time: number, signal: AbortSignal, still: () => boolean) {
	const control = new AbortController();
	const step = Math.max(1, time / STEPS);
	let left = time;
	const watch = setInterval(() => {
		if (!still()) left -= step;
		if (left <= 0) control.abort(new RequestTimeoutError(time));
	}, step);
	const stop = (): void => control.abort(signal.reason);
	if (signal.aborted) stop();
	signal.addEventListener("abort", stop, { once: true });
	return {
		signal: control.signal,
		/** All the time from now. */
		again() {
			left = time;
		},
		end() {
			clearInterval(watch);
			signal.removeEventListener("abort", stop);
		},
	};
}

const STEPS = 20;

/** Who asks the same while it is open gets the one answer. */
export function createRequestSharing<T>(): (key: string, ask: () => Promise<T>) => Promise<T> {
	const open = new Map<string, Promise<T>>();
	return (key, ask) => {
		const asked = open.get(key) ?? ask().finally(() => open.delete(key));
		open.set(key, asked);
		return asked;
	};
}

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
