// Timeouts and shared requests for MCP servers.

import { UserError } from "../core/userError.ts";
import { t } from "../shared/l10n.ts";

const TIMEOUT = "REQUEST_TIMEOUT";

/** A request exceeded `time` in milliseconds; `code` is the MCP SDK's. */
export class RequestTimeoutError extends UserError {
	readonly code = TIMEOUT;
	constructor(time: number) {
		super(t("no response within {0} seconds", Math.ceil(time / 1_000)));
	}
}

/** Matches our error and the SDK's. */
export function isRequestTimeout(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === TIMEOUT;
}

/** Aborts after a time in milliseconds; the clock is paused while `still` returns true. */
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
		/** Restarts the full time. */
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

/** Shares one request among callers with the same key while it is pending. */
export function createRequestSharing<T>(): (key: string, ask: () => Promise<T>) => Promise<T> {
	const open = new Map<string, Promise<T>>();
	return (key, ask) => {
		const asked = open.get(key) ?? ask().finally(() => open.delete(key));
		open.set(key, asked);
		return asked;
	};
}

export interface McpTimeouts {
	/** Maximum milliseconds from the start until its tools are listed. */
	start: number;
	/** Maximum milliseconds for the user to approve the start, or to sign in. */
	userAction: number;
	/** Maximum milliseconds for a call without progress, and for any call. */
	idleCall: number;
	totalCall: number;
	/** Idle time before it is stopped. */
	idleShutdown: number;
	/** Minimum interval between listing its tools, regardless of change notifications. */
	listInterval: number;
	/** Delay before the nth restart after a crash, from 0. */
	restartDelay(maxCrashes: number): number;
	/** Number of crashes within `crashWindow` after which it is not restarted. */
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
