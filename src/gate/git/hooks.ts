// Finds the hooks that a command would run, and what they are, so that an approval ends when one changes.
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import type { Disk } from "../../core/ports/workspace.ts";
import { nativePath, toForwardSlashes } from "../resolveLinks.ts";
import type { GitSetting } from "./configuration.ts";
import type { GitRepository } from "./repository.ts";

export interface GitHook {
	name: string;
	/** Changes with the file; absent where it could not be read. */
	print?: string;
}

const LONGEST_HOOK = 512 * 1024;

export async function hooksOf(
	disk: Disk,
	{ top, commonDir }: GitRepository,
	settings: readonly GitSetting[],
	names: readonly string[],
): Promise<GitHook[]> {
	const folder = hooksFolder(top, commonDir, settings);
	const found = await Promise.all(names.map((name) => hookIn(disk, folder, name)));
	return found.filter((hook) => hook !== undefined);
}

/** The last setting counts; a relative one starts at the top of the work tree. */
function hooksFolder(top: string, commonDir: string, settings: readonly GitSetting[]): string {
	const named = settings.findLast(({ key }) => key === "core.hookspath")?.value;
	if (named === undefined || named === "") return nativePath.join(commonDir, "hooks");
	return nativePath.resolve(top, named.replace(/^~(?=\/|$)/, homedir()));
}

async function hookIn(disk: Disk, folder: string, name: string): Promise<GitHook | undefined> {
	const path = nativePath.join(folder, name);
	const print = await printOf(disk, path);
	if (print === "missing") return undefined;
	// What husky puts into its `_` runs the file of that name beside it.
	const beside = nativePath.basename(folder) === "_" ? await printOf(disk, nativePath.join(nativePath.dirname(folder), name)) : "missing";
	return { name, ...(print !== undefined && beside !== undefined && { print: `${toForwardSlashes(path)} ${print} ${beside}` }) };
}

async function printOf(disk: Disk, path: string): Promise<string | undefined> {
	const real = await disk.realpath(path).catch(() => undefined);
	if (real === undefined) return "missing";
	const stat = await disk.lstat(real).catch(() => undefined);
	if (stat?.type !== "file" || stat.size > LONGEST_HOOK) return undefined;
	const bytes = await disk.peek(real, LONGEST_HOOK + 1);
	return bytes && createHash("sha256").update(bytes).digest("hex");
}
