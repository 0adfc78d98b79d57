// Runs attack tests in a bubblewrap jail: separate namespaces, no writable host files, loopback network only.

import { spawn, spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { delimiter } from "node:path";
import { ensureBubblewrap, findBubblewrap } from "./bubblewrap.mjs";

/** Folders that programs need to run; no others on the host are visible. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix"];
/** Working directory of the jail: an in-memory file system that exists only as long as the jail. */
export const INSIDE = "/mnt";

const asRoot = process.getuid?.() === 0;
/** User nobody: for root, the jail is created by another user, since sandboxes must nest. */
const NOBODY = 65_534;

/** Throws with installation instructions if no jail can be created. */
export async function ensureJail({ say = console.log } = {}) {
	if (process.platform !== "linux") throw new Error(`${WHY}\nThey run on Linux only.`);
	await ensureBubblewrap({ say });
	const bwrap = findBubblewrap();
	if (!bwrap) {
		throw new Error(
			[WHY, "Install it:", "  Debian, Ubuntu   sudo apt-get install bubblewrap", "  Fedora           sudo dnf install bubblewrap"].join(
				"\n",
			),
		);
	}
	const tried = spawnSync(bwrap, jailWords({ binds: [] }, ["/bin/sh", "-c", "! touch /etc/x 2>/dev/null && touch /mnt/x"]), owner());
	if (tried.status === 0) return;
	throw new Error(
		[
			WHY,
			`${bwrap} is installed and does not work here: ${String(tried.stderr ?? tried.error).trim()}`,
			"It needs user namespaces: see kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns and user.max_user_namespaces.",
		].join("\n"),
	);
}

const WHY = "Attacks really run in this suite, so it starts only inside a jail, which is made with bubblewrap (bwrap).";

/**
 * Runs a program in the jail. `binds` are host files and folders mounted read-only, at the same path or as `[host, inside]`.
 * Resolves with its standard output; rejects if it fails or takes longer than `time` milliseconds.
 */
export function inJail(words, { binds = [], env = {}, input = "", time = 60_000 } = {}) {
	const bwrap = findBubblewrap();
	if (!bwrap) return Promise.reject(new Error(WHY));
	return new Promise((resolve, reject) => {
		const child = spawn(bwrap, jailWords({ binds, env }, words), { ...owner(), stdio: ["pipe", "pipe", "pipe"] });
		const chunks = [];
		let said = "";
		const timer = setTimeout(() => child.kill("SIGKILL"), time);
		child.stdout.on("data", (chunk) => chunks.push(chunk));
		child.stderr.on("data", (chunk) => {
			said = (said + chunk).slice(-20_000);
		});
		child.stdin.on("error", () => undefined);
		child.stdin.end(input);
		child.on("error", reject);
		child.on("close", (code, signal) => {
			clearTimeout(timer);
			const printed = Buffer.concat(chunks).toString("utf8");
			if (code === 0) resolve(printed);
			else
				reject(new Error(`In the jail, ${words.join(" ").slice(0, 200)} ended with ${signal ?? code}.\n${said}\n${printed.slice(-2_000)}`));
		});
	});
}

/** Path of this Node in the jail, with the binds it needs. */
export function nodeInside() {
	const path = realpathSync(process.execPath);
	const seen = SYSTEM.some((folder) => path.startsWith(`${folder}/`));
	return seen ? { path, binds: [] } : { path: "/run/node", binds: [[path, "/run/node"]] };
}

function owner() {
	const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
	return asRoot ? { uid: NOBODY, gid: NOBODY, env, cwd: "/" } : { env, cwd: "/" };
}

function jailWords({ binds, env = {} }, words) {
	return [
		...["--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000", "--hostname", "jail"],
		...["--cap-drop", "ALL", "--new-session", "--die-with-parent", "--clearenv"],
		...SYSTEM.flatMap((folder) => ["--ro-bind-try", folder, folder]),
		...["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run", "--tmpfs", "/var/tmp"],
		...["--size", String(512 * 1024 * 1024), "--tmpfs", INSIDE],
		...binds.flatMap((bind) => (typeof bind === "string" ? ["--ro-bind", bind, bind] : ["--ro-bind", ...bind])),
		...Object.entries({ PATH: seenPath(), LANG: "C.UTF-8", ...env }).flatMap((pair) => ["--setenv", ...pair]),
		...["--chdir", INSIDE, "--"],
		...limited(words),
	];
}

function seenPath() {
	const folders = (process.env["PATH"] ?? "").split(delimiter);
	return [...new Set([...folders.filter((folder) => SYSTEM.some((seen) => `${folder}/`.startsWith(`${seen}/`))), "/usr/bin", "/bin"])].join(
		delimiter,
	);
}

/** Limits file size (in 512-byte blocks), core dumps and CPU seconds; processes end with the jail. */
function limited(words) {
	return ["/bin/sh", "-c", 'ulimit -f 200000; ulimit -c 0; ulimit -t 600; exec "$0" "$@"', ...words];
}
