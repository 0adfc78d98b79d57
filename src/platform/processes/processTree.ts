// Finds and terminates a command's process group, its descendants, and detached processes with its marker.

// Uses /proc on Linux and ps elsewhere. On Windows, taskkill ends the tree, and detached processes may escape.
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { captureOutput, windowsSystemProgram } from "../programs/startProgram.ts";

/** The variable that identifies a command's children, even detached ones. */
export const MARKER_VARIABLE = "TROUPE_RUN";

export interface MarkedProcess {
	/** Id of the first process, which leads the group and the session. */
	pid: number;
	/** The value of MARKER_VARIABLE. */
	mark: string;
}

/** Terminates all processes: asks first, and kills the remaining ones after a moment. Returns how many were found. */
export async function terminateProcessTree(command: MarkedProcess): Promise<number> {
	if (process.platform === "win32") return endTreeOnWindows(command.pid);
	const terminated = new Set<number>();
	for (let round = 0; round < ROUNDS; round += 1) {
		const found = await findTree(command);
		if (found.length === 0) break;
		for (const pid of found) {
			terminated.add(pid);
			signal(pid, round === 0 ? "SIGTERM" : "SIGKILL");
		}
		await goneWithin(found, GRACE);
	}
	return terminated.size;
}

/** Ids of live processes, without zombies. */
async function findTree({ pid, mark }: MarkedProcess): Promise<number[]> {
	const processes =
		process.platform === "linux" ? await fromProc(`${MARKER_VARIABLE}=${mark}`) : await fromPs(`${MARKER_VARIABLE}=${mark}`);
	const found = new Set(
		processes.filter((one) => one.pid === pid || one.group === pid || one.session === pid || one.marked).map((one) => one.pid),
	);
	for (let grew = true; grew; ) {
		const children = processes.filter((one) => found.has(one.parent) && !found.has(one.pid));
		for (const child of children) found.add(child.pid);
		grew = children.length > 0;
	}
	found.delete(process.pid);
	return processes.filter((one) => found.has(one.pid) && !one.zombie).map((one) => one.pid);
}

/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE = 300;
const STEP = 20;
/** Repeated because a process may start another one just before it is killed. */
const ROUNDS = 10;
/** Parent of the kernel's threads. */
const KERNEL = "2";
/** Processes inspected before other work gets its turn. */
const SLICE = 200;

interface Process {
	pid: number;
	parent: number;
	group: number;
	session: number;
	marked: boolean;
	zombie: boolean;
}

async function fromProc(mark: string): Promise<Process[]> {
	const processes: Process[] = [];
	const ownStart = startOf(fieldsOf("self"));
	const inspected = new Set<string>();
	let unsettled = false;
	// Repeats for new processes: one that forks and ends meanwhile is visible only through its child.
	for (let round = 0; round < ROUNDS; round += 1) {
		const fresh = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && !inspected.has(name));
		if (fresh.length === 0) break;
		if (unsettled) await setTimeout(1);
		unsettled = false;
		for (const pid of fresh) {
			inspected.add(pid);
			if (inspected.size % SLICE === 0) await setImmediate();
			const fields = fieldsOf(pid);
			const [state = "", parent, group, session] = fields;
			if (state === "") continue;
			// A process older than the host was not started by it.
			const young = startOf(fields) >= ownStart;
			const environment = young ? readOrNothing(`/proc/${pid}/environ`) : "";
			// A process that is executing another program briefly has no environment. Kernel threads never have one.
			if (young && environment === "" && state !== "Z" && parent !== KERNEL && round < ROUNDS - 1) {
				inspected.delete(pid);
				unsettled = true;
				continue;
			}
			const marked = environment.split("\0").includes(mark);
			processes.push({
				pid: Number(pid),
				parent: Number(parent),
				group: Number(group),
				session: Number(session),
				marked,
				zombie: state === "Z",
			});
		}
	}
	return processes;
}

/** State, parent, group, session and so on; the preceding name in parentheses may contain spaces and parentheses. */
function fieldsOf(pid: string | number): string[] {
	const status = readBeginning(`/proc/${pid}/stat`);
	return status.slice(status.lastIndexOf(")") + 2).split(" ");
}

/** Returns the start time in clock ticks since boot. */
function startOf(fields: readonly string[]): number {
	return Number(fields[19] ?? 0);
}

const buffer = Buffer.alloc(1_024);

/** Uses fewer system calls than reading to the end, which matters because it is done for every process. */
function readBeginning(path: string): string {
	try {
		const file = openSync(path, "r");
		try {
			return buffer.toString("latin1", 0, readSync(file, buffer, 0, buffer.length, 0));
		} finally {
			closeSync(file);
		}
	} catch {
		return "";
	}
}

function readOrNothing(path: string): string {
	try {
		return readFileSync(path, "latin1");
	} catch {
		return "";
	}
}

async function fromPs(mark: string): Promise<Process[]> {
	const text = await outputOf("/bin/ps", ["-A", "-E", "-ww", "-o", "pid=,ppid=,pgid=,stat=,command="]);
	return text.split("\n").flatMap((line) => {
		const [, pid, parent, group, state = ""] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)/.exec(line) ?? [];
		if (pid === undefined) return [];
		const zombie = state.startsWith("Z");
		return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, marked: line.includes(mark), zombie }];
	});
}

async function endTreeOnWindows(pid: number): Promise<number> {
	await outputOf(windowsSystemProgram("taskkill.exe"), ["/PID", String(pid), "/T", "/F"]);
	return 1;
}

/** Runs system programs only: their location does not depend on PATH. */
async function outputOf(file: string, args: string[]): Promise<string> {
	const env = { PATH: "/usr/bin:/bin", SystemRoot: process.env["SystemRoot"] ?? "" };
	const result = await captureOutput({ file, args, cwd: dirname(file), env }, { time: 5_000, bytes: 64 * 1024 * 1024 });
	return result ? Buffer.from(result.output).toString() : "";
}

async function goneWithin(pids: readonly number[], milliseconds: number): Promise<void> {
	for (let waited = 0; waited < milliseconds; waited += STEP) {
		if (!pids.some((pid) => alive(pid))) return;
		await setTimeout(STEP);
	}
}

function alive(pid: number): boolean {
	try {
		process.kill(pid, 0);
	} catch {
		return false;
	}
	if (process.platform !== "linux") return true;
	const [state = ""] = fieldsOf(pid);
	return state !== "" && state !== "Z";
}

function signal(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(pid, name);
	} catch {
		// It has already ended.
	}
}
