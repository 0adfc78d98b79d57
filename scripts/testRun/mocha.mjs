// Runs mocha over bundled tests, one file after the other.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { root } from "../install.mjs";

/** `pattern`: of titles. Resolves with the exit code. */
export function runMocha({ files, required = [], pattern, timeout, environment, isQuiet = false }) {
	const parameters = [
		"--enable-source-maps",
		join(root, "node_modules", "mocha", "bin", "mocha.js"),
		...["--timeout", String(timeout)],
		...["--reporter", join(root, "scripts", "testRun", "reporter.cjs")],
		...required.flatMap((file) => ["--require", file]),
		...(pattern === undefined ? [] : ["--grep", pattern]),
		...files,
	];
	return new Promise((resolve, reject) => {
		const child = spawn(process.execPath, parameters, {
			cwd: root,
			env: { ...process.env, ...environment },
			stdio: isQuiet ? "ignore" : "inherit",
		});
		child.on("error", reject);
		child.on("close", (code) => resolve(code ?? 1));
	});
}
