// The words for bubblewrap (Linux): namespaces of its own, no capability, and the disk as a view has it.
import { execScript } from "../programs/commandLine.ts";
import type { SandboxLaunch } from "./start.ts";
import { normalizeRules, type PathRule, type SandboxPolicy } from "./view.ts";

export interface BubblewrapOptions {
	/** Absolute. */
	program: string;
	/** Absolute: starts it, with nothing open that it does not need. */
	bash: string;
	/** What its --help names. */
	options: ReadonlySet<string>;
	/** The system calls that are let through. */
	filter: Uint8Array;
}

export function wrapWithBubblewrap(
	{ program, bash, options, filter }: BubblewrapOptions,
	start: SandboxLaunch,
	view: SandboxPolicy,
): SandboxLaunch {
	const places = normalizeRules(view.rules);
	const open = places.flatMap((place) => (place.descriptor !== undefined && options.has(OPEN) ? [place.descriptor] : []));
	const words = [
		...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
		...(view.network ? [] : ["--unshare-net"]),
		...(options.has("--disable-userns") ? ["--disable-userns"] : []),
		...["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--seccomp", String(FIRST_INPUT)],
		...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"],
		...places.flatMap((place) => wordsOf(place, options, open)),
		...["--chdir", start.cwd, "--", start.file, ...start.args],
	];
	return {
		...start,
		file: bash,
		args: ["--noprofile", "--norc", "-c", closes(open.length) + execScript(!view.workspaceWrite), program, ...words],
		env: { ...start.env, ...(start.env["TMPDIR"] !== undefined && { TMPDIR: "/tmp" }) },
		extraDescriptors: [filter, ...open],
	};
}

/** The descriptor after the three that every program has. */
const FIRST_INPUT = 3;

/** An inherited descriptor would lead out; a dump of its memory would be taken by a program outside. */
function closes(further: number): string {
	const last = FIRST_INPUT + further;
	return `for one in /proc/self/fd/*; do one="\${one##*/}"; if ((one > ${last})); then exec {one}>&-; fi; done; ulimit -c 0; `;
}

/** Binds what is open, and fails where the path leads elsewhere by then. */
const OPEN = "--bind-fd";

/** Whether a folder that may be written is surely the one that was looked at. */
export function canBindDescriptors({ options }: Pick<BubblewrapOptions, "options">): boolean {
	return options.has(OPEN);
}

/** Bytes in a folder of its own; it lives in memory. */
const OWN_SIZE = 1024 * 1024 * 1024;

function wordsOf(
	{ path, access: seen, kind, descriptor: open }: PathRule,
	options: ReadonlySet<string>,
	handed: readonly number[],
): string[] {
	if (typeof seen === "object") return ["--symlink", seen.link, path];
	const permissions = (mode: string) => (options.has("--perms") ? ["--perms", mode] : []);
	const size = options.has("--size") ? ["--size", String(OWN_SIZE)] : [];
	switch (seen) {
		case "readable":
			return ["--ro-bind", path, path];
		case "writable":
			if (open !== undefined && handed.includes(open)) return [OPEN, String(FIRST_INPUT + 1 + handed.indexOf(open)), path];
			return ["--bind", path, path];
		case "own":
			return [...permissions("1777"), ...size, "--tmpfs", path];
		case "hidden":
			// Without its device, what lies there cannot be opened.
			return kind === "folder" ? [...permissions("0555"), "--tmpfs", path] : ["--ro-bind", "/dev/null", path];
		case "blank":
			return ["--dev-bind", "/dev/null", path];
	}
}
