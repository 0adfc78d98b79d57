// Runs ripgrep with streamed output, and stops it once enough is found or time is up.
import { startProgram } from "../programs/startProgram.ts";

export interface RipgrepOptions {
	/** Absolute path. */
	program: string;
	environment: Readonly<Record<string, string>>;
	folder: string;
	args: readonly string[];
	signal: AbortSignal;
	/** Receives ripgrep's output; returning false stops it. */
	onOutput(text: string): boolean;
}

export interface RipgrepResult {
	/** `enough`: stopped by `onOutput`. `failed`: `errorText` has the reason. */
	outcome: "done" | "enough" | "timeout" | "failed";
	errorText: string;
}

/** Rejects with the signal's reason if cancelled. */
export function runRipgrep({ program, environment, folder, args: words, signal, onOutput: take }: RipgrepOptions): Promise<RipgrepResult> {
	return new Promise((resolve, reject) => {
		if (signal.aborted) return reject(signal.reason);
		const child = startProgram({ file: program, args: [...COMMON, ...words], cwd: folder, env: environment }, "output and errors");
		let outcome: RipgrepResult["outcome"] = "done";
		let problem = "";
		const stop = (reason: RipgrepResult["outcome"]) => {
			if (outcome === "done") outcome = reason;
			child.kill("SIGKILL");
		};
		const timer = setTimeout(() => stop("timeout"), TIME_LIMIT);
		const cancel = () => stop("enough");
		signal.addEventListener("abort", cancel, { once: true });
		child.stdout?.setEncoding("utf8").on("data", (text: string) => {
			if (outcome === "done" && !take(text)) stop("enough");
		});
		child.stderr?.setEncoding("utf8").on("data", (text: string) => {
			if (problem.length < PROBLEM_LIMIT) problem += text;
		});
		child.once("error", (error) => {
			outcome = "failed";
			problem = error.message;
		});
		child.once("close", (code) => {
			clearTimeout(timer);
			signal.removeEventListener("abort", cancel);
			if (signal.aborted) return reject(signal.reason);
			// Exit code 1 means no match; 2 without a message means that a file could not be read.
			const failed = outcome === "failed" || (outcome === "done" && code !== 0 && code !== 1 && problem.trim() !== "");
			resolve({ outcome: failed ? "failed" : outcome, errorText: problem.trim().slice(0, PROBLEM_LIMIT) });
		});
	});
}

/** Searches hidden files but not .git, respects ignore files outside git too, and ignores the user's configuration. */
const COMMON = ["--no-config", "--no-messages", "--hidden", "--no-require-git", "--no-follow", "--glob=!.git", "--color=never"];
/** Milliseconds. */
const TIME_LIMIT = 10_000;
const PROBLEM_LIMIT = 1_000;
