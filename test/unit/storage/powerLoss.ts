// A simulated disk that loses power: unflushed data and folder entries may be lost, in any part.
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nodeFileSystem, type StorageFileSystem } from "../../../src/storage/fileSystem.ts";

interface LosingDisk {
	files: StorageFileSystem;
	/** Writes what a cut at this moment leaves of `root` to another folder. */
	cut(root: string, target: string, below: (most: number) => number): Promise<void>;
}

export function losingDisk(): LosingDisk {
	/** By inode: the bytes as they were flushed last. */
	const bytes = new Map<number, Buffer>();
	/** By folder: its names and their inodes, as they were flushed last. */
	const names = new Map<string, Map<string, number>>();

	async function flushed(path: string, ino: number, isFolder: boolean): Promise<void> {
		if (!isFolder) {
			const live = await readFile(path).catch(() => undefined);
			if (live) bytes.set(ino, live);
			return;
		}
		names.set(path, await namesIn(path));
	}

	const open: StorageFileSystem["open"] = async (path, ...rest) => {
		const handle = await nodeFileSystem.open(path, ...rest);
		const { ino } = await handle.stat();
		// A new file may have the inode of one that is gone.
		if ((await handle.stat()).size === 0) bytes.delete(ino);
		for (const name of ["sync", "datasync"] as const) {
			const real = handle[name].bind(handle);
			Object.assign(handle, {
				async [name]() {
					await real();
					await flushed(String(path), ino, (await handle.stat()).isDirectory());
				},
			});
		}
		return handle;
	};

	return {
		files: { ...nodeFileSystem, open },
		async cut(root, target, below) {
			await mkdir(target, { recursive: true });
			const live = await namesIn(root);
			const kept = names.get(root) ?? new Map<string, number>();
			for (const name of new Set([...live.keys(), ...kept.keys()])) {
				const now = live.get(name);
				const then = kept.get(name);
				// A change of a name that was not flushed has come to pass, or not.
				const ino = now === then ? now : below(2) === 0 ? then : now;
				if (ino === undefined) continue;
				const path = join(root, name);
				const isFolder = (await stat(path).catch(() => undefined))?.isDirectory();
				if (isFolder && now === ino) {
					await this.cut(path, join(target, name), below);
					continue;
				}
				const durable = bytes.get(ino) ?? Buffer.alloc(0);
				const current = now === ino ? await readFile(path) : durable;
				const grew = current.length > durable.length && current.subarray(0, durable.length).equals(durable);
				const part = grew ? current.subarray(0, durable.length + below(current.length - durable.length + 1)) : durable;
				await writeFile(join(target, name), part);
			}
		},
	};
}

async function namesIn(folder: string): Promise<Map<string, number>> {
	const names = await readdir(folder);
	const found = await Promise.all(names.map(async (name) => [name, (await stat(join(folder, name)).catch(() => undefined))?.ino] as const));
	return new Map(found.flatMap(([name, ino]) => (ino === undefined ? [] : [[name, ino] as const])));
}
