// Installs Debian packages for the tests, as root.

import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./processes.mjs";

export const canInstallPackages = process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");

/** Rejects if the package can't be installed. Parts of a test run start together, so one waits for another's installation. */
export async function installPackage(name) {
	const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
	// `flock` is for our own processes, which also share the package lists; the timeout is for those of the system.
	const aptGet = (...words) => run("flock", [join(tmpdir(), "troupe-apt-get.lock"), "apt-get", ...words, "-q"], { env });
	await aptGet("update").catch(() => undefined);
	await aptGet("install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=600", name);
}
