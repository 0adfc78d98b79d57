// Locates VS Code's bundled ripgrep.

// Its location has changed before, so every known one is tried.
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";

let found: Promise<string | undefined> | undefined;

export function findBundledRipgrep(): Promise<string | undefined> {
	found ??= find();
	return found;
}

async function find(): Promise<string | undefined> {
	const program = process.platform === "win32" ? "rg.exe" : "rg";
	const modules = ["node_modules", "node_modules.asar.unpacked"].map((name) => join(vscode.env.appRoot, name, "@vscode"));
	const places = [
		...modules.map((folder) => join(folder, "ripgrep-universal", "bin", `${process.platform}-${process.arch}`, program)),
		...modules.map((folder) => join(folder, "ripgrep", "bin", program)),
	];
	for (const place of places) {
		try {
			await access(place, constants.X_OK);
			return place;
		} catch {
			// Try the next location.
		}
	}
	return undefined;
}
