// Finds bubblewrap, the command sandbox, on the PATH, or installs Debian's package as root.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { canInstallPackages, installPackage } from "./debianPackages.mjs";

/** Installs it if it is missing and can be installed; otherwise does nothing. */
export async function ensureBubblewrap({ say = console.log } = {}) {
	if (process.platform !== "linux" || findBubblewrap() || !canInstallPackages) return;
	say("Installing bubblewrap, in which commands are kept in (apt-get install bubblewrap) …");
	await installPackage("bubblewrap").catch((error) => say(error.message));
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
