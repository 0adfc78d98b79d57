// Finds bubblewrap, the command sandbox, on the PATH, or installs Debian's package as root.

import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run } from "./processes.mjs";

/** Installs it if it is missing and can be installed; otherwise does nothing. */
export async function ensureBubblewrap({ say = console.log } = {}) {
	if (process.platform !== "linux" || findBubblewrap() || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
	say("Installing bubblewrap, in which commands are kept in (apt-get install bubblewrap) …");
	const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
	await run("apt-get", ["update", "-q"], { env }).catch(() => undefined);
	await run("apt-get", ["install", "-y", "-q", "--no-install-recommends", "bubblewrap"], { env }).catch((error) => say(error.message));
}

export function findBubblewrap() {
	const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder.startsWith("/"));
	for (const folder of [...folders, "/usr/bin"]) {
		const path = join(folder, "bwrap");
		try {
			accessSync(path, constants.X_OK);
			return path;
		} catch {
			// Not found here.
		}
	}
	return undefined;
}
