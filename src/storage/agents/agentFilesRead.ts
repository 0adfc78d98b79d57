// Reads small definition files of a folder: bounded in size and number, and never from outside the folder they are looked for in.
import { constants } from "node:fs";
import { open, readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { t } from "../../shared/l10n.ts";
import { errorCode, isNotFound } from "../files.ts";

export type DefinitionFile = { path: string; bytes: Uint8Array } | { path: string; problem: string };

/** Bytes of one file. */
export const MAX_FILE_BYTES = 256 * 1024;
/** Files of one folder. */
export const MAX_FILES = 500;

/** Bytes of all files of one folder. */
export const MAX_TOTAL_BYTES = 16 * 1024 * 1024;

/** Files opened side by side. */
const BATCH = 50;

/** In the order of their names; what cannot be read is there with its reason. `within`: where links may not lead out of. */
export async function readDefinitionFiles(
	folder: string,
	isDefinition: (name: string) => boolean,
	within?: string,
): Promise<DefinitionFile[]> {
	try {
		const root = within === undefined ? undefined : await realpath(within);
		if (root !== undefined && !isInside(root, await realpath(folder))) return [{ path: folder, problem: OUTSIDE() }];
		const names = (await readdir(folder)).filter((name) => !name.startsWith(".") && isDefinition(name)).sort();
		const found: DefinitionFile[] = [];
		let bytes = 0;
		for (let from = 0; from < Math.min(names.length, MAX_FILES); from += BATCH) {
			const batch = names.slice(from, Math.min(from + BATCH, MAX_FILES));
			const read = await Promise.all(batch.map((name) => readOne(join(folder, name), root)));
			bytes += read.reduce((sum, file) => sum + ("bytes" in file ? file.bytes.length : 0), 0);
			if (bytes > MAX_TOTAL_BYTES) {
				const most = MAX_TOTAL_BYTES / 1024 / 1024;
				return [
					...found,
					{ path: folder, problem: t("Its files are larger than {0} MB together. Those from {1} on are not read.", most, batch[0] ?? "") },
				];
			}
			found.push(...read);
		}
		const left = names.length - MAX_FILES;
		if (left > 0) {
			found.push({ path: folder, problem: t("It has more than {0} files. The {1} last ones by name are not read.", MAX_FILES, left) });
		}
		return found;
	} catch (cause) {
		return isNotFound(cause) ? [] : [{ path: folder, problem: unreadable(cause) }];
	}
}

async function readOne(path: string, root: string | undefined): Promise<DefinitionFile> {
	try {
		const real = root === undefined ? path : await realpath(path);
		if (root !== undefined && !isInside(root, real)) return { path, problem: OUTSIDE() };
		const resolved = root === undefined ? 0 : (constants.O_NOFOLLOW ?? 0);
		// Opening a pipe would wait for whoever writes into it.
		const handle = await open(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | resolved);
		try {
			const stat = await handle.stat();
			if (!stat.isFile()) return { path, problem: t("It is not a file.") };
			if (stat.size > MAX_FILE_BYTES) return { path, problem: t("It is larger than {0} KB.", MAX_FILE_BYTES / 1024) };
			const buffer = Buffer.alloc(stat.size);
			let length = 0;
			while (length < buffer.length) {
				const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
				if (bytesRead === 0) break;
				length += bytesRead;
			}
			return { path, bytes: buffer.subarray(0, length) };
		} finally {
			await handle.close();
		}
	} catch (cause) {
		return { path, problem: unreadable(cause) };
	}
}

function isInside(root: string, path: string): boolean {
	return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

const OUTSIDE = () => t("It is a link that leads out of the workspace.");

function unreadable(cause: unknown): string {
	return t("It cannot be read ({0}).", errorCode(cause));
}
