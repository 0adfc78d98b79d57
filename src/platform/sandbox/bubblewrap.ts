// Creates bubblewrap arguments (Linux): separate namespaces, no capabilities, and the policy's view of the disk.
import { execScript } from "../programs/shell.ts";
import type { SandboxLaunch } from "../programs/startProgram.ts";
import { normalizeRules, type PathRule, type SandboxPolicy } from "./policy.ts";

export interface BubblewrapOptions {
	/** Absolute path. */
	program: string;
	/** Absolute path; the shell that starts bubblewrap and closes unneeded descriptors. */
	bash: string;
	/** The options listed by its --help. */
	options: ReadonlySet<string>;
	/** The seccomp filter of allowed system calls. */
	filter: Uint8Array;
}

export function wrapWithBubblewrap(
	{ program, bash, options, filter }: BubblewrapOptions,
	start: SandboxLaunch,
	view: SandboxPolicy,
): SandboxLaunch {
	const places = normalizeRules(view.rules);
	const open = places.flatMap((place) => (place.descriptor !== undefined && options.has(OPEN) ? [place.descriptor] : []));
	const args = [
		...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
		...(view.network ? [] : ["--unshare-net"]),
		...(options.has("--disable-userns") ? ["--disable-userns"] : []),
		...["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--seccomp", String(FIRST_INPUT)],
		...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"],
		...places.flatMap((place) => argsOf(place, options, open)),
		...["--chdir", start.cwd, "--", start.file, ...start.args],
	];
	return {
		...start,
		file: bash,
		args: ["--noprofile", "--norc", "-c", closeDescriptorsScript(open.length) + execScript(!view.workspaceWrite), program, ...args],
		env: { ...start.env, ...(start.env["TMPDIR"] !== undefined && { TMPDIR: "/tmp" }) },
		extraDescriptors: [filter, ...open],
	};
}

/** The first descriptor after the three standard streams. */
const FIRST_INPUT = 3;

/** Closes inherited descriptors, which would lead outside, and disables core dumps, which a program outside would handle. */
function closeDescriptorsScript(further: number): string {
	const last = FIRST_INPUT + further;
	return `for one in /proc/self/fd/*; do one="\${one##*/}"; if ((one > ${last})); then exec {one}>&-; fi; done; ulimit -c 0; `;
}

/** Binds an open descriptor and fails if the path no longer leads to it. */
const OPEN = "--bind-fd";

/** Returns true if a writable folder is guaranteed to be the one that was checked. */
export function canBindDescriptors({ options }: Pick<BubblewrapOptions, "options">): boolean {
	return options.has(OPEN);
}

/** Maximum bytes of a temporary folder, which is kept in memory. */
const OWN_SIZE = 1024 * 1024 * 1024;

function argsOf(
	{ path, access: seen, kind, descriptor: open }: PathRule,
	options: ReadonlySet<string>,
	descriptors: readonly number[],
): string[] {
	if (typeof seen === "object") return ["--symlink", seen.link, path];
	const permissions = (mode: string) => (options.has("--perms") ? ["--perms", mode] : []);
	const size = options.has("--size") ? ["--size", String(OWN_SIZE)] : [];
	switch (seen) {
		case "readable":
			return ["--ro-bind", path, path];
		case "writable":
			if (open !== undefined && descriptors.includes(open)) return [OPEN, String(FIRST_INPUT + 1 + descriptors.indexOf(open)), path];
			return ["--bind", path, path];
		case "own":
			return [...permissions("1777"), ...size, "--tmpfs", path];
		case "hidden":
			// A device file can't be opened without access to its device.
			return kind === "folder" ? [...permissions("0555"), "--tmpfs", path] : ["--ro-bind", "/dev/null", path];
		case "blank":
			return ["--dev-bind", "/dev/null", path];
	}
}

/** Resources that a program may use besides files and its own memory. */
interface SystemCallFilterOptions {
	debuggers: boolean;
	/** Unix domain sockets. */
	sockets: boolean;
}

/** Returns undefined for a processor without a known system call table. */
export function createSystemCallFilter(processor: string, { debuggers, sockets }: SystemCallFilterOptions): Uint8Array | undefined {
	const known = numbers[processor];
	if (!known) return undefined;
	const program: Step[] = [
		// Programs for another architecture have other numbers, so all their calls are refused.
		load(ARCHITECTURE),
		...whenNot(EQUALS, known.audit, refuse(EPERM)),
		load(NUMBER),
		...(known.foreign === undefined ? [] : when(AT_LEAST, known.foreign, refuse(ENOSYS))),
	];
	for (const call of known.refused) program.push(...when(EQUALS, call, refuse(EPERM)));
	for (const call of known.missing) program.push(...when(EQUALS, call, refuse(ENOSYS)));
	for (const call of [known.clone, known.unshare]) {
		const spaces = call === known.clone ? NAMESPACES : NAMESPACES | NEW_TIME;
		program.push(...inside(call, [load(FIRST), ...when(HAS, spaces, refuse(EPERM)), PASS]));
	}
	// Process 1 of the namespace must not be traced: it waits for all others.
	for (const [call, whom] of [[known.ptrace, SECOND] as const, ...known.foreignMemory.map((one) => [one, FIRST] as const)]) {
		program.push(...inside(call, debuggers ? [load(whom), ...when(EQUALS, 1, refuse(EPERM)), PASS] : [refuse(EPERM)]));
	}
	const typing = [TIOCSTI, TIOCLINUX].flatMap((request) => when(EQUALS, request, refuse(EPERM)));
	program.push(...inside(known.ioctl, [load(SECOND), ...typing, PASS]));
	const families = [...(sockets ? [AF_UNIX] : []), AF_INET, AF_INET6, AF_NETLINK].flatMap((family) => when(EQUALS, family, PASS));
	program.push(...inside(known.socket, [load(FIRST), ...families, refuse(EAFNOSUPPORT)]), PASS);
	return assemble(program);
}

interface Numbers {
	audit: number;
	/** Numbers from here on belong to another calling convention. */
	foreign?: number;
	clone: number;
	unshare: number;
	ioctl: number;
	socket: number;
	ptrace: number;
	/** Calls that read or write another process's memory. */
	foreignMemory: readonly number[];
	/** Calls that are not permitted: namespaces, mounts, keys, modules, and calls that inspect or stop the whole machine. */
	refused: readonly number[];
	/** Calls that are reported as not implemented because the filter can't inspect their arguments; programs fall back to older calls. */
	missing: readonly number[];
}

/** Numbers from the kernel's tables (asm/unistd_64.h, asm-generic/unistd.h). From 424 on, all architectures share the numbers. */
const shared = {
	// open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr, open_tree_attr.
	refused: [428, 429, 430, 431, 432, 433, 442, 467],
	// io_uring_setup, io_uring_enter, io_uring_register, clone3.
	missing: [425, 426, 427, 435],
};

const numbers: Readonly<Record<string, Numbers>> = {
	x64: {
		audit: 0xc000003e,
		foreign: 0x40000000,
		clone: 56,
		unshare: 272,
		ioctl: 16,
		socket: 41,
		ptrace: 101,
		foreignMemory: [310, 311],
		refused: [
			// mount, umount2, pivot_root, chroot, setns, add_key, request_key, keyctl.
			...[165, 166, 155, 161, 308, 248, 249, 250],
			// bpf, perf_event_open, userfaultfd, kexec_load, kexec_file_load, init_module, finit_module, delete_module.
			...[321, 298, 323, 246, 320, 175, 313, 176],
			// swapon, swapoff, reboot, acct, quotactl, syslog, settimeofday, adjtimex, clock_settime, clock_adjtime, iopl, ioperm.
			...[167, 168, 169, 163, 179, 103, 164, 159, 227, 305, 172, 173],
			// open_by_handle_at, fanotify_init, lookup_dcookie, sethostname, setdomainname.
			...[304, 300, 212, 170, 171],
			...shared.refused,
		],
		missing: shared.missing,
	},
	arm64: {
		audit: 0xc00000b7,
		clone: 220,
		unshare: 97,
		ioctl: 29,
		socket: 198,
		ptrace: 117,
		foreignMemory: [270, 271],
		refused: [
			// mount, umount2, pivot_root, chroot, setns, add_key, request_key, keyctl.
			...[40, 39, 41, 51, 268, 217, 218, 219],
			// bpf, perf_event_open, userfaultfd, kexec_load, kexec_file_load, init_module, finit_module, delete_module.
			...[280, 241, 282, 104, 294, 105, 273, 106],
			// swapon, swapoff, reboot, acct, quotactl, syslog, settimeofday, adjtimex, clock_settime, clock_adjtime.
			...[224, 225, 142, 89, 60, 116, 170, 171, 112, 266],
			// open_by_handle_at, fanotify_init, lookup_dcookie, sethostname, setdomainname.
			...[265, 262, 18, 161, 162],
			...shared.refused,
		],
		missing: shared.missing,
	},
};

/** One instruction: its code, how many instructions to skip if true and if false, and its value. */
type Step = readonly [code: number, yes: number, no: number, value: number];

// Offsets of the call's number, its architecture and the low halves of its arguments.
const [NUMBER, ARCHITECTURE, FIRST, SECOND] = [0, 4, 16, 24];
const [EQUALS, AT_LEAST, HAS] = [0x15, 0x35, 0x45];
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
const [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] = [1, 2, 10, 16];
const [TIOCSTI, TIOCLINUX] = [0x5412, 0x541c];
/** New user, mount, process, network, IPC, host name and control group namespaces. */
const NAMESPACES = 0x10000000 | 0x20000 | 0x20000000 | 0x40000000 | 0x08000000 | 0x04000000 | 0x02000000;
const NEW_TIME = 0x80;
const PASS: Step = [0x06, 0, 0, 0x7fff0000];

function load(offset: number): Step {
	return [0x20, 0, 0, offset];
}

function refuse(error: number): Step {
	return [0x06, 0, 0, 0x00050000 | error];
}

function when(test: number, value: number, then: Step): Step[] {
	return [[test, 0, 1, value], then];
}

function whenNot(test: number, value: number, then: Step): Step[] {
	return [[test, 1, 0, value], then];
}

/** Steps for a single call; they must end with a return. */
function inside(call: number, steps: readonly Step[]): Step[] {
	return [[EQUALS, 0, steps.length, call], ...steps];
}

function assemble(program: readonly Step[]): Uint8Array {
	const bytes = new DataView(new ArrayBuffer(program.length * 8));
	for (const [index, [code, yes, no, value]] of program.entries()) {
		bytes.setUint16(index * 8, code, true);
		bytes.setUint8(index * 8 + 2, yes);
		bytes.setUint8(index * 8 + 3, no);
		bytes.setUint32(index * 8 + 4, value, true);
	}
	return new Uint8Array(bytes.buffer);
}
