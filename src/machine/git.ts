// Git as the extension itself asks it: read-only questions, with everything switched off by which a repository runs programs.
import { spawn } from "node:child_process";
import { childEnvironment } from "./environment.ts";

/** What git prints, undefined when it fails, is not installed or takes too long. */
export function git(folder: string, words: readonly string[], input?: string): Promise<Buffer | undefined> {
	return new Promise((resolve) => {
		const environment = childEnvironment([], { GIT_OPTIONAL_LOCKS: "0" });
		const child = spawn("git", [...HARDENED, ...words], {
			cwd: folder,
			env: environment,
			stdio: ["pipe", "pipe", "ignore"],
			timeout: PATIENCE,
		});
		const chunks: Buffer[] = [];
		let bytes = 0;
		child.stdout.on("data", (chunk: Buffer) => {
			bytes += chunk.length;
			if (bytes > OUTPUT_LIMIT) child.kill("SIGKILL");
			else chunks.push(chunk);
		});
		child.stdin.on("error", () => undefined);
		child.stdin.end(input);
		child.on("error", () => resolve(undefined));
		child.on("close", (code) => resolve(code === 0 ? Buffer.concat(chunks) : undefined));
	});
}

/** The commit HEAD points at; undefined outside git and before the first commit. */
export async function headCommit(folder: string): Promise<string | undefined> {
	const text = (await git(folder, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]))?.toString().trim();
	return text || undefined;
}

/** `--no-ext-diff --no-textconv` belong to every question that shows a diff. */
const HARDENED = ["-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat", "--no-pager"];
/** Milliseconds. */
const PATIENCE = 10_000;
const OUTPUT_LIMIT = 64 * 1024 * 1024;
