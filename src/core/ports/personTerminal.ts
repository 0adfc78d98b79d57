// The port to the terminal that a person types in themselves.

export interface UserTerminal {
	/**
	 * Puts the line at the prompt of a terminal in that folder, not run: that is for the person to do. Resolves with what was
	 * run there next; undefined when the terminal was closed, or the signal ended the wait. Rejects with a sentence for the
	 * person where no terminal tells what it runs.
	 */
	type(line: string, cwd: string, signal: AbortSignal): Promise<TerminalRun | undefined>;
}

/** A line that the person has run. */
export interface TerminalRun {
	line: string;
	/** Resolves when it has ended or its terminal was closed. Never rejects. */
	ended: Promise<{ output: string; exitCode?: number }>;
}

/** Whether it can be typed at a prompt as it stands: nothing in it runs it, hides a part of it or is expanded there. */
export function canTypeInTerminal(line: string): boolean {
	return line === line.trim() && line !== "" && line.length <= LONGEST && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}!]|\\$/u.test(line);
}

const LONGEST = 1_000;
