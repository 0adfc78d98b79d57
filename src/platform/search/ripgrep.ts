// Runs ripgrep with streamed output, and stops it once enough is found or time is up.
import { startProgram } from "../programs/startProgram.ts";

export interface RipgrepOptions {
	/** Absolute path. */
	program: string;
	environment: Readonly<Record<string, string>>;
	folder: string;
	args: readonly string[];
	signal: AbortSignal;
	/** Takes what ripgrep printed; false stops it. */
	onOutput(text: string): boolean;
}

export interface RipgrepResult {
	/** `enough`: `take` had it stopped. `failed`: `problem` says why. */
	outcome: "done" | "enough" | "timeout" | "failed";
	errorText: string;
}

/** Rejects with the signal's reason when cancelled. */
export function runRipgrep({ program, environment, folder, args: words, signal, onOutput: take }: RipgrepOptions): Promise<RipgrepResult> {
	return new Promise((resolve, reject) => {
		if (signal.aborted) return reject(signal.reason);
		const child = startProgram({ file: program, args: [...COMMON, ...words], cwd: folder, env: environment }, "output and errors");
		let how: RipgrepResult["outcome"] = "done";
		let problem = "";
		const stop = (reason: RipgrepResult["outcome"]) => {
			if (how === "done") how = reason;
			child.kill("SIGKILL");
		};
		const timer = setTimeout(() => stop("timeout"), PATIENCE);
		const cancel = () => stop("enough");
		signal.addEventListener("abort", cancel, { once: true });
		child.stdout?.setEncoding("utf8").on("data", (text: string) => {
			if (how === "done" && !take(text)) stop("enough");
		});
		child.stderr?.setEncoding("utf8").on("data", (text: string) => {
			if (problem.length < PROBLEM_LIMIT) problem += text;
		});
		child.once("error", (error) => {
			how = "failed";
			problem = error.message;
		});
		child.once("close", (code) => {
			clearTimeout(timer);
			signal.removeEventListener("abort", cancel);
			if (signal.aborted) return reject(signal.reason);
			// Exit code 1 means no match; 2 with nothing to say means that a file could not be read.
			const failed = how === "failed" || (how === "done" && code !== 0 && code !== 1 && problem.trim() !== "");
			resolve({ outcome: failed ? "failed" : how, errorText: problem.trim().slice(0, PROBLEM_LIMIT) });
		});
	});
}

/** Hidden files on, git's own folder off, ignore files respected outside git too, the person's configuration off. */
const COMMON = ["--no-config", "--no-messages", "--hidden", "--no-require-git", "--no-follow", "--glob=!.git", "--color=never"];
/** Milliseconds. */
const PATIENCE = 10_000;
const PROBLEM_LIMIT = 1_000;
