// Fills the folder of extensions for a server that a test starts itself.
import { cp, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { given } from "./given.ts";

/** Troupe, the driver, and an extension of the test's own. */
export async function copyExtensions(extensionsDir: string, own: { name: string; from: string }): Promise<void> {
	const installed = join(dirname(dirname(dirname(given("E2E_SETTINGS")))), "extensions");
	for (const name of await readdir(installed))
		if (/^troupe(\.troupe|-test\.driver)-/.test(name)) await cp(join(installed, name), join(extensionsDir, name), { recursive: true });
	await cp(own.from, join(extensionsDir, own.name), { recursive: true });
}
