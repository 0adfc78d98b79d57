// Shows running commands in a display that can stop them.

import type { RunOptions, RunResult } from "../../core/ports/workspace/commands.ts";
import type { Workspace } from "../../core/ports/workspace.ts";

export interface CommandDisplay {
	/** Returns the sink for the command's output. */
	start(call: string, command: string, cancel: () => void): { write(chunk: string): void; end(line: string): void };
}

/** Closing the display, or pressing Ctrl+C in it, stops the command. */
export function createShownRun(run: Workspace["run"], display: CommandDisplay): Workspace["run"] {
	return (command: string, options: RunOptions): Promise<RunResult> => {
		const stop = new AbortController();
		const shown = display.start(options.call ?? command, command, () => stop.abort());
		return run(command, {
			...options,
			signal: AbortSignal.any([options.signal, stop.signal]),
			onOutput(chunk) {
				shown.write(chunk);
				options.onOutput?.(chunk);
			},
			onEnd(result) {
				shown.end(ending(result));
				options.onEnd?.(result);
			},
		});
	};
}

function ending({ exitCode, signal, stopped }: RunResult): string {
	if (stopped) return `stopped: ${stopped}`;
	return exitCode === undefined ? `ended by ${signal ?? "a signal"}` : `exit code ${exitCode}`;
}
