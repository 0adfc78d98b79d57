// Runs commands as bash child processes: keeps their whole output and leaves no process behind.
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { ToolError } from "../../core/ports/tool.ts";
import type { RunOptions, RunResult } from "../../core/ports/workspace/commands.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { withTimeout } from "../../shared/node/withTimeout.ts";
import type { Programs } from "../programs/programs.ts";
import { type CommandLine, createBareLaunch, createCommandLaunch, READ_ONLY_TIMEOUT } from "../programs/shell.ts";
import { type ProgramConfiner, type SandboxLaunch, startProgram } from "../programs/startProgram.ts";
import { type CommandOutput, createOutputThrottle, type OutputThrottle, redactStream } from "./commandOutput.ts";
import type { OutputStore } from "./outputStore.ts";
import { MARKER_VARIABLE, terminateProcessTree } from "./processTree.ts";
import { looksLikePrompt } from "./terminalText.ts";

export interface Processes extends Pick<Workspace, "run" | "output"> {
	/** Ends all running commands. */
	dispose(): Promise<void>;
}

export interface ProcessOptions {
	outputStore: OutputStore;
	programs: Pick<Programs, "environment" | "bashPath">;
	/** Confines commands that must run in a sandbox; if absent, they are not started. */
	sandbox?: ProgramConfiner | undefined;
	/** Milliseconds of silence after which a prompt-like line counts as a prompt. */
	promptIdleTime?: number | undefined;
	/** Milliseconds in which a command that starts in the background is waited for; 300 if absent. */
	backgroundGrace?: number | undefined;
	/** Time limit of read-only commands in milliseconds; 10 minutes if absent. */
	readOnlyTimeout?: number | undefined;
}

export function createProcesses(options: ProcessOptions): Processes {
	const runs = new Map<string, Run>();
	let disposed = false;

	async function start(command: string, how: RunOptions): Promise<Run> {
		if (disposed) throw new ToolError("The workspace is closing; no command is started any more.");
		const bash = await options.programs.bashPath();
		const found = await stat(how.cwd).catch(() => undefined);
		if (!found?.isDirectory()) throw new ToolError(`The folder ${how.cwd} does not exist. Choose another one as cwd.`);
		const id = `c-${randomBytes(6).toString("hex")}`;
		const mark = randomBytes(16).toString("hex");
		const reads = how.reads === true || how.confine?.kind === "read";
		const env = await options.programs.environment(reads ? "reading" : "approved", { ...how.env, [MARKER_VARIABLE]: mark });
		const line = { bash, text: command, cwd: how.cwd, env, readOnly: reads };
		const output = await options.outputStore.openOutput(id);
		const launch = await createLaunch(line, how.confine).catch(async (error: unknown) => {
			await output.remove();
			throw error;
		});
		const run = new Run(id, mark, output);
		const silence = options.promptIdleTime ?? PROMPT_SILENCE;
		const timeLimit = reads ? (options.readOnlyTimeout ?? READ_ONLY_TIMEOUT) : undefined;
		try {
			run.begin(startProgram(launch, "output"), how, { silence, afterwards: launch.afterExit, most: timeLimit });
		} catch (error) {
			await Promise.all([output.remove(), launch.afterExit?.()]);
			throw new ToolError(
				`The command could not be started: ${String(error)}. If it is very long, write it to a script file and run that.`,
			);
		}
		runs.set(id, run);
		forgetOldest(runs);
		return run;
	}

	async function createLaunch(line: CommandLine, confinement: RunOptions["confine"]): Promise<SandboxLaunch> {
		if (!confinement) return createCommandLaunch(line);
		if (options.sandbox) return options.sandbox.confine(createBareLaunch(line), confinement);
		throw new ToolError("There is no sandbox here, and this command may only run in one. Nothing ran.");
	}

	return {
		async run(command, how) {
			if (how.signal.aborted) return { id: "", stopped: "cancelled", output: "", bytes: 0, duration: 0 };
			const run = await start(command, how);
			if (how.onEnd) void run.ended.then(async () => how.onEnd?.(await run.result()));
			if (how.background) await withTimeout(run.ended, options.backgroundGrace ?? BACKGROUND_GRACE, () => undefined);
			else await run.endedOrLeft(how);
			return run.result();
		},
		async output(id, offset) {
			const run = runs.get(id);
			if (!run)
				throw new ToolError(`No output is kept under the id "${id}". Ids are in the results of execute_command; run the command again.`);
			const page = await run.output.readPage(offset);
			const { exitCode, running } = run.state;
			return { ...page, bytes: run.output.totalBytes, running, ...(exitCode !== undefined && { exitCode }) };
		},
		async dispose() {
			disposed = true;
			await Promise.all([...runs.values()].map((run) => run.stop("cancelled")));
			await Promise.all([...runs.values()].map((run) => run.output.remove()));
			runs.clear();
		},
	};
}

/** Milliseconds. A prompt must be recognized within 15 s. */
const PROMPT_SILENCE = 8_000;
const BACKGROUND_GRACE = 300;
/** Milliseconds to drain the pipe once all known processes are gone. */
const DRAIN = 2_000;
/** Milliseconds between checks whether a command past its deadline is still waiting for the user. */
const TICK = 100;
const RUNS_KEPT = 50;
/** Milliseconds; a longer timer would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;
/** Bytes of output of all commands together. */
const BYTES_KEPT = 1024 * 1024 * 1024;

interface Bounds {
	/** Milliseconds of silence before prompt-like output counts as a prompt. */
	silence: number;
	/** Maximum milliseconds, including time in the background. */
	most: number | undefined;
	afterwards: SandboxLaunch["afterExit"];
}

/** One command, from its start until all its processes have ended. */
class Run {
	readonly mark: string;
	readonly ended: Promise<void>;
	readonly state: Pick<RunResult, "exitCode" | "signal" | "stopped" | "confined"> & { running: boolean; left: number } = {
		running: true,
		left: 0,
	};
	readonly id: string;
	readonly output: CommandOutput;
	private finish: () => void = () => undefined;
	private stopping: Promise<unknown> | undefined;
	private child: ChildProcess | undefined;
	private readonly startedAt = Date.now();
	private endedAt: number | undefined;

	constructor(id: string, mark: string, output: CommandOutput) {
		this.id = id;
		this.mark = mark;
		this.output = output;
		this.ended = new Promise((resolve) => {
			this.finish = resolve;
		});
	}

	begin(child: ChildProcess, how: RunOptions, { silence, most, afterwards }: Bounds): void {
		this.child = child;
		if (how.confine) this.state.confined = { kind: how.confine.kind, network: how.confine.network, touched: [] };
		const cancel = () => void this.stop("cancelled");
		how.signal.addEventListener("abort", cancel, { once: true });
		const timeout = Math.min(how.timeout ?? Number.POSITIVE_INFINITY, most ?? Number.POSITIVE_INFINITY);
		const timer = timeout < Number.POSITIVE_INFINITY ? startPausableTimer(timeout, how.waited, () => void this.stop("timeout")) : undefined;
		const exited = new Promise<void>((resolve) => {
			child.once("error", (error) => resolve(this.couldNotStart(error)));
			child.once("exit", (code, signal) => {
				if (code !== null) this.state.exitCode = code;
				if (signal !== null) this.state.signal = signal;
				resolve();
			});
		});
		const live = how.onOutput && createOutputThrottle(how.onOutput);
		const drained = this.drain(child, live, how.secrets ?? [], silence);
		void this.end(exited, drained, afterwards).finally(() => {
			timer?.clear();
			how.signal.removeEventListener("abort", cancel);
			live?.end();
			this.finish();
		});
		if (how.signal.aborted) cancel();
	}

	/** Resolves when the command ends or moves to the background. */
	async endedOrLeft({ foregroundTimeout, waited }: RunOptions): Promise<void> {
		if (foregroundTimeout === undefined) return this.ended;
		await new Promise<void>((resolve) => {
			const timer = startPausableTimer(foregroundTimeout, waited, resolve);
			void this.ended.then(() => {
				timer.clear();
				resolve();
			});
		});
	}

	/** Terminates all processes of the command; resolves when it has ended. */
	async stop(reason: NonNullable<RunResult["stopped"]>): Promise<void> {
		const pid = this.child?.pid;
		if (this.state.running && pid !== undefined && !this.stopping) {
			this.state.stopped = reason;
			this.stopping = terminateProcessTree({ pid, mark: this.mark });
		}
		await this.ended;
	}

	result(): RunResult {
		const { running, exitCode, signal, stopped, confined, left } = this.state;
		const notice = left > 0 ? leftNotice(left) : "";
		return {
			id: this.id,
			output: this.output.text(notice),
			bytes: this.output.totalBytes,
			duration: (this.endedAt ?? Date.now()) - this.startedAt,
			...(running && { running }),
			...(exitCode !== undefined && !running && !stopped && { exitCode }),
			...(signal !== undefined && !running && { signal }),
			...(stopped && { stopped }),
			...(confined && { confined }),
		};
	}

	/** A command ends with its first process; processes that it left behind are terminated. */
	private async end(exited: Promise<void>, drained: Promise<void>, afterwards: SandboxLaunch["afterExit"]): Promise<void> {
		await exited;
		await this.stopping;
		const pid = this.child?.pid;
		if (pid !== undefined) {
			const left = await terminateProcessTree({ pid, mark: this.mark });
			// Sandboxed processes end with their namespace; seeing one here is a coincidence.
			if (!this.state.stopped && !this.state.confined) this.state.left = left;
		}
		await withTimeout(drained, DRAIN, () => undefined);
		this.child?.stdout?.destroy();
		await drained;
		const touched = await afterwards?.().catch(() => []);
		if (this.state.confined && touched) this.state.confined = { ...this.state.confined, touched };
		this.endedAt = Date.now();
		this.state.running = false;
	}

	/** Reads chunk by chunk, so that the producer waits for the disk and memory stays bounded. */
	private async drain(child: ChildProcess, live: OutputThrottle | undefined, secrets: readonly string[], silence: number): Promise<void> {
		if (!child.stdout) return;
		let quiet: NodeJS.Timeout | undefined;
		try {
			for await (const chunk of redactStream(child.stdout, secrets)) {
				live?.push(chunk);
				await this.output.append(chunk);
				clearTimeout(quiet);
				quiet = setTimeout(() => {
					if (looksLikePrompt(this.output.lastBytes(1_000))) void this.stop("prompt");
				}, silence);
			}
		} catch {
			// The pipe was closed because a process that could not be found still had it open.
		} finally {
			clearTimeout(quiet);
		}
	}

	private couldNotStart(error: Error): void {
		this.state.exitCode = 127;
		void this.output.append(Buffer.from(`The command could not be started: ${error.message}\n`));
	}
}

/** Fires once the command has had its time, not counting time spent waiting for the user. */
function startPausableTimer(timeout: number, waited: RunOptions["waited"], fire: () => void): { clear(): void } {
	const startedAt = Date.now();
	let timer: NodeJS.Timeout;
	const arm = (left: number): void => {
		timer = setTimeout(
			() => {
				const more = timeout + (waited?.() ?? 0) - (Date.now() - startedAt);
				// A wait that is still running at the last tick has been counted to the millisecond.
				if (more > 0 && waited) arm(Math.max(more, TICK));
				else fire();
			},
			Math.min(left, LONGEST_TIMER),
		);
	};
	arm(timeout);
	return { clear: () => clearTimeout(timer) };
}

function leftNotice(left: number): string {
	const what = left === 1 ? "1 process it had left running was ended" : `${left} processes it had left running were ended`;
	return `\n[${what}. To keep one running, use background: true without "&".]\n`;
}

/** Removes the output of the commands that ended first. */
function forgetOldest(runs: Map<string, Run>): void {
	let bytes = [...runs.values()].reduce((sum, run) => sum + run.output.keptBytes, 0);
	for (const [id, run] of runs) {
		if (runs.size <= RUNS_KEPT && bytes <= BYTES_KEPT) return;
		if (run.state.running) continue;
		bytes -= run.output.keptBytes;
		runs.delete(id);
		void run.output.remove().catch(() => undefined);
	}
}
