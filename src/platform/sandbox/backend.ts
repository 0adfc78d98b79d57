// Selects this system's sandbox backend, or explains why there is none.

import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { t } from "../../shared/l10n.ts";
import { captureOutput, type SandboxLaunch, startProgram } from "../programs/startProgram.ts";
import { type BubblewrapOptions, canBindDescriptors, createSystemCallFilter, wrapWithBubblewrap } from "./bubblewrap.ts";
import type { SandboxPolicy } from "./policy.ts";
import { wrapWithSeatbelt } from "./seatbelt.ts";

export interface SandboxBackend {
	/** Turns a launch and a policy into a confined launch. */
	wrap(start: SandboxLaunch, view: SandboxPolicy): SandboxLaunch;
	/** True if a writable folder is guaranteed to be the one that was checked. */
	raceFree: boolean;
}

interface BackendOptions {
	platform: NodeJS.Platform;
	architecture: string;
	/** A program outside the workspace. */
	find(name: string): Promise<string | undefined>;
}

/** Returns the backend or a displayable message on why there is none. */
export async function createBackend({ platform, architecture: processor, find }: BackendOptions): Promise<SandboxBackend | string> {
	if (platform === "darwin") return { wrap: wrapWithSeatbelt, raceFree: true };
	if (platform !== "linux") return t("Sandbox unavailable: this operating system isn't supported.");
	const [program, bash] = await Promise.all([find("bwrap"), find("bash")]);
	if (program === undefined || bash === undefined)
		return t("Sandbox unavailable: bubblewrap isn't installed. Install the bubblewrap package, then reload the window.");
	const reads = createSystemCallFilter(processor, { debuggers: false, sockets: false });
	const works = createSystemCallFilter(processor, { debuggers: true, sockets: true });
	const alone = createSystemCallFilter(processor, { debuggers: true, sockets: false });
	if (!reads || !works || !alone) return t("Sandbox unavailable: this processor isn't supported.");
	const known: Omit<BubblewrapOptions, "filter"> = { program, bash, options: await optionsOf(program) };
	return {
		wrap(start, view) {
			const working = view.blockUnixSockets ? alone : works;
			return wrapWithBubblewrap({ ...known, filter: view.workspaceWrite ? working : reads }, start, view);
		},
		raceFree: canBindDescriptors(known),
	};
}

async function optionsOf(program: string): Promise<ReadonlySet<string>> {
	const result = await captureOutput({ file: program, args: ["--help"], cwd: "/", env: {} }, { time: HELP_TIMEOUT });
	const text = result ? Buffer.from(result.output).toString("latin1") : "";
	return new Set(text.match(/--[a-z][a-z-]*/g));
}

/** Milliseconds. */
const HELP_TIMEOUT = 5_000;

interface ProbeOptions {
	/** An existing folder that nothing in the sandbox may write. */
	home: string;
	bash: string | undefined;
}

/** Returns undefined if the sandbox works; otherwise a displayable reason. */
export async function probeSandbox(
	keep: (start: SandboxLaunch) => Promise<SandboxLaunch>,
	{ home, bash }: ProbeOptions,
): Promise<string | undefined> {
	if (bash === undefined) return t("Sandbox unavailable: bash wasn't found.");
	const file = join(home, `.troupe-probe-${randomBytes(8).toString("hex")}`);
	const server = createServer((socket) => socket.destroy());
	let connections = 0;
	server.on("connection", () => {
		connections += 1;
	});
	await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
	const address = server.address();
	const port = typeof address === "object" ? address?.port : undefined;
	// The victim ends when its standard input closes, which happens if we exit.
	const victim = startProgram({ file: bash, args: ["--noprofile", "--norc", "-c", "read -r line"], cwd: "/", env: {} }, "all");
	try {
		const attempts = [`: > '${file.replaceAll("'", "'\\''")}'`, `: <> /dev/tcp/127.0.0.1/${port}`, `kill -KILL ${victim.pid}`];
		// Each attempt runs regardless of the previous one's result.
		const script = `${attempts.map((attempt) => `(${attempt}) 2>/dev/null`).join("; ")}; /bin/true && echo ${RAN}`;
		const start: SandboxLaunch = {
			file: bash,
			args: ["--noprofile", "--norc", "-c", script],
			env: { PATH: process.env["PATH"] ?? "" },
			cwd: "/",
		};
		const output = await outputOf(await keep(start));
		if (existsSync(file)) return t("Sandbox check failed: a sandboxed process could write to a file outside the sandbox.");
		if (connections > 0) return t("Sandbox check failed: a sandboxed process could open a network connection.");
		if (!isAlive(victim)) return t("Sandbox check failed: a sandboxed process could end a process outside the sandbox.");
		if (output.trim() === RAN) return undefined;
		if (FORBIDDEN.test(output))
			return t(
				"Sandbox unavailable: this machine doesn't let programs create namespaces. This is common in containers and where AppArmor restricts namespaces.",
			);
		return t("Sandbox check failed: {0}", output.trim().split("\n").at(-1)?.slice(0, 200) || t("the process exited without output"));
	} finally {
		rmSync(file, { force: true });
		victim.kill("SIGKILL");
		server.close();
	}
}

const RAN = "kept in";
const FORBIDDEN = /namespace|uid map|Can't mount proc/i;
/** Milliseconds. */
const PROBE_TIMEOUT = 10_000;

function isAlive(child: ChildProcess): boolean {
	return child.exitCode === null && child.signalCode === null;
}

/** Captures output with a time limit, because processes it started may keep the output open forever. */
async function outputOf(start: SandboxLaunch): Promise<string> {
	const result = await captureOutput(start, { time: PROBE_TIMEOUT });
	return result ? Buffer.from(result.output).toString("utf8") : "";
}
