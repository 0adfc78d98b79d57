// Runs the scripts' child processes: to completion, or as process groups that end with this process.

import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const onWindows = process.platform === "win32";
const kept = new Set();

process.on("exit", () => {
	for (const child of kept) signalGroup(child, "SIGKILL");
});
for (const [signal, code] of [
	["SIGINT", 130],
	["SIGTERM", 143],
	["SIGHUP", 129],
])
	process.once(signal, () => process.exit(code));

/** Resolves with the output; rejects with its end on failure. `show` also prints it as it arrives. */
export function run(command, parameters, { cwd, env = process.env, show = false } = {}) {
	return new Promise((resolve, reject) => {
		const child = start(command, parameters, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
		let output = "";
		const take = (stream) => (chunk) => {
			output += chunk;
			if (show) stream.write(chunk);
		};
		child.stdout.on("data", take(process.stdout));
		child.stderr.on("data", take(process.stderr));
		child.on("error", reject);
		child.on("close", (code, signal) => {
			if (code === 0) return resolve(output);
			const end = show ? "" : `\n${output.trim().split("\n").slice(-20).join("\n")}`;
			reject(new Error(`\`${command} ${parameters.join(" ")}\` ended with ${signal ?? code}.${end}`));
		});
	});
}

/** Starts a process in its own group. `stop()` ends the whole group and resolves when the process has ended. */
export function keep(command, parameters, { cwd, env = process.env, onOutput } = {}) {
	const child = start(command, parameters, { cwd, env, detached: !onWindows, stdio: ["ignore", "pipe", "pipe"] });
	kept.add(child);
	child.stdout.on("data", (chunk) => onOutput?.(String(chunk)));
	child.stderr.on("data", (chunk) => onOutput?.(String(chunk)));
	const gone = new Promise((resolve) => {
		child.on("error", (error) => {
			kept.delete(child);
			resolve(error.message);
		});
		child.on("close", (code, signal) => {
			signalGroup(child, "SIGKILL");
			kept.delete(child);
			resolve(signal ?? code);
		});
	});
	return {
		pid: child.pid,
		gone,
		async stop() {
			signalGroup(child, "SIGTERM");
			const hard = setTimeout(() => signalGroup(child, "SIGKILL"), 3_000);
			await gone;
			clearTimeout(hard);
		},
	};
}

/** On Windows, npm and `code` are batch files, which need a shell, and a shell splits arguments at spaces. */
function start(command, parameters, options) {
	if (!onWindows || command.endsWith(".exe")) return spawn(command, parameters, options);
	const [line, ...words] = [command, ...parameters].map((word) => `"${word}"`);
	return spawn(line, words, { ...options, shell: true });
}

function signalGroup(child, signal) {
	if (child.pid === undefined) return;
	try {
		if (onWindows) child.kill(signal);
		else process.kill(-child.pid, signal);
	} catch (error) {
		if (error.code !== "ESRCH" && error.code !== "EPERM") throw error;
	}
}

export function freePort() {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.on("error", reject);
		server.listen(0, "127.0.0.1", () => {
			const { port } = server.address();
			server.close(() => resolve(port));
		});
	});
}

/** Returns the environment without variables of an enclosing editor or npm run, since a nested VS Code must not find the outer one. */
export function cleanEnvironment() {
	const foreign = /^(VSCODE_|ELECTRON_|CODE_SERVER_|npm_|NODE_OPTIONS$|PORT$|INIT_CWD$)/;
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/** Returns true if the module with this URL is the main program. */
export function isMain(url) {
	const program = process.argv[1];
	return program !== undefined && realpathSync(program) === realpathSync(fileURLToPath(url));
}
